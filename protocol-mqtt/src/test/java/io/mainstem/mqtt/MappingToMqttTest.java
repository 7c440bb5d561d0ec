package io.mainstem.mqtt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.routing.message.AmqpValueWriter;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionScanner;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The cells of mapping 3.1 to 3.4: the canonical message, which is what AMQP 1.0 and JMS send, to MQTT 5. */
final class MappingToMqttTest {
    private static final PublishEgress EGRESS = new PublishEgress(ForeignMessages.DEFAULT);
    private static final String TEXT = "\u00fc\uD83D\uDE00";
    private static final UUID ID = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");
    private static final int DATA = 0x75;
    private static final int SEQUENCE = 0x76;
    private static final int VALUE = 0x77;

    private static Properties toMqtt(Message message) {
        return EGRESS.properties(message, EGRESS.payload(message), 1_000);
    }

    /** A message of AMQP 1.0: encoded sections, one behind the other. */
    private static Message fromAmqp(boolean durable, long expireAtMs, AmqpValueWriter sections) {
        SectionScanner.BareMessage bare = SectionScanner.split(List.of(sections.toByteArray()));
        return new Message(
                new Envelope(
                        "amq.topic",
                        List.of("t"),
                        durable,
                        -1,
                        1_000,
                        -1,
                        expireAtMs,
                        0,
                        "",
                        null,
                        Envelope.Origin.AMQP_1_0,
                        0,
                        false,
                        bare.offsets(),
                        List.of()),
                bare.sections());
    }

    private static Message data(boolean durable, long expireAtMs) {
        return fromAmqp(
                durable, expireAtMs, new AmqpValueWriter().descriptor(DATA).value(new byte[0]));
    }

    private static Message withProperty(int index, AmqpValueWriter value, int replyToKind) {
        AmqpValueWriter fields = new AmqpValueWriter();
        for (int i = 0; i < index; i++) {
            fields.nothing();
        }
        fields.raw(value.toByteArray());
        AmqpValueWriter annotations =
                new AmqpValueWriter().symbol("x-opt-jms-reply-to").value((byte) replyToKind);
        AmqpValueWriter sections = new AmqpValueWriter()
                .descriptor(0x72)
                .map(1, annotations)
                .descriptor(0x73)
                .list(index + 1, fields)
                .descriptor(DATA)
                .value(new byte[0]);
        return fromAmqp(false, 0, sections);
    }

    private static AmqpValueWriter raw(int code, byte... value) {
        byte[] encoded = new byte[value.length + 1];
        encoded[0] = (byte) code;
        System.arraycopy(value, 0, encoded, 1, value.length);
        return new AmqpValueWriter().raw(encoded);
    }

    private static AmqpValueWriter ulong(long value) {
        return raw(0x80, ByteBuffer.allocate(8).putLong(value).array());
    }

    static Stream<Arguments> ids() {
        return Stream.of(
                Arguments.of(new AmqpValueWriter().value(ID), "urn:uuid:" + ID),
                Arguments.of(ulong(-1), "18446744073709551615"),
                Arguments.of(ulong(7), "7"),
                Arguments.of(new AmqpValueWriter().value(TEXT), TEXT),
                Arguments.of(new AmqpValueWriter().value("b".getBytes(UTF_8)), "b"));
    }

