package io.mainstem.mqtt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageBody;
import io.mainstem.routing.message.MessageProperties;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The cells of mapping 3.1 to 3.5: MQTT 5 to the canonical message, and what comes back to MQTT. */
final class MappingFromMqttTest {
    private static final PublishEgress EGRESS = new PublishEgress(ForeignMessages.DEFAULT);
    private static final String TEXT = "\u00fc\uD83D\uDE00";
    private static final UUID ID = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");

    private static Message fromMqtt(String topic, int qos, Properties properties, byte[] payload) {
        return PublishIngress.message(
                new PublishIngress.Publisher(Version.V5, "client", "user", TopicMapping.EXACT),
                PublishIngress.Place.of(topic, Topics.queue(topic)),
                qos,
                false,
                properties,
                payload,
                1_000);
    }

    private static Properties toMqtt(Message message) {
        return EGRESS.properties(message, EGRESS.payload(message), 1_000);
    }

    private static MessageProperties properties(Message message) {
        return MessageProperties.read(message.sections(), message.envelope().offsets());
    }

    private static Map<String, @Nullable Object> annotations(Message message) {
        return AmqpValueReader.messageAnnotations(
                message.sections(), message.envelope().offsets());
    }

    static Stream<Arguments> correlations() {
        return Stream.of(
                Arguments.of(("urn:uuid:" + ID).getBytes(UTF_8), ID),
                Arguments.of(
                        "urn:uuid:01234567-89AB-cdef-0123-456789abcdef".getBytes(UTF_8),
                        "urn:uuid:01234567-89AB-cdef-0123-456789abcdef"),
                Arguments.of(TEXT.getBytes(UTF_8), TEXT),
                Arguments.of(new byte[] {'a', 1}, new byte[] {'a', 1}),
                Arguments.of(new byte[] {(byte) 0xFF}, new byte[] {(byte) 0xFF}));
    }

    @ParameterizedTest
    @MethodSource("correlations")
    @DisplayName("3.1 [M-1] correlation data: a uuid, text or binary, and the same bytes when it comes back")
    void correlation(byte[] data, Object expected) {
        Message message = fromMqtt("t", 1, new Properties().put(Property.CORRELATION_DATA, data), new byte[0]);

        assertThat(properties(message).correlationId()).isEqualTo(expected);
        assertThat(toMqtt(message).bytes(Property.CORRELATION_DATA)).isEqualTo(data);
    }

    @ParameterizedTest
    @CsvSource({
        "a/b, a.b, 1",
        "a.b/c, a/b.c, 1",
        "/queues/x, .queues.x, 1",
        ".queues.x, /exchanges/amq.topic/%2Fqueues%2Fx, 1",
        "$queues/q, q, 0",
        "$queues/a%2Fb, a/b, 0",
    })
    @DisplayName("3.1 [A-13] response topic: reply-to with its kind, and the same topic when it comes back")
    void responseTopic(String topic, String replyTo, long kind) {
        Message message = fromMqtt("t", 0, new Properties().put(Property.RESPONSE_TOPIC, topic), new byte[0]);

        assertThat(properties(message).replyTo()).isEqualTo(replyTo);
        assertThat(annotations(message)).containsEntry("x-opt-jms-reply-to", kind);
        assertThat(toMqtt(message).text(Property.RESPONSE_TOPIC)).isEqualTo(topic);
    }

