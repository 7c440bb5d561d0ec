package io.mainstem.mqtt;

/**
 * What MQTT clients may ask for.
 *
 * @param packetBytesMax largest packet taken, announced to 5.0 clients
 * @param receiveMaximum publishes of QoS 1 and 2 a client may have under way, announced to 5.0 clients
 * @param inFlightMax deliveries of QoS 1 and 2 under way to one client; the client's own limit may be lower
 * @param topicAliasMaximum aliases a client may use
 * @param subscriptionsMax filters of one session [S-12]
 * @param sessionExpiryMax seconds a session outlives its connection at most; 0xFFFFFFFF = for ever [S-5]
 * @param retainedBytesMax largest payload that is retained
 * @param retainedMax messages that are retained, of all protocols
 * @param retainedTotalBytesMax what they may take in memory
 * @param sessionsMax clients that are connected or have left a session
 */
public record MqttLimits(
        int packetBytesMax,
        int receiveMaximum,
        int inFlightMax,
        int topicAliasMaximum,
        int subscriptionsMax,
        long sessionExpiryMax,
        int retainedBytesMax,
        int retainedMax,
        long retainedTotalBytesMax,
        int sessionsMax) {
    private static final int SESSIONS_MIN = 1_000;
    private static final int SESSIONS_MAX = 1_000_000;
    /** Client id, record, timers, and what a connected one has beside that, without its queue. */
    private static final long SESSION_BYTES = 4 << 10;

    private static final long RETAINED_TOTAL_BYTES_MAX = 64 << 20;

    /** What the configuration says if it says nothing. */
    public static final MqttLimits DEFAULT = new MqttLimits(
            4 << 20,
            1000,
            1000,
            32,
            10_000,
            0xFFFF_FFFFL,
            256 << 10,
            1_000_000,
            RETAINED_TOTAL_BYTES_MAX,
            SESSIONS_MAX);

    public MqttLimits {
        require(packetBytesMax >= 1024 && packetBytesMax <= 268_435_460, "mqtt.packet-bytes-max", packetBytesMax);
        require(receiveMaximum > 0 && receiveMaximum <= 65_535, "mqtt.receive-maximum", receiveMaximum);
        require(inFlightMax > 0 && inFlightMax <= PacketIds.OWN_MAX, "mqtt.in-flight-max", inFlightMax);
        require(topicAliasMaximum >= 0 && topicAliasMaximum <= 65_535, "mqtt.topic-alias-maximum", topicAliasMaximum);
        require(subscriptionsMax > 0, "mqtt.subscriptions-max", subscriptionsMax);
        require(sessionExpiryMax >= 0 && sessionExpiryMax <= 0xFFFF_FFFFL, "mqtt.session-expiry-max", sessionExpiryMax);
        require(retainedBytesMax >= 0 && retainedBytesMax <= 512 << 10, "mqtt.retained-bytes-max", retainedBytesMax);
        require(retainedMax >= 0, "mqtt.retained-max", retainedMax);
        require(retainedTotalBytesMax >= 0, "mqtt.retained-total-bytes-max", retainedTotalBytesMax);
        require(sessionsMax > 0, "mqtt.sessions-max", sessionsMax);
    }

    /** Sessions that half of a heap has room for. */
    public static int sessionsFor(long heapBytes) {
        return (int) Math.max(SESSIONS_MIN, Math.min(SESSIONS_MAX, heapBytes / 2 / SESSION_BYTES));
    }

    private static void require(boolean valid, String key, long found) {
        if (!valid) {
            throw new IllegalArgumentException(key + ": " + found + " is out of range");
        }
    }
}
