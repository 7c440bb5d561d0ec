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

    void arrived(long expireAtMs) {
        long ms = expireAtMs == 0 ? Long.MAX_VALUE : expireAtMs;
        if (ms < latestMs) {
            mixed = true;
        } else {
            latestMs = ms;
        }
    }

    void unknown() {
        mixed = true;
        latestMs = Long.MAX_VALUE;
    }

    void known(boolean newMixed, long newLatestMs) {
        mixed = newMixed;
        latestMs = newLatestMs;
    }
}
