package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which consumer of a queue has which message groups (JMSXGroupID, group-id). A group stays with the consumer that got
 * its first message until that consumer leaves, so its messages are consumed in order though the queue has many
 * consumers. What its selector does not let it have goes to the next consumer that asks and may have it, which has all such
 * messages of the group from then on (ADR 0069). Groups go by buckets of their ids: any number of groups takes the same
 * memory, and groups that share a bucket share a consumer (ADR 0012).
 *
 * <p>Thread: shard only.
 */
final class MessageGroups {
    static final int BUCKETS = 1024;

    private final @Nullable Consumer[] owners = new Consumer[BUCKETS];
    /** By bucket: who has what the owner may not have, those before each may not have it either. */
    private final Map<Integer, List<Consumer>> standIns = new HashMap<>(0);

    private final GroupOrder order = new GroupOrder();

    /** Which message of a group may go now. */
    GroupOrder order() {
        return order;
    }

    /**
     * True if the consumer, whose selector the message matches, may have it.
     *
     * @param key of the message, as of {@link Held#key}
     * @param matches tells whether the message matches another one's selector
     */
    boolean claim(String group, Consumer by, long key, Predicate<Consumer> matches) {
        int bucket = bucket(group);
        Consumer owner = owners[bucket];
        if (owner == null) {
            owners[bucket] = by;
            return true;
        }
        // What its own consumer has sent back as undeliverable there would otherwise wait for that one to leave.
        if (owner == by || owner.excludes(key)) {
            return true;
        }
        if (matches.test(owner)) {
            return false;
        }
        List<Consumer> others = standIns.computeIfAbsent(bucket, first -> new ArrayList<>(1));
        for (Consumer other : others) {
            if (other == by || other.excludes(key)) {
                return true;
            }
            if (matches.test(other)) {
                return false;
            }
        }
        others.add(by);
        return true;
    }

    /** The consumer has left; true if it had groups, which are free now. */
    boolean release(Consumer consumer) {
        boolean any = false;
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            List<Consumer> others = standIns.isEmpty() ? null : standIns.get(bucket);
            any |= others != null && others.remove(consumer);
            if (owners[bucket] == consumer) {
                owners[bucket] = others == null || others.isEmpty() ? null : others.remove(0);
                any = true;
            }
            if (others != null && others.isEmpty()) {
                standIns.remove(bucket);
            }
        }
        return any;
    }

    static int bucket(String group) {
        int hash = group.hashCode() * 0x9E3779B9;
        return hash >>> 22;
    }
}
