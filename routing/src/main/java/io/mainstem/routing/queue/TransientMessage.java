package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;

/** One entry of a transient lane: lives in memory only. Thread: shard only. */
final class TransientMessage {
    final Message message;
    final int priority;
    final long expireAtMs;
    private long sequence;
    private int failed;
    private boolean acquired;

    /** @param expireAtMs epoch ms, 0 = never */
    TransientMessage(Message message, int priority, long expireAtMs) {
        this.message = message;
        this.priority = priority;
        this.expireAtMs = expireAtMs;
    }

    /** Position in its lane; set once when it is added. */
    void place(long at) {
        this.sequence = at;
    }

    long sequence() {
        return sequence;
    }

    int failed() {
        return failed;
    }

    /** True if a consumer has had it before. */
    boolean acquired() {
        return acquired;
    }

    void givenBack(boolean asFailed) {
        acquired = true;
        if (asFailed) {
            failed++;
        }
    }

    /** Heap it takes, estimated. */
    long bytes() {
        return message.sectionBytes() + TailCache.MESSAGE_OVERHEAD_BYTES;
    }
}
