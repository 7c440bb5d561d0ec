package io.mainstem.routing.queue;

/**
 * What is known of when the messages of one queue expire: in the order they stand, or mixed. Kept by
 * {@link ExpirySweeps}. Thread: shard only.
 */
final class ExpiryOrder {
    /** Some message may expire before one that stands in front of it. */
    boolean mixed;
    /** The queue was read as a whole and is not again before then, epoch ms. */
    long pausedUntilMs;
    /** It waits to be looked at. */
    boolean waiting;
    /** Turns it was given before that. */
    int turnsFirst;

    private long latestMs;
    /** Of those that have arrived since it began to be looked at; the look may have passed them by. */
    private long arrivedFirstMs = Long.MAX_VALUE;

    private long arrivedLatestMs;
    private boolean arrivedMixed;

    void arrived(long expireAtMs) {
        long ms = expireAtMs == 0 ? Long.MAX_VALUE : expireAtMs;
        if (ms < latestMs) {
            mixed = true;
        } else {
            latestMs = ms;
        }
        arrivedFirstMs = Math.min(arrivedFirstMs, ms);
        arrivedMixed |= ms < arrivedLatestMs;
        arrivedLatestMs = Math.max(arrivedLatestMs, ms);
    }

    /** One has come back in front of others. What was in flight had no part in the last look. */
    void returned() {
        mixed = true;
        arrivedMixed = true;
    }

    /** It is being looked at from here on. */
    void lookedAt() {
        arrivedFirstMs = Long.MAX_VALUE;
        arrivedLatestMs = 0;
        arrivedMixed = false;
    }

    void unknown() {
        mixed = true;
        latestMs = Long.MAX_VALUE;
    }

    /** What the look has found, together with what has arrived since it began. */
    void known(boolean foundMixed, long foundLatestMs) {
        mixed = foundMixed || arrivedMixed || arrivedFirstMs < foundLatestMs;
        latestMs = Math.max(foundLatestMs, arrivedLatestMs);
    }
}
