package io.mainstem.routing.queue;

import org.jspecify.annotations.Nullable;

/**
 * Which consumer of a queue has which message groups (JMSXGroupID, group-id). A group stays with the consumer that got
 * its first message until that consumer leaves, so its messages are consumed in order though the queue has many
 * consumers. Groups go by buckets of their ids: any number of groups takes the same memory, and groups that share a
 * bucket share a consumer (ADR 0012).
 *
 * <p>Thread: shard only.
 */
final class MessageGroups {
    static final int BUCKETS = 1024;

    private final @Nullable Consumer[] owners = new Consumer[BUCKETS];
    private final GroupOrder order = new GroupOrder();

    /** Which message of a group may go now. */
    GroupOrder order() {
        return order;
    }

    /**
     * True if the consumer may have a message of the group; from then on it has the whole group.
     *
     * @param key of the message, as of {@link Held#key}
     */
    boolean claim(String group, Consumer by, long key) {
        int bucket = bucket(group);
        Consumer owner = owners[bucket];
        if (owner == null) {
            owners[bucket] = by;
            return true;
        }
        // What its own consumer has sent back as undeliverable there would otherwise wait for that one to leave.
        return owner == by || owner.excludes(key);
    }

    /** The consumer has left; true if it had groups, which are free now. */
    boolean release(Consumer consumer) {
        boolean any = false;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            if (owners[bucket] == consumer) {
                owners[bucket] = null;
                any = true;
            }
        }
        return any;
    }

    static int bucket(String group) {
        int hash = group.hashCode() * 0x9E3779B9;
        return hash >>> 22;
    }
}
