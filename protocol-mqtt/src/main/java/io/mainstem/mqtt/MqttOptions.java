package io.mainstem.mqtt;

/**
 * How the listener treats its clients, beyond what they may ask for ({@link MqttLimits}).
 *
 * @param keepAliveMaxSeconds longest keep alive; 5.0 clients that want a longer one, or none, are told this one; 0 = as the
 *     client wants
 * @param responseTopicPrefix what 5.0 clients that ask get as response information, {@code %c} is their client id and
 *     {@code %u} their user; empty = none
 * @param connectionRateMax clients a second that may connect; 0 = any number
 * @param publishRateMax publishes a second of one client, which is read no faster; 0 = as fast as it likes
 * @param sysIntervalSeconds how often {@code $SYS} topics tell what has changed; 0 = there are none
 * @param answerAfterWrite PUBACK and PUBREC are sent when a message is written, not when it is synced: what was acknowledged
 *     survives the end of the process, not that of the machine
 * @param topicMapping how clients spell topics
 * @param sessionQueue what waits for a client
 * @param foreign how clients see messages of other protocols
 */
public record MqttOptions(
        int keepAliveMaxSeconds,
        String responseTopicPrefix,
        int connectionRateMax,
        int publishRateMax,
        int sysIntervalSeconds,
        boolean answerAfterWrite,
        TopicMapping topicMapping,
        SessionQueuePolicy sessionQueue,
        ForeignMessages foreign) {
    /** What the configuration says if it says nothing. */
    public static final MqttOptions DEFAULT = new MqttOptions(
            0, "", 0, 0, 10, false, TopicMapping.EXACT, SessionQueuePolicy.DEFAULT, ForeignMessages.DEFAULT);

    public MqttOptions {
        require(
                keepAliveMaxSeconds >= 0 && keepAliveMaxSeconds <= 65_535,
                "mqtt.keep-alive-max",
                String.valueOf(keepAliveMaxSeconds),
                "0 to 65535 seconds");
        require(
                responseTopicPrefix.isEmpty() || Topics.isName(responseTopicPrefix),
                "mqtt.response-topic-prefix",
                responseTopicPrefix,
                "a topic name, without wildcards");
        require(connectionRateMax >= 0, "mqtt.connection-rate-max", String.valueOf(connectionRateMax), ">= 0");
        require(publishRateMax >= 0, "mqtt.publish-rate-max", String.valueOf(publishRateMax), ">= 0");
        require(sysIntervalSeconds >= 0, "mqtt.sys-interval", String.valueOf(sysIntervalSeconds), ">= 0 seconds");
    }

    private static void require(boolean valid, String key, String found, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(key + ": " + found + " (expected: " + expected + ")");
        }
    }
}
