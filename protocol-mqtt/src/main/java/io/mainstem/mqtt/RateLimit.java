package io.mainstem.mqtt;

/**
 * So many a second, and a second's worth at once after a rest. Does not read a clock. Thread: one, or guarded by the
 * caller.
 */
final class RateLimit {
    private static final long SECOND_NANOS = 1_000_000_000L;

    private final long eachNanos;
    /** The moment up to which everything is spent; a second before now, at the earliest. */
    private long spentUntilNanos;

    /** @param perSecond at least 1 */
    RateLimit(int perSecond, long nowNanos) {
        this.eachNanos = Math.max(1, SECOND_NANOS / perSecond);
        this.spentUntilNanos = nowNanos - SECOND_NANOS;
    }

    /** Takes one if there is one. */
    boolean take(long nowNanos) {
        if (waitNanos(nowNanos) > 0) {
            return false;
        }
        spentUntilNanos = Math.max(spentUntilNanos - nowNanos, -SECOND_NANOS) + nowNanos + eachNanos;
        return true;
    }

    /** How long until there is one again; 0 = there is. */
    long waitNanos(long nowNanos) {
        return Math.max(0, spentUntilNanos + eachNanos - nowNanos);
    }
}
