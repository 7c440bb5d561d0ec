package io.mainstem.routing.topology;

import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.store.MetaChange;
import io.mainstem.store.ScheduleLane;
import org.jspecify.annotations.Nullable;

/**
 * Gives out queue ids that are never used again, not after a delete and not after a restart: they are reserved in the
 * log a block at a time. Thread: shard.
 */
final class QueueIds {
    private static final int BLOCK = 1024;

    private int next = 1;
    /** As the last record says that was made. */
    private long reserved = 1;
    /** As a record says that is in the log. */
    private long logged = 1;

    /** Starts behind everything that was reserved. */
    void restore(byte @Nullable [] value) {
        if (value != null) {
            logged = new BinaryReader(value).i64();
            reserved = logged;
            next = Math.toIntExact(reserved);
        }
    }

    int next() {
        int id = next;
        if (id >= ScheduleLane.QUEUE_ID_MIN) {
            throw new IllegalStateException(
                    "all queue ids below " + ScheduleLane.QUEUE_ID_MIN + " have been given out");
        }
        next = id + 1;
        return id;
    }

    /**
     * The record without which the ids given out so far must not be used, for the group that uses one; null if it is in the log
     * already. As long as it is on its way every such group has it: the first may be refused, and a later one not.
     */
    @Nullable
    MetaChange reservation() {
        if (next <= logged) {
            return null;
        }
        if (next > reserved) {
            reserved = (long) next - 1 + BLOCK;
        }
        return new MetaChange(
                MetaKeys.QUEUE_IDS, new BinaryWriter(8).i64(reserved).toByteArray());
    }

    /** The group of a reservation is in the log. */
    void logged(MetaChange reservation) {
        byte[] value = reservation.value();
        if (value != null) {
            logged = Math.max(logged, new BinaryReader(value).i64());
        }
    }
}
