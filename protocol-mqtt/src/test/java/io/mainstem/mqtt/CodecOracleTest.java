package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketReader;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.PacketWriter;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.mqtt.wire.Version;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.mqtt.MqttConnAckVariableHeader;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageIdVariableHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.netty.handler.codec.mqtt.MqttPublishMessage;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttReasonCodeAndPropertiesVariableHeader;
import io.netty.handler.codec.mqtt.MqttSubAckPayload;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttUnsubAckPayload;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Our codec beside netty-codec-mqtt: what one writes the other reads, every packet type; and why it is not used (ADR 0022). */
final class CodecOracleTest {
    private static final long SEED = 20_261_130;
    private static final int ROUNDS = 200;
    private static final String TEXT = "t/\u00fc/\uD83D\uDE00/";

    private final Random random = new Random(SEED);
    private final PacketReader reader = new PacketReader(1 << 20);
    private final EmbeddedChannel theirs = new EmbeddedChannel(new MqttDecoder(1 << 20), MqttEncoder.INSTANCE);

    @AfterEach
    void close() {
        theirs.finishAndReleaseAll();
    }

    // ---- they write, we read ----------------------------------------------------------------------------------

    private Packet read(MqttMessage message, Version version) {
        theirs.writeOutbound(message);
        ByteBuf bytes = theirs.readOutbound();
        try {
            Packet packet =
                    reader.next(bytes, message.fixedHeader().messageType() == MqttMessageType.CONNECT ? null : version);
            assertThat(packet).isNotNull();
            assertThat(bytes.readableBytes()).isZero();
            return packet;
        } finally {
            bytes.release();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Version.class, mode = Mode.EXCLUDE, names = "V3_1")
    void connect(Version version) {
        for (int round = 0; round < ROUNDS; round++) {
            boolean will = random.nextBoolean();
            byte[] payload = bytes();
            int qos = random.nextInt(3);
            String id = TEXT + round;
            var builder = MqttMessageBuilders.connect()
                    .protocolVersion(version == Version.V5 ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1)
                    .clientId(id)
                    .keepAlive(round)
                    .cleanSession(round % 2 == 0)
                    .username("user" + round)
                    .password(payload)
                    .willFlag(will);
            if (will) {
                builder.willTopic(TEXT)
                        .willMessage(payload)
                        .willQoS(MqttQoS.valueOf(qos))
                        .willRetain(round % 3 == 0);
            }
            if (version == Version.V5) {
                MqttProperties properties = new MqttProperties();
                properties.add(new MqttProperties.IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, -1));
                properties.add(new MqttProperties.IntegerProperty(MqttProperties.RECEIVE_MAXIMUM, 65_535));
                properties.add(new MqttProperties.StringProperty(MqttProperties.AUTHENTICATION_METHOD, "M"));
                properties.add(new MqttProperties.BinaryProperty(MqttProperties.AUTHENTICATION_DATA, payload));
                builder.properties(properties);
                MqttProperties ofWill = new MqttProperties();
                ofWill.add(new MqttProperties.IntegerProperty(MqttProperties.WILL_DELAY_INTERVAL, round));
                ofWill.add(new MqttProperties.UserProperty("n", TEXT));
                builder.willProperties(ofWill);
            }
            Packet.Connect connect = (Packet.Connect) read(builder.build(), version);
            assertThat(connect.version()).isEqualTo(version);
            assertThat(connect.clientId()).isEqualTo(id);
            assertThat(connect.keepAlive()).isEqualTo(round);
            assertThat(connect.cleanStart()).isEqualTo(round % 2 == 0);
            assertThat(connect.user()).isEqualTo("user" + round);
            assertThat(connect.password()).isEqualTo(payload);
            Packet.Will read = connect.will();
            assertThat(read != null).isEqualTo(will);
            if (read != null) {
                assertThat(read.topic()).isEqualTo(TEXT);
                assertThat(read.payload()).isEqualTo(payload);
                assertThat(read.qos()).isEqualTo(qos);
                assertThat(read.retain()).isEqualTo(round % 3 == 0);
            }
            if (version == Version.V5) {
                checkProperties(connect, payload, round);
            }
        }
    }

