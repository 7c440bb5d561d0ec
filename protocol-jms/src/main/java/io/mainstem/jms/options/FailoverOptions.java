package io.mainstem.jms.options;

/**
 * How a lost connection is made again.
 *
 * @param initialDelayMs before the first attempt after a loss, 0 or more
 * @param delayMs between two rounds over the endpoints, 1 or more
 * @param delayMaxMs at most so long, as the delay doubles
 * @param attemptsMax rounds after a loss until the connection fails; -1: no end
 * @param startAttemptsMax rounds at creation until {@code createConnection} fails; -1: as {@code attemptsMax}
 * @param randomize begin at a random endpoint
 */
public record FailoverOptions(
        long initialDelayMs, long delayMs, long delayMaxMs, int attemptsMax, int startAttemptsMax, boolean randomize) {
    public static final FailoverOptions DEFAULT = new FailoverOptions(0, 10, 30_000, -1, -1, false);

    public FailoverOptions {
        if (initialDelayMs < 0 || delayMs < 1 || delayMaxMs < delayMs || attemptsMax < -1 || startAttemptsMax < -1) {
            throw new IllegalArgumentException("failover: initialDelay=" + initialDelayMs + " delay=" + delayMs
                    + " delayMax=" + delayMaxMs + " attempts=" + attemptsMax + " startAttempts=" + startAttemptsMax
                    + " (expected: delays ascending and above 0, attempts >= -1)");
        }
    }
}
