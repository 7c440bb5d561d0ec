package io.mainstem.launcher.config;

import io.mainstem.mqtt.ForeignMessages;
import io.mainstem.mqtt.MqttLimits;
import io.mainstem.mqtt.MqttOptions;
import io.mainstem.mqtt.SessionQueuePolicy;
import io.mainstem.mqtt.TopicMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Keys that say what MQTT clients may ask for and how they are treated, and the records made of them. */
final class MqttKeys {
    private static final long KIB = 1L << 10;
    private static final long SECOND_MS = 1_000;

    private static final List<ConfigKey<?>> ALL = new ArrayList<>();

    // ---- MqttLimits -------------------------------------------------------------------------------------------

    static final ConfigKey<Long> PACKET_BYTES_MAX = key(
            "mqtt.packet-bytes-max",
            new ValueType.Size(KIB, 268_435_460),
            "4MiB",
            "Largest MQTT packet accepted; clients of MQTT 5 are told.");

    static final ConfigKey<Long> RECEIVE_MAXIMUM = key(
            "mqtt.receive-maximum",
            new ValueType.Count(1, 65_535),
            "1000",
            "Publishes of QoS 1 and 2 an MQTT 5 client may have under way; it is told.");

    static final ConfigKey<Long> IN_FLIGHT_MAX = key(
            "mqtt.in-flight-max",
            new ValueType.Count(1, 49_151),
            "1000",
            "Deliveries of QoS 1 and 2 under way to one MQTT client; the client may want fewer.");

    static final ConfigKey<Long> TOPIC_ALIAS_MAXIMUM = key(
            "mqtt.topic-alias-maximum",
            new ValueType.Count(0, 65_535),
            "32",
            "Topic aliases an MQTT 5 client may use; it is told.");

    static final ConfigKey<Long> SUBSCRIPTIONS_MAX = key(
            "mqtt.subscriptions-max",
            new ValueType.Count(1, 1_000_000),
            "10000",
            "Topic filters one MQTT session may have.");

    static final ConfigKey<Long> SESSION_EXPIRY_MAX = key(
            "mqtt.session-expiry-max",
            new ValueType.Duration(0, 0xFFFF_FFFFL * SECOND_MS),
            "4294967295s",
            "Longest time an MQTT session stays without its client; 4294967295s is for ever. Sessions of MQTT 3 that"
                    + " are not clean stay so long.");

    static final ConfigKey<Long> RETAINED_BYTES_MAX = key(
            "mqtt.retained-bytes-max",
            new ValueType.Size(0, 512 * KIB),
            "256KiB",
            "Largest payload that is retained for later subscribers.");

    static final ConfigKey<Long> RETAINED_MAX = key(
            "mqtt.retained-max",
            new ValueType.Count(0, Integer.MAX_VALUE),
            "1000000",
            "Messages that are retained, of all protocols together; one more is refused.");

    static final ConfigKey<Long> RETAINED_TOTAL_BYTES_MAX = key(
            "mqtt.retained-total-bytes-max",
            new ValueType.Size(0, 1L << 40),
            "64MiB",
            "Memory that retained messages of all protocols may take; what would be more is refused.");

    static final ConfigKey<OptionalLong> SESSIONS_MAX = key(
            "mqtt.sessions-max",
            new ValueType.CountOr("auto", 1, Integer.MAX_VALUE),
            "auto",
            "MQTT clients that are connected or have left a session; a further one is refused with 0x97, in MQTT 3"
                    + " with 3. One that has a session always gets in. auto: what half of the heap has room for, at most a"
                    + " million.");

    // ---- MqttOptions ------------------------------------------------------------------------------------------

    static final ConfigKey<Long> KEEP_ALIVE_MAX = key(
            "mqtt.keep-alive-max",
            new ValueType.Duration(0, 65_535 * SECOND_MS),
            "0s",
            "Longest keep alive, in whole seconds. A client of MQTT 5 that wants a longer one, or none, is told this"
                    + " one. 0s: as the client wants.");

    static final ConfigKey<List<String>> RESPONSE_TOPIC_PREFIX = key(
            "mqtt.response-topic-prefix",
            new ValueType.Words(),
            "none",
            "Topic below which clients of MQTT 5 that ask may take responses, such as responses/%c; %c is the client"
                    + " identifier, %u the user. Told only to those who may read there.");

    static final ConfigKey<Long> CONNECTION_RATE_MAX = key(
            "mqtt.connection-rate-max",
            new ValueType.Count(0, 1_000_000),
            "0",
            "MQTT clients that may connect in a second; one more is refused with 0x9F, in MQTT 3 with 3. 0: any"
                    + " number.");

    static final ConfigKey<Long> PUBLISH_RATE_MAX = key(
            "mqtt.publish-rate-max",
            new ValueType.Count(0, 10_000_000),
            "0",
            "Publishes a second that one MQTT client is read with; what it sends faster waits in the network. 0: as"
                    + " fast as it likes.");

    static final ConfigKey<Long> SYS_INTERVAL = key(
            "mqtt.sys-interval",
            new ValueType.Duration(0, 86_400 * SECOND_MS),
            "10s",
            "How often $SYS topics tell what has changed, in whole seconds. 0s: there are none.");

