package io.mainstem.store.files;

import java.io.InterruptedIOException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * A token bucket for background reading and writing: whoever works takes what it has just moved, and sleeps when that was
 * too much. Thread: one works; {@link #rate} and {@link #cancel} any.
 */
public final class Throttle {
    /** Credit that may be saved up, as a part of a second. */
    private static final long BURST_NANOS = 100_000_000L;

    private static final long SECOND_NANOS = 1_000_000_000L;

    private final LongSupplier nanos;
    private final LongConsumer pause;
    private volatile long bytesPerSecond;
    private volatile boolean cancelled;
    private long paidUntil;

    /**
     * Not cancelled.
     *
     * @param bytesPerSecond 0 = no limit
     * @param nanos a monotonic clock
     * @param pause lets so many nanoseconds pass
     */
    Throttle(long bytesPerSecond, LongSupplier nanos, LongConsumer pause) {
        this.bytesPerSecond = bytesPerSecond;
        this.nanos = nanos;
        this.pause = pause;
        this.paidUntil = nanos.getAsLong();
    }

    /** In real time. */
    public static Throttle of(long bytesPerSecond) {
        return new Throttle(bytesPerSecond, System::nanoTime, LockSupport::parkNanos);
    }

    /** 0 = no limit. */
    public void rate(long newBytesPerSecond) {
        bytesPerSecond = newBytesPerSecond;
    }

    /** Lets the work end at its next {@link #take}; for good. */
    public void cancel() {
        cancelled = true;
    }

    /**
     * Pays for bytes that were moved.
     *
     * @throws InterruptedIOException if the work is not wanted any more
     */
    public void take(long bytes) throws InterruptedIOException {
        long rate = bytesPerSecond;
        if (rate > 0) {
            long now = nanos.getAsLong();
            paidUntil = Math.max(paidUntil, now - BURST_NANOS) + (long) ((double) bytes / rate * SECOND_NANOS);
            while (paidUntil - now > 0 && !cancelled) {
                pause.accept(Math.min(paidUntil - now, BURST_NANOS));
                now = nanos.getAsLong();
            }
        }
        if (cancelled) {
            throw new InterruptedIOException("not wanted any more");
        }
    }
}
