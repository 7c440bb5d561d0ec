package io.mainstem.store.segment;

import java.util.function.LongSupplier;

/**
 * Publishers that each wait for their last message come back together after a sync. If the first of them starts the next
 * one alone, all others wait for two; so it waits for them, for as long as a sync takes at most (ADR 0053).
 *
 * <p>Nobody waits for a lone publisher, nor for those that have many messages under way. Thread: writer, except {@link
 * #awaits}.
 */
final class Convoy {
    /** Fewer do not gain by it. */
    private static final int SIZE_MIN = 4;
    /** Who has so many under way fills batches without. */
    private static final int SIZE_MAX = 64;

    private final LongSupplier nanos;
    private final long waitNanosMax;
    private int expected;
    private long syncNanos;
    private long deadline;
    private boolean waiting;
    private volatile int wanted;

    /** @param waitNanosMax however long a sync takes; 0: nobody waits */
    Convoy(LongSupplier nanos, long waitNanosMax) {
        this.nanos = nanos;
        this.waitNanosMax = waitNanosMax;
    }

    /** Nanoseconds to wait before the groups that are here are written, 0 = none. */
    long waitNanos(int here) {
        if (here >= expected || !gathers()) {
            departs();
            return 0;
        }
        long now = nanos.getAsLong();
        if (!waiting) {
            waiting = true;
            deadline = now + Math.min(syncNanos, waitNanosMax);
        }
        long left = deadline - now;
        if (left <= 0) {
            departs();
            return 0;
        }
        wanted = expected;
        return left;
    }

    /** Nobody waits any longer. */
    void departs() {
        waiting = false;
        wanted = 0;
    }

    /** The writer looks: unless it waits again after that, every group is a reason to wake it. */
    void woken() {
        if (wanted != 0) {
            wanted = 0;
        }
    }

    /** True while fewer groups than these are no reason to wake the writer. Thread: any. */
    boolean awaits(int here) {
        return here < wanted;
    }

    long now() {
        return nanos.getAsLong();
    }

    /**
     * A sync that began at {@code begin} has ended.
     *
     * @param groups that it covered
     * @param behind those that have come meanwhile
     */
    void synced(long begin, int groups, int behind) {
        syncNanos = nanos.getAsLong() - begin;
        expected = groups + behind;
    }

    /** As {@link #synced}, of groups that another thread will sync. */
    void written(int groups, int behind) {
        expected = groups + behind;
    }

    /** True if a few publishers that wait were seen: for them one sync after the other is best. */
    boolean gathers() {
        return waitNanosMax > 0 && expected >= SIZE_MIN && expected <= SIZE_MAX;
    }
}
