package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a transient lane: a place in a chunk, good until the message is gone. Thread: shard only.
 *
 * @param slot in the chunk
 */
record TransientMessage(TransientChunk chunk, int slot) {
    /** Position in its lane. */
    long sequence() {
        return chunk.firstSequence() + slot;
    }

    int priority() {
        return chunk.lane().priority();
    }

    /** False if it has to be fetched; {@link #expireAtMs} is not known then. */
    boolean inMemory() {
        return chunk.inMemory();
    }

    /** The message, or null if it has to be fetched. */
    @Nullable
    Message message() {
        return chunk.message(slot);
    }

    /** That of its {@link io.mainstem.store.Route}. */
    int stamp() {
        return chunk.stamp(slot);
    }

    /** Epoch ms, 0 = never. */
    long expireAtMs() {
        return chunk.expireAtMs(slot);
    }

    int failed() {
        return chunk.failed(slot);
    }

    /** True if a consumer has had it before. */
    /** As {@link io.mainstem.routing.Delivery#unseen}. */
    boolean unseen() {
        return chunk.acquired(slot) && !chunk.seen(slot);
    }

    boolean acquired() {
        return chunk.acquired(slot);
    }
}
