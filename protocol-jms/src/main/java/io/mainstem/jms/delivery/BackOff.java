package io.mainstem.jms.delivery;

/** The waits between attempts that fail one after the other: the first is short, each is twice the last. Thread: one. */
public final class BackOff {
    private static final long FIRST_MS = 10;
    private static final long LONGEST_MS = 5_000;

    private long nextMs = FIRST_MS;

    /** After one more failure: so long. */
    public long nextMs() {
        long now = nextMs;
        nextMs = Math.min(LONGEST_MS, 2 * now);
        return now;
    }

    /** After a success. */
    public void reset() {
        nextMs = FIRST_MS;
    }
}
