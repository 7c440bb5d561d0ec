package io.mainstem.routing.queue;

/** Heap that the keys of all last-value queues of a shard take. Thread: shard only. */
final class LastValueBudget {
    private final long bytesMax;
    private long bytes;

    LastValueBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** True if so many bytes more are within the limit. */
    boolean fits(long more) {
        return more <= 0 || bytes + more <= bytesMax;
    }

    void resized(long delta) {
        bytes += delta;
    }

    long bytes() {
        return bytes;
    }

    long bytesMax() {
        return bytesMax;
    }
}