    @ParameterizedTest
    @MethodSource("ids")
    @DisplayName("3.1 correlation-id of each type")
    void correlationIds(AmqpValueWriter id, String data) {
        assertThat(toMqtt(withProperty(5, id, 0)).bytes(Property.CORRELATION_DATA))
                .isEqualTo(data.getBytes(UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "a.b, 1, a/b",
        "q, 0, $queues/q",
        "q/x, 2, $queues/q%2Fx",
        "t, 3, t",
        "/queues/a%2Fb, 0, $queues/a%2Fb",
        "/exchanges/amq.topic/a.b, 0, a/b",
        "/topics/a.b/c, 0, a.b/c",
        "topic://a.b, 0, a/b",
        "queue://q, 1, $queues/q",
        "/exchanges/other/k, 0, ",
        "a.*, 1, ",
        "/queues/%zz, 0, ",
    })
    @DisplayName("3.1 [A-7] reply-to: the topic that reaches it, or nothing")
    void replyTo(String address, int kind, @Nullable String topic) {
        Message message = withProperty(4, new AmqpValueWriter().value(address), kind);

        assertThat(toMqtt(message).text(Property.RESPONSE_TOPIC)).isEqualTo(topic);
    }

    @Test
    @DisplayName("3.1 content-type as it is")
    void contentType() {
        Message message = withProperty(6, new AmqpValueWriter().symbol("application/json"), 0);

        assertThat(toMqtt(message).text(Property.CONTENT_TYPE)).isEqualTo("application/json");
    }

    @ParameterizedTest
    @CsvSource({"true, 2", "false, 0"})
    @DisplayName("3.2 [S-8] durable counts as QoS 2, else as QoS 0")
    void qos(boolean durable, int qos) {
        assertThat(PublishEgress.publishedQos(data(durable, 0).envelope())).isEqualTo(qos);
    }

    @ParameterizedTest
    @CsvSource({"1001, 1", "2000, 1", "2001, 2", "4294967296000, 4294967295", "4294967297001, -1", "0, -1"})
    @DisplayName("3.2 [M-4] [M-5] what is left of the time to live, in seconds rounded up, for any origin")
    void remaining(long expireAtMs, long seconds) {
        assertThat(toMqtt(data(true, expireAtMs)).number(Property.MESSAGE_EXPIRY, -1))
                .isEqualTo(seconds);
    }

    static Stream<Arguments> types() {
        return Stream.of(
                Arguments.of("boolean", new AmqpValueWriter().value(true), "true"),
                Arguments.of("byte", raw(0x51, (byte) -1), "-1"),
                Arguments.of("short", raw(0x61, (byte) 0x80, (byte) 0), "-32768"),
                Arguments.of("int", raw(0x71, (byte) 0x80, (byte) 0, (byte) 0, (byte) 0), "-2147483648"),
                Arguments.of("long", new AmqpValueWriter().value(Long.MIN_VALUE), "-9223372036854775808"),
                Arguments.of("ubyte", raw(0x50, (byte) -1), "255"),
                Arguments.of("ushort", raw(0x60, (byte) -1, (byte) -1), "65535"),
                Arguments.of("uint", raw(0x70, (byte) -1, (byte) -1, (byte) -1, (byte) -1), "4294967295"),
                Arguments.of("ulong", ulong(-1), "18446744073709551615"),
                Arguments.of(
                        "float", raw(0x72, ByteBuffer.allocate(4).putFloat(1.5f).array()), "1.5"),
                Arguments.of(
                        "0.1f", raw(0x72, ByteBuffer.allocate(4).putFloat(0.1f).array()), "0.1"),
                Arguments.of(
                        "NaN",
                        raw(0x72, ByteBuffer.allocate(4).putFloat(Float.NaN).array()),
                        "NaN"),
                Arguments.of("decimal32", raw(0x74, (byte) 0xB2, (byte) 0, (byte) 0, (byte) 125), "-12.5"),
                Arguments.of(
                        "decimal64",
                        raw(
                                0x84,
                                ByteBuffer.allocate(8)
                                        .putLong(0x31C0_0000_0000_0001L)
                                        .array()),
                        "1"),
                Arguments.of(
                        "decimal128",
                        raw(
                                0x94,
                                ByteBuffer.allocate(16)
                                        .putLong(0x7800_0000_0000_0000L)
                                        .array()),
                        "Infinity"),
                Arguments.of(
                        "double",
                        raw(0x82, ByteBuffer.allocate(8).putDouble(0.1).array()),
                        "0.1"),
                Arguments.of("string", new AmqpValueWriter().value(TEXT), TEXT),
                Arguments.of("symbol", new AmqpValueWriter().symbol("sym"), "sym"),
                Arguments.of("char", raw(0x73, (byte) 0, (byte) 1, (byte) 0xF6, (byte) 0), "\uD83D\uDE00"),
                Arguments.of("uuid", new AmqpValueWriter().value(ID), ID.toString()),
                Arguments.of("timestamp", new AmqpValueWriter().value(Instant.ofEpochMilli(1_234)), "1234"),
                Arguments.of("binary", new AmqpValueWriter().value(new byte[] {1}), null),
                Arguments.of("NUL", new AmqpValueWriter().value("a\0b"), null),
                Arguments.of("null", new AmqpValueWriter().nothing(), ""),
                Arguments.of("list", new AmqpValueWriter().value(List.of(1L)), null),
                Arguments.of("map", new AmqpValueWriter().value(Map.of("k", 1L)), null));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("types")
    @DisplayName("3.3 application properties of each type; what MQTT cannot say is omitted")
    void applicationProperties(String type, AmqpValueWriter value, @Nullable String text) {
        AmqpValueWriter entries = new AmqpValueWriter().value(type).raw(value.toByteArray());
        AmqpValueWriter sections = new AmqpValueWriter()
                .descriptor(0x74)
                .map(1, entries)
                .descriptor(DATA)
                .value(new byte[0]);

        assertThat(toMqtt(fromAmqp(false, 0, sections)).user())
                .isEqualTo(text == null ? List.of() : List.of(new Properties.UserProperty(type, text)));
    }

    static Stream<Arguments> bodies() {
        String encoded = "message/vnd.amqp-1.0";
        return Stream.of(
                Arguments.of(DATA, new AmqpValueWriter().value(new byte[] {0, 1}), "0001", null, 0),
                Arguments.of(VALUE, new AmqpValueWriter().value("\u00fc"), "c3bc", "text/plain;charset=utf-8", 1),
                Arguments.of(VALUE, new AmqpValueWriter().value(new byte[] {2}), "02", null, 0),
                Arguments.of(VALUE, new AmqpValueWriter().nothing(), "", null, 0),
                Arguments.of(VALUE, new AmqpValueWriter().value(Map.of("k", 1L)), null, encoded, 0),
                Arguments.of(VALUE, new AmqpValueWriter().value(List.of(1L)), null, encoded, 0),
                Arguments.of(VALUE, new AmqpValueWriter().value(7L), null, encoded, 0),
                Arguments.of(SEQUENCE, new AmqpValueWriter().value(List.of(1L)), null, encoded, 0));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    @DisplayName("3.4 bodies of each kind")
    void bodies(int section, AmqpValueWriter value, @Nullable String hex, @Nullable String contentType, int format) {
        AmqpValueWriter body = new AmqpValueWriter().descriptor(section).raw(value.toByteArray());
        Message message = fromAmqp(false, 0, body);

        assertThat(EGRESS.payload(message).bytes())
                .isEqualTo(hex == null ? body.toByteArray() : HexFormat.of().parseHex(hex));
        assertThat(toMqtt(message).text(Property.CONTENT_TYPE)).isEqualTo(contentType);
        assertThat(toMqtt(message).number(Property.PAYLOAD_FORMAT, 0)).isEqualTo(format);
    }

    @Test
    @DisplayName("3.4 [M-13] no body at all is an empty payload")
    void noBody() {
        AmqpValueWriter sections = new AmqpValueWriter().descriptor(0x73).list(1, new AmqpValueWriter().value("id"));

        assertThat(EGRESS.payload(fromAmqp(false, 0, sections)).bytes()).isEmpty();
    }

    static Stream<Arguments> jsonBodies() {
        byte[] float01 =
                raw(0x72, ByteBuffer.allocate(4).putFloat(0.1f).array()).toByteArray();
        return Stream.of(
                Arguments.of(VALUE, new AmqpValueWriter().value(Map.of("k", List.of(1L, true))), "{\"k\":[1,true]}"),
                Arguments.of(VALUE, new AmqpValueWriter().value(Map.of("b", new byte[] {-1, 0})), "{\"b\":\"/wA=\"}"),
                Arguments.of(
                        VALUE,
                        new AmqpValueWriter().value(List.of("\"\\\n", ID)),
                        "[\"\\\"\\\\\\u000a\",\"" + ID + "\"]"),
                Arguments.of(VALUE, new AmqpValueWriter().value(7L), "7"),
                Arguments.of(VALUE, new AmqpValueWriter().raw(float01), "0.1"),
                Arguments.of(VALUE, new AmqpValueWriter().value(Double.NaN), "\"NaN\""),
                Arguments.of(VALUE, new AmqpValueWriter().value(Instant.ofEpochMilli(5)), "\"5\""),
                Arguments.of(SEQUENCE, new AmqpValueWriter().value(List.of(1L, "a")), "[1,\"a\"]"));
    }

    @ParameterizedTest
    @MethodSource("jsonBodies")
    @DisplayName("[M-11] structured-bodies=json: maps, lists and the like come as JSON, binary in base64")
    void bodiesAsJson(int section, AmqpValueWriter value, String json) {
        Message message =
                fromAmqp(false, 0, new AmqpValueWriter().descriptor(section).raw(value.toByteArray()));
        PublishEgress egress = new PublishEgress(new ForeignMessages(List.of(), true));
        PublishEgress.Payload payload = egress.payload(message);
        Properties properties = egress.properties(message, payload, 1_000);

        assertThat(payload.bytes()).asString(UTF_8).isEqualTo(json);
        assertThat(properties.text(Property.CONTENT_TYPE)).isEqualTo("application/json");
        assertThat(properties.number(Property.PAYLOAD_FORMAT, 0)).isEqualTo(1);
    }

    @Test
    @DisplayName("[M-11] several sequences are one list; text and binary stay what they are")
    void jsonOfSequences() {
        PublishEgress egress = new PublishEgress(new ForeignMessages(List.of(), true));
        AmqpValueWriter two = new AmqpValueWriter()
                .descriptor(SEQUENCE)
                .value(List.of(1L))
                .descriptor(SEQUENCE)
                .value(List.of(2L));
        AmqpValueWriter text = new AmqpValueWriter().descriptor(VALUE).value("t");

        assertThat(egress.payload(fromAmqp(false, 0, two)).bytes())
                .asString(UTF_8)
                .isEqualTo("[1,2]");
        assertThat(egress.payload(fromAmqp(false, 0, text)).bytes())
                .asString(UTF_8)
                .isEqualTo("t");
    }

    @Test
    @DisplayName("[M-9] annotations become user properties only if expose-annotations names them")
    void exposedAnnotations() {
        AmqpValueWriter annotations = new AmqpValueWriter()
                .symbol("x-opt-a")
                .value(1L)
                .symbol("x-opt-b")
                .value(2L)
                .symbol("x-opt-c")
                .value(new byte[1]);
        Message message = fromAmqp(
                false,
                0,
                new AmqpValueWriter()
                        .descriptor(0x72)
                        .map(3, annotations)
                        .descriptor(DATA)
                        .value(new byte[0]));
        PublishEgress exposing = new PublishEgress(new ForeignMessages(List.of("x-opt-c", "x-opt-b", "none"), false));

        assertThat(toMqtt(message).user()).isEmpty();
        assertThat(exposing.properties(message, exposing.payload(message), 1_000)
                        .user())
                .containsExactly(new Properties.UserProperty("x-opt-b", "2"));
    }
}