    static final ConfigKey<String> ANSWER_AFTER = key(
            "mqtt.answer-after",
            new ValueType.Choice(List.of("sync", "write")),
            "sync",
            "When PUBACK and PUBREC are sent. sync: the message survives the loss of power. write: only that of the"
                    + " broker's process.");

    static final ConfigKey<String> TOPIC_MAPPING = key(
            "mqtt.topic-mapping",
            new ValueType.Choice(List.of("exact", "rabbitmq")),
            "exact",
            "How MQTT topics become those of other protocols. exact: / and . change places, nothing is lost. rabbitmq:"
                    + " dots become levels and come back as /, as RabbitMQ has it.");

    static final ConfigKey<String> STORE_QOS0 = key(
            "mqtt.store-qos0",
            new ValueType.Choice(List.of("off", "on")),
            "off",
            "Whether messages of QoS 0 wait, in memory, for a session whose client is away. For sessions made from"
                    + " then on.");

    static final ConfigKey<Long> SESSION_QUEUE_MESSAGES_MAX = key(
            "mqtt.session-queue-messages-max",
            new ValueType.Count(0, Integer.MAX_VALUE),
            "0",
            "Messages that wait for one MQTT session at most. 0: any number. For sessions made from then on.");

    static final ConfigKey<Long> SESSION_QUEUE_BYTES_MAX = key(
            "mqtt.session-queue-bytes-max",
            new ValueType.Size(0, 1L << 50),
            "0",
            "Bytes of messages that wait for one MQTT session at most. 0: any number. For sessions made from then on.");

    static final ConfigKey<String> SESSION_QUEUE_OVERFLOW = key(
            "mqtt.session-queue-overflow",
            new ValueType.Choice(List.of("drop-head", "reject-publish")),
            "drop-head",
            "What becomes of more than may wait for a session. drop-head: the oldest goes. reject-publish: publishers"
                    + " are refused, with 0x97.");

    static final ConfigKey<List<String>> EXPOSE_ANNOTATIONS = key(
            "mqtt.expose-annotations",
            new ValueType.Words(),
            "none",
            "Message annotations of AMQP that MQTT 5 clients get as user properties, such as x-opt-region.");

    static final ConfigKey<String> STRUCTURED_BODIES = key(
            "mqtt.structured-bodies",
            new ValueType.Choice(List.of("amqp", "json")),
            "amqp",
            "How maps and lists of AMQP and JMS come to MQTT clients. amqp: as they are encoded, with nothing lost."
                    + " json: as JSON, binary in base64.");

    private MqttKeys() {}

    /** In the order of the file. */
    static List<ConfigKey<?>> all() {
        return List.copyOf(ALL);
    }

    static MqttLimits limits(Settings settings) {
        return new MqttLimits(
                count(settings, PACKET_BYTES_MAX),
                count(settings, RECEIVE_MAXIMUM),
                count(settings, IN_FLIGHT_MAX),
                count(settings, TOPIC_ALIAS_MAXIMUM),
                count(settings, SUBSCRIPTIONS_MAX),
                settings.get(SESSION_EXPIRY_MAX) / SECOND_MS,
                count(settings, RETAINED_BYTES_MAX),
                count(settings, RETAINED_MAX),
                settings.get(RETAINED_TOTAL_BYTES_MAX),
                Math.toIntExact(settings.get(SESSIONS_MAX)
                        .orElse(MqttLimits.sessionsFor(Runtime.getRuntime().maxMemory()))));
    }

    static MqttOptions options(Settings settings) {
        return new MqttOptions(
                Math.toIntExact(settings.get(KEEP_ALIVE_MAX) / SECOND_MS),
                String.join(" ", settings.get(RESPONSE_TOPIC_PREFIX)),
                count(settings, CONNECTION_RATE_MAX),
                count(settings, PUBLISH_RATE_MAX),
                Math.toIntExact(settings.get(SYS_INTERVAL) / SECOND_MS),
                settings.get(ANSWER_AFTER).equals("write"),
                settings.get(TOPIC_MAPPING).equals("rabbitmq") ? TopicMapping.RABBITMQ : TopicMapping.EXACT,
                new SessionQueuePolicy(
                        settings.get(STORE_QOS0).equals("on"),
                        settings.get(SESSION_QUEUE_MESSAGES_MAX),
                        settings.get(SESSION_QUEUE_BYTES_MAX),
                        settings.get(SESSION_QUEUE_OVERFLOW).equals("reject-publish")),
                new ForeignMessages(
                        settings.get(EXPOSE_ANNOTATIONS),
                        settings.get(STRUCTURED_BODIES).equals("json")));
    }

    private static int count(Settings settings, ConfigKey<Long> key) {
        return Math.toIntExact(settings.get(key));
    }

    private static <T> ConfigKey<T> key(String name, ValueType<T> type, String defaultText, String meaning) {
        ConfigKey<T> key = new ConfigKey<>(name, type, defaultText, meaning);
        ALL.add(key);
        return key;
    }
}
