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
    private long reserved = 1;

    /** Starts behind everything that was reserved. */
    void restore(byte @Nullable [] value) {
        if (value != null) {
            reserved = new BinaryReader(value).i64();
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

    /** The record without which the ids given out so far must not be used; null if it is logged already. */
    @Nullable
    MetaChange reservation() {
        if (next <= reserved) {
            return null;
        }
        reserved = (long) next - 1 + BLOCK;
        return new MetaChange(
                MetaKeys.QUEUE_IDS, new BinaryWriter(8).i64(reserved).toByteArray());
    }

    /** The last reservation was not logged after all. */
    void unreserve() {
        reserved = Math.min(reserved, next - 1);
    }
}