    private static void checkProperties(Packet.Connect connect, byte[] payload, int round) {
        assertThat(connect.properties().number(Property.SESSION_EXPIRY, 0)).isEqualTo(0xFFFF_FFFFL);
        assertThat(connect.properties().number(Property.RECEIVE_MAXIMUM, 0)).isEqualTo(65_535);
        assertThat(connect.properties().text(Property.AUTHENTICATION_METHOD)).isEqualTo("M");
        assertThat(connect.properties().bytes(Property.AUTHENTICATION_DATA)).isEqualTo(payload);
        Packet.Will will = connect.will();
        if (will != null) {
            assertThat(will.properties().number(Property.WILL_DELAY, -1)).isEqualTo(round);
            assertThat(will.properties().user()).containsExactly(new Properties.UserProperty("n", TEXT));
        }
    }

    private void open(Version version) {
        read(
                MqttMessageBuilders.connect()
                        .protocolVersion(version == Version.V5 ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1)
                        .clientId("c")
                        .build(),
                version);
    }

    @ParameterizedTest
    @EnumSource(value = Version.class, mode = Mode.EXCLUDE, names = "V3_1")
    void publishFromTheClient(Version version) {
        open(version);
        for (int round = 1; round <= ROUNDS; round++) {
            int qos = random.nextInt(3);
            byte[] payload = bytes();
            MqttProperties properties = new MqttProperties();
            properties.add(new MqttProperties.IntegerProperty(MqttProperties.PAYLOAD_FORMAT_INDICATOR, 1));
            properties.add(new MqttProperties.IntegerProperty(MqttProperties.PUBLICATION_EXPIRY_INTERVAL, round));
            properties.add(new MqttProperties.StringProperty(MqttProperties.CONTENT_TYPE, TEXT));
            properties.add(new MqttProperties.StringProperty(MqttProperties.RESPONSE_TOPIC, TEXT + "r"));
            properties.add(new MqttProperties.BinaryProperty(MqttProperties.CORRELATION_DATA, payload));
            properties.add(new MqttProperties.UserProperty("b", "1"));
            properties.add(new MqttProperties.UserProperty("a", TEXT));
            properties.add(new MqttProperties.UserProperty("b", ""));
            Packet.Publish publish = (Packet.Publish) read(
                    MqttMessageBuilders.publish()
                            .topicName(TEXT + round)
                            .qos(MqttQoS.valueOf(qos))
                            .messageId(round)
                            .retained(round % 2 == 0)
                            .payload(Unpooled.wrappedBuffer(payload))
                            .properties(version == Version.V5 ? properties : MqttProperties.NO_PROPERTIES)
                            .build(),
                    version);
            assertThat(publish.topic()).isEqualTo(TEXT + round);
            assertThat(publish.qos()).isEqualTo(qos);
            assertThat(publish.retain()).isEqualTo(round % 2 == 0);
            assertThat(publish.packetId()).isEqualTo(qos == 0 ? 0 : round);
            assertThat(publish.payload()).isEqualTo(payload);
            if (version == Version.V5) {
                assertThat(publish.properties().number(Property.PAYLOAD_FORMAT, 0))
                        .isEqualTo(1);
                assertThat(publish.properties().number(Property.MESSAGE_EXPIRY, 0))
                        .isEqualTo(round);
                assertThat(publish.properties().text(Property.CONTENT_TYPE)).isEqualTo(TEXT);
                assertThat(publish.properties().text(Property.RESPONSE_TOPIC)).isEqualTo(TEXT + "r");
                assertThat(publish.properties().bytes(Property.CORRELATION_DATA))
                        .isEqualTo(payload);
                assertThat(publish.properties().user())
                        .extracting(each -> each.name() + "=" + each.value())
                        .containsExactly("b=1", "a=" + TEXT, "b=");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(value = Version.class, mode = Mode.EXCLUDE, names = "V3_1")
    void acknowledgementsFromTheClient(Version version) {
        open(version);
        boolean v5 = version == Version.V5;
        MqttProperties reason = new MqttProperties();
        reason.add(new MqttProperties.StringProperty(MqttProperties.REASON_STRING, TEXT));
        for (PacketType type : List.of(PacketType.PUBACK, PacketType.PUBREC, PacketType.PUBREL, PacketType.PUBCOMP)) {
            MqttFixedHeader header =
                    header(type, type == PacketType.PUBREL ? MqttQoS.AT_LEAST_ONCE : MqttQoS.AT_MOST_ONCE);
            MqttMessage message = v5
                    ? new MqttMessage(header, new MqttPubReplyMessageVariableHeader(0xBEEF, (byte) 0x92, reason))
                    : new MqttMessage(header, MqttMessageIdVariableHeader.from(0xBEEF));
            if (v5 && (type == PacketType.PUBACK || type == PacketType.PUBREC)) {
                message = new MqttMessage(header, new MqttPubReplyMessageVariableHeader(0xBEEF, (byte) 0x97, reason));
            }
            Packet.Ack ack = (Packet.Ack) read(message, version);
            assertThat(ack.type()).isEqualTo(type);
            assertThat(ack.packetId()).isEqualTo(0xBEEF);
            assertThat(ack.reason()).isIn(v5 ? List.of(0x92, 0x97) : List.of(0));
            assertThat(ack.properties().text(Property.REASON_STRING)).isEqualTo(v5 ? TEXT : null);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Version.class, mode = Mode.EXCLUDE, names = "V3_1")
    void subscriptionsAndTheEndFromTheClient(Version version) {
        open(version);
        boolean v5 = version == Version.V5;
        MqttProperties reason = new MqttProperties();
        reason.add(new MqttProperties.StringProperty(MqttProperties.REASON_STRING, TEXT));
        MqttProperties id = new MqttProperties();
        id.add(new MqttProperties.IntegerProperty(MqttProperties.SUBSCRIPTION_IDENTIFIER, 268_435_455));
        Packet.Subscribe subscribe = (Packet.Subscribe) read(
                MqttMessageBuilders.subscribe()
                        .messageId(65_535)
                        .addSubscription(
                                TEXT + "#",
                                new MqttSubscriptionOption(
                                        MqttQoS.EXACTLY_ONCE,
                                        v5,
                                        v5,
                                        v5
                                                ? MqttSubscriptionOption.RetainedHandlingPolicy.DONT_SEND_AT_SUBSCRIBE
                                                : MqttSubscriptionOption.RetainedHandlingPolicy.SEND_AT_SUBSCRIBE))
                        .addSubscription(MqttQoS.AT_LEAST_ONCE, "+")
                        .properties(v5 ? id : MqttProperties.NO_PROPERTIES)
                        .build(),
                version);
        assertThat(subscribe.packetId()).isEqualTo(65_535);
        assertThat(subscribe.filters())
                .containsExactly(
                        new Packet.Filter(TEXT + "#", 2, v5, v5, v5 ? 2 : 0),
                        new Packet.Filter("+", 1, false, false, 0));
        assertThat(subscribe.properties().subscriptionIds()).isEqualTo(v5 ? List.of(268_435_455) : List.of());
        Packet.Unsubscribe unsubscribe = (Packet.Unsubscribe) read(
                MqttMessageBuilders.unsubscribe()
                        .messageId(2)
                        .addTopicFilter(TEXT)
                        .addTopicFilter("#")
                        .build(),
                version);
        assertThat(unsubscribe.filters()).containsExactly(TEXT, "#");
        assertThat(read(MqttMessage.PINGREQ, version)).isInstanceOf(Packet.Ping.class);
        assertThat(((Packet.Disconnect) read(MqttMessage.DISCONNECT, version)).reason())
                .isZero();
        if (v5) {
            Packet.Auth auth = (Packet.Auth) read(
                    new MqttMessage(
                            header(PacketType.AUTH, MqttQoS.AT_MOST_ONCE),
                            new MqttReasonCodeAndPropertiesVariableHeader((byte) 0x18, reason)),
                    version);
            assertThat(auth.reason()).isEqualTo(0x18);
            Packet.Disconnect disconnect = (Packet.Disconnect) read(
                    new MqttMessage(
                            header(PacketType.DISCONNECT, MqttQoS.AT_MOST_ONCE),
                            new MqttReasonCodeAndPropertiesVariableHeader((byte) 0x04, reason)),
                    version);
            assertThat(disconnect.reason()).isEqualTo(4);
        }
    }

    private static MqttFixedHeader header(PacketType type, MqttQoS qos) {
        return new MqttFixedHeader(MqttMessageType.valueOf(type.code()), false, qos, false, 0);
    }

    // ---- we write, they read ----------------------------------------------------------------------------------

    private MqttMessage theirs(ByteBuf ours) {
        theirs.writeInbound(ours);
        MqttMessage message = theirs.readInbound();
        assertThat(message).isNotNull();
        assertThat(message.decoderResult().isSuccess())
                .as(String.valueOf(message.decoderResult()))
                .isTrue();
        return message;
    }

    /** So that their decoder knows the version. */
    private void openInbound(Version version) {
        EmbeddedChannel client = new EmbeddedChannel(MqttEncoder.INSTANCE);
        client.writeOutbound(MqttMessageBuilders.connect()
                .protocolVersion(version == Version.V5 ? MqttVersion.MQTT_5 : MqttVersion.MQTT_3_1_1)
                .clientId("c")
                .build());
        theirs(client.readOutbound());
        client.finishAndReleaseAll();
    }

    private static Properties reason(Version version) {
        return version == Version.V5
                ? new Properties()
                        .put(Property.REASON_STRING, TEXT)
                        .addUser("b", "1")
                        .addUser("b", TEXT)
                : Properties.NONE;
    }

    private static String text(MqttProperties properties, int id) {
        return String.valueOf(properties.getProperty(id).value());
    }

    @ParameterizedTest
    @EnumSource(value = Version.class, mode = Mode.EXCLUDE, names = "V3_1")
    void publishToTheClient(Version version) {
        openInbound(version);
        for (int round = 1; round <= ROUNDS; round++) {
            int qos = random.nextInt(3);
            byte[] payload = bytes();
            Properties properties = version == Version.V5
                    ? new Properties()
                            .put(Property.MESSAGE_EXPIRY, 0xFFFF_FFFEL)
                            .put(Property.TOPIC_ALIAS, 65_535)
                            .put(Property.CORRELATION_DATA, payload)
                            .addSubscriptionId(round * 1000)
                            .addSubscriptionId(1)
                            .addUser("b", "1")
                            .addUser("a", TEXT)
                    : Properties.NONE;
            int flags = qos << 1 | round % 2 | (qos > 0 ? 8 : 0);
            ByteBuf out = Unpooled.buffer();
            PacketWriter.publish(out, version, flags, TEXT + round, round, properties, payload.length);
            out.writeBytes(payload);
            assertThat(out.readableBytes())
                    .isEqualTo(PacketWriter.publishSize(version, flags, TEXT + round, properties, payload.length));
            MqttPublishMessage read = (MqttPublishMessage) theirs(out);
            assertThat(read.fixedHeader().isDup()).isEqualTo(qos > 0);
            assertThat(read.fixedHeader().isRetain()).isEqualTo(round % 2 == 1);
            assertThat(read.fixedHeader().qosLevel().value()).isEqualTo(qos);
            assertThat(read.variableHeader().topicName()).isEqualTo(TEXT + round);
            assertThat(ByteBufUtil.getBytes(read.payload())).isEqualTo(payload);
            if (qos > 0) {
                assertThat(read.variableHeader().packetId()).isEqualTo(round);
            }
            if (version == Version.V5) {
                MqttProperties got = read.variableHeader().properties();
                assertThat(got.getProperty(MqttProperties.PUBLICATION_EXPIRY_INTERVAL)
                                .value())
                        .isEqualTo(-2);
                assertThat(got.getProperty(MqttProperties.CORRELATION_DATA).value())
                        .isEqualTo(payload);
                assertThat(got.getProperties(MqttProperties.SUBSCRIPTION_IDENTIFIER))
                        .extracting(each -> ((MqttProperties.IntegerProperty) each).value())
                        .containsExactly(round * 1000, 1);
                assertThat(got.getProperty(MqttProperties.TOPIC_ALIAS).value()).isEqualTo(65_535);
            }
            read.release();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Version.class, mode = Mode.EXCLUDE, names = "V3_1")
    void everythingElseToTheClient(Version version) {
        openInbound(version);
        boolean v5 = version == Version.V5;
        ByteBuf connack = Unpooled.buffer();
        PacketWriter.connack(connack, version, true, 0, reason(version));
        MqttConnAckVariableHeader opened =
                (MqttConnAckVariableHeader) theirs(connack).variableHeader();
        assertThat(opened.isSessionPresent()).isTrue();
        assertThat(opened.connectReturnCode().byteValue()).isZero();
        for (PacketType type : List.of(PacketType.PUBACK, PacketType.PUBREC, PacketType.PUBREL, PacketType.PUBCOMP)) {
            ByteBuf out = Unpooled.buffer();
            Reason code = type == PacketType.PUBACK || type == PacketType.PUBREC
                    ? Reason.QUOTA_EXCEEDED
                    : Reason.PACKET_IDENTIFIER_NOT_FOUND;
            PacketWriter.ack(out, version, type, 0xBEEF, code, reason(version));
            MqttMessage ack = theirs(out);
            assertThat(ack.fixedHeader().messageType().value()).isEqualTo(type.code());
            assertThat(((MqttMessageIdVariableHeader) ack.variableHeader()).messageId())
                    .isEqualTo(0xBEEF);
            if (v5) {
                var header = (MqttPubReplyMessageVariableHeader) ack.variableHeader();
                assertThat(header.reasonCode() & 0xFF).isEqualTo(code.code());
                assertThat(text(header.properties(), MqttProperties.REASON_STRING))
                        .isEqualTo(TEXT);
            }
        }
        ByteBuf suback = Unpooled.buffer();
        List<Integer> codes = v5 ? List.of(0, 1, 2, 0x8F, 0x97) : List.of(0, 1, 2, 0x80);
        PacketWriter.filtersAck(suback, version, PacketType.SUBACK, 7, codes, reason(version));
        assertThat(((MqttSubAckPayload) theirs(suback).payload()).reasonCodes()).isEqualTo(codes);
        ByteBuf unsuback = Unpooled.buffer();
        PacketWriter.filtersAck(unsuback, version, PacketType.UNSUBACK, 7, List.of(0, 0x11), reason(version));
        MqttMessage unsubscribed = theirs(unsuback);
        assertThat(((MqttMessageIdVariableHeader) unsubscribed.variableHeader()).messageId())
                .isEqualTo(7);
        if (v5) {
            assertThat(((MqttUnsubAckPayload) unsubscribed.payload()).unsubscribeReasonCodes())
                    .containsExactly((short) 0, (short) 0x11);
        }
        ByteBuf pong = Unpooled.buffer();
        PacketWriter.pingResponse(pong);
        assertThat(theirs(pong).fixedHeader().messageType()).isEqualTo(MqttMessageType.PINGRESP);
        if (v5) {
            ByteBuf disconnect = Unpooled.buffer();
            PacketWriter.disconnect(disconnect, Reason.SESSION_TAKEN_OVER, reason(version));
            var left = (MqttReasonCodeAndPropertiesVariableHeader)
                    theirs(disconnect).variableHeader();
            assertThat(left.reasonCode() & 0xFF).isEqualTo(0x8E);
            assertThat(text(left.properties(), MqttProperties.REASON_STRING)).isEqualTo(TEXT);
            ByteBuf auth = Unpooled.buffer();
            PacketWriter.auth(
                    auth, Reason.CONTINUE_AUTHENTICATION, new Properties().put(Property.AUTHENTICATION_METHOD, "M"));
            var step = (MqttReasonCodeAndPropertiesVariableHeader) theirs(auth).variableHeader();
            assertThat(step.reasonCode()).isEqualTo((byte) 0x18);
            assertThat(text(step.properties(), MqttProperties.AUTHENTICATION_METHOD))
                    .isEqualTo("M");
        }
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(300)];
        random.nextBytes(bytes);
        return bytes;
    }

    // ---- why it is not used -----------------------------------------------------------------------------------

    @Test
    @DisplayName("ADR 0022: netty-codec-mqtt takes what has to be refused: a property of another packet, and one twice")
    void theReasonsForOurOwnCodecHold() {
        openInbound(Version.V5);
        for (Bytes packet : List.of(
                new Bytes().text("a").properties(new Bytes().u8(0x11).u32(9)),
                new Bytes().text("a").properties(new Bytes().u8(0x01, 0, 0x01, 1)))) {
            MqttPublishMessage taken = (MqttPublishMessage) theirs(Unpooled.wrappedBuffer(packet.packet(0x30)));
            taken.release();
            ByteBuf bytes = Unpooled.wrappedBuffer(packet.packet(0x30));
            assertThatThrownBy(() -> reader.next(bytes, Version.V5)).isInstanceOf(MqttViolation.class);
        }
    }
}