    @ParameterizedTest
    @CsvSource({"a/b, a.b, 1", "$queues/q, q, 0", ".queues.x, /exchanges/amq.topic/%2Fqueues%2Fx, 1"})
    @DisplayName("3.1 [A-16] to: the destination that JMS sees")
    void to(String topic, String to, long kind) {
        Message message = fromMqtt(topic, 0, Properties.NONE, new byte[0]);

        assertThat(properties(message).to()).isEqualTo(to);
        assertThat(annotations(message)).containsEntry("x-opt-jms-dest", kind);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "text/plain; name=\u00fc", ""})
    @DisplayName("3.1 content type: a symbol if it is ASCII, else kept aside; the same when it comes back")
    void contentType(String type) {
        Message message = fromMqtt("t", 0, new Properties().put(Property.CONTENT_TYPE, type), new byte[0]);

        assertThat(properties(message).contentType()).isEqualTo(type.contains("\u00fc") ? null : type);
        assertThat(toMqtt(message).text(Property.CONTENT_TYPE)).isEqualTo(type);
    }

    @Test
    @DisplayName("3.1 what MQTT has not is absent: message id, user id, subject, encoding, groups")
    void absent() {
        MessageProperties properties = properties(fromMqtt("t", 2, Properties.NONE, new byte[0]));

        assertThat(properties.messageId()).isNull();
        assertThat(properties.userId()).isNull();
        assertThat(properties.subject()).isNull();
        assertThat(properties.contentEncoding()).isNull();
        assertThat(properties.groupId()).isNull();
        assertThat(properties.replyToGroupId()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"0, false", "1, true", "2, true"})
    @DisplayName("3.2 durable from QoS 1 on; no priority; the client is the publisher")
    void delivery(int qos, boolean durable) {
        Envelope envelope = fromMqtt("t", qos, Properties.NONE, new byte[0]).envelope();

        assertThat(envelope.durable()).isEqualTo(durable);
        assertThat(envelope.publisherQos()).isEqualTo(qos);
        assertThat(envelope.priority()).isEqualTo(-1);
        assertThat(envelope.publisherId()).isEqualTo("client");
        assertThat(envelope.user()).isEqualTo("user");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 2_147_484, 4_294_967_295L})
    @DisplayName("3.2 [M-5] message expiry: unsigned seconds, 64 bits of milliseconds")
    void expiry(long seconds) {
        Properties properties = new Properties().put(Property.MESSAGE_EXPIRY, seconds);
        Envelope envelope = fromMqtt("t", 1, properties, new byte[0]).envelope();

        assertThat(envelope.ttlMs()).isEqualTo(seconds * 1000);
        assertThat(envelope.expireAtMs()).isEqualTo(1_000 + seconds * 1000);
    }

    @Test
    @DisplayName("3.3 [M-7] user properties: of several with one name the first; order and repeats come back")
    void userProperties() {
        Properties sent = new Properties()
                .addUser("b", "1")
                .addUser("x-a", "2")
                .addUser("b", TEXT)
                .addUser("", "");
        Message message = fromMqtt("t", 0, sent, new byte[0]);

        assertThat(AmqpValueReader.applicationProperties(
                        message.sections(), message.envelope().offsets()))
                .containsExactly(Map.entry("b", "1"), Map.entry("x-a", "2"), Map.entry("", ""));
        assertThat(toMqtt(message).user()).isEqualTo(sent.user());
    }

    @Test
    @DisplayName("3.4 [M-12] payload: one data section; payload format 1 makes a TextMessage of it and comes back")
    void payload() {
        byte[] payload = TEXT.getBytes(UTF_8);
        Message message = fromMqtt("t", 0, new Properties().put(Property.PAYLOAD_FORMAT, 1), payload);

        assertThat(MessageBody.read(message).kind()).isEqualTo(0x75);
        assertThat(MessageBody.read(message).data()).isEqualTo(payload);
        assertThat(annotations(message)).containsEntry("x-opt-jms-msg-type", 5L);
        assertThat(toMqtt(message).number(Property.PAYLOAD_FORMAT, 0)).isEqualTo(1);
        assertThat(toMqtt(fromMqtt("t", 0, Properties.NONE, payload)).has(Property.PAYLOAD_FORMAT))
                .isFalse();
    }

    @Test
    @DisplayName("3.5 what one MQTT 5 client sends another gets, field by field")
    void roundTrip() {
        Random random = new Random(7);
        for (int round = 0; round < 300; round++) {
            Properties sent = new Properties();
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                sent.put(Property.CORRELATION_DATA, random.nextBoolean() ? bytes : ("id" + round).getBytes(UTF_8));
            }
            if (random.nextBoolean()) {
                sent.put(Property.CONTENT_TYPE, random.nextBoolean() ? TEXT : "a/b");
            }
            if (random.nextBoolean()) {
                sent.put(Property.RESPONSE_TOPIC, random.nextBoolean() ? "r." + TEXT + "/*" : "$queues/q" + round);
            }
            for (int i = random.nextInt(5); i > 0; i--) {
                sent.addUser("n" + random.nextInt(3), random.nextBoolean() ? TEXT : "");
            }
            Message message = fromMqtt("a.b/" + round, round % 3, sent, bytes);
            Properties got = toMqtt(message);

            for (Property each : List.of(Property.CONTENT_TYPE, Property.RESPONSE_TOPIC)) {
                assertThat(got.text(each)).isEqualTo(sent.text(each));
            }
            assertThat(got.bytes(Property.CORRELATION_DATA)).isEqualTo(sent.bytes(Property.CORRELATION_DATA));
            assertThat(got.user()).isEqualTo(sent.user());
            assertThat(EGRESS.payload(message).bytes()).isEqualTo(bytes);
        }
    }

    @Test
    @DisplayName("3.6 MQTT 3 sends and gets payload and topic, and no properties")
    void mqtt3() {
        Message message = PublishIngress.message(
                new PublishIngress.Publisher(Version.V3_1_1, "client", null, TopicMapping.EXACT),
                PublishIngress.Place.of("t", null),
                1,
                false,
                Properties.NONE,
                new byte[] {1},
                1_000);

        assertThat(toMqtt(message).isEmpty()).isTrue();
        assertThat(properties(message).correlationId()).isNull();
        assertThat(MessageBody.read(message).data()).containsExactly(1);
    }
}
