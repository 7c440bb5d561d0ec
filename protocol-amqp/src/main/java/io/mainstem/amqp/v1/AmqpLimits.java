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
 */
public record AmqpLimits(
        int frameBytesMax,
        int sessionsMax,
        int linksMax,
        long messageBytesMax,
        long incompleteBytesMax,
        int linkCredit,
        int idleTimeoutMs) {
    /** For a broker nobody configured. */
    public static final AmqpLimits DEFAULT = new AmqpLimits(
            128 << 10,
            4096,
            4096,
            128L << 20,
            Math.max(256L << 20, Runtime.getRuntime().maxMemory() / 4),
            1000,
            60_000);

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
    }

    private static void within(String key, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(key + ": " + value + " (expected: " + min + " to " + max + ")");
        }
    }
}
