package io.mainstem.jms.options;

/**
 * The longest time that a call waits for the broker; then it ends with an exception. All in milliseconds, all above 0:
 * there is no call without an end.
 *
 * @param connectMs name look-up, socket, TLS, SASL and open of one endpoint
 * @param requestMs creation of sessions, producers, consumers; acknowledge, commit, rollback
 * @param sendMs until the outcome of a message
 * @param closeMs until the broker confirms a close; a close that times out is done all the same
 */
public record Timeouts(long connectMs, long requestMs, long sendMs, long closeMs) {
    public static final Timeouts DEFAULT = new Timeouts(15_000, 30_000, 60_000, 15_000);

    public Timeouts {
        if (connectMs < 1 || requestMs < 1 || sendMs < 1 || closeMs < 1) {
            throw new IllegalArgumentException("timeouts: " + connectMs + ", " + requestMs + ", " + sendMs + ", "
                    + closeMs + " (expected: each >= 1)");
        }
    }
}
