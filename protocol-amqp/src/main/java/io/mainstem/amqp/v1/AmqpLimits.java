package io.mainstem.amqp.v1;

/**
 * What one AMQP 1.0 peer may ask of the broker.
 *
 * @param frameBytesMax largest frame accepted, announced in open; 512 to 16 MiB
 * @param sessionsMax sessions a connection, 1 to 65,536
 * @param linksMax links a session, 1 to 65,536
 * @param messageBytesMax largest message accepted, announced in attach
 * @param incompleteBytesMax bytes of messages of which frames are missing yet, over all connections
 * @param linkCredit publishes a sender may have under way per link
 * @param idleTimeoutMs a peer that sends nothing for so long is closed; half of it is announced
 * @param transactionTimeoutMs a transaction that is not discharged so long after its first work is rolled back; 0 =
 *     never
 */
public record AmqpLimits(
        int frameBytesMax,
        int sessionsMax,
        int linksMax,
        long messageBytesMax,
        long incompleteBytesMax,
        int linkCredit,
        int idleTimeoutMs,
        int transactionTimeoutMs) {
    /** An hour: for what has been forgotten, not for what is slow. */
    private static final int TRANSACTION_TIMEOUT_MS = 3_600_000;

    /** For a broker nobody configured. */
    public static final AmqpLimits DEFAULT = new AmqpLimits(
            128 << 10,
            4096,
            4096,
            128L << 20,
            Math.max(256L << 20, Runtime.getRuntime().maxMemory() / 4),
            1000,
            60_000,
            TRANSACTION_TIMEOUT_MS);

    private static final int FRAME_BYTES_MIN = 512;
    private static final int FRAME_BYTES_MAX = 16 << 20;
    private static final int NUMBERS = 65_536;

    public AmqpLimits {
        within("amqp.frame-bytes-max", frameBytesMax, FRAME_BYTES_MIN, FRAME_BYTES_MAX);
        within("amqp.sessions-max", sessionsMax, 1, NUMBERS);
        within("amqp.links-max", linksMax, 1, NUMBERS);
        within("amqp.message-bytes-max", messageBytesMax, 1, Integer.MAX_VALUE);
        within("amqp.incomplete-bytes-max", incompleteBytesMax, messageBytesMax, Long.MAX_VALUE);
        within("amqp.link-credit", linkCredit, 2, 100_000);
        within("amqp.idle-timeout", idleTimeoutMs, 200, Integer.MAX_VALUE);
        within("amqp.transaction-timeout", transactionTimeoutMs, 0, Integer.MAX_VALUE);
    }

    /** With the usual transaction timeout. */
    public AmqpLimits(
            int frameBytesMax,
            int sessionsMax,
            int linksMax,
            long messageBytesMax,
            long incompleteBytesMax,
            int linkCredit,
            int idleTimeoutMs) {
        this(
                frameBytesMax,
                sessionsMax,
                linksMax,
                messageBytesMax,
                incompleteBytesMax,
                linkCredit,
                idleTimeoutMs,
                TRANSACTION_TIMEOUT_MS);
    }

    private static void within(String key, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(key + ": " + value + " (expected: " + min + " to " + max + ")");
        }
    }
}
