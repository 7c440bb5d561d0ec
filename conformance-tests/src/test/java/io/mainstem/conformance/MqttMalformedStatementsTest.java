package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT 5.0, 1.5, 2, 4.13: bytes that are no packets, and packets that may not be sent. */
@MqttConformance
final class MqttMalformedStatementsTest {
    private static final byte[][] NOT_UTF8 = {
        {(byte) 0xC0, (byte) 0x80}, {(byte) 0xED, (byte) 0xA0, (byte) 0x80}, {(byte) 0xFF}, {0}
    };

    private interface Sent {
        byte[] bytes(byte[] text, int version);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {
                "MQTT-1.5.4-1",
                "MQTT-1.5.4-2",
                "MQTT-3.1.3-11",
                "MQTT-3.1.3-12",
                "MQTT-3.3.2-1",
                "MQTT-3.8.3-1",
                "MQTT-3.10.3-1",
                "MQTT-4.7.3-2"
            },
            v311 = {
                "MQTT-1.5.3-1",
                "MQTT-1.5.3-2",
                "MQTT-3.1.3-4",
                "MQTT-3.1.3-10",
                "MQTT-3.1.3-11",
                "MQTT-3.3.2-1",
                "MQTT-3.8.3-1",
                "MQTT-3.10.3-1",
                "MQTT-4.7.3-2"
            })
    void stringsAreWellFormedUtf8WithoutNul(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            for (byte[] text : NOT_UTF8) {
                for (Sent packet : new Sent[] {
                    (bad, v) -> empty(new Bytes().binary(bad), v).packet(0x30),
                    (bad, v) -> empty(new Bytes().u16(1), v).binary(bad).u8(0).packet(0x82),
                    (bad, v) -> empty(new Bytes().u16(1), v).binary(bad).packet(0xA2)
                }) {
                    RawMqtt client = clients.client(version, "u");
                    client.send(packet.bytes(text, version));
                    assertThat(client.expectClosed()).isEqualTo(version == 5 ? 0x81 : -1);
                }
                RawMqtt named = clients.socket(version);
                named.sendAnyway(
                        named.connectHead(2, 0, new Bytes()).binary(text).packet(0x10));
                named.expectClosed();
                RawMqtt user = clients.socket(version);
                user.sendAnyway(user.connectHead(0x82, 0, new Bytes())
                        .text("x")
                        .binary(text)
                        .packet(0x10));
                user.expectClosed();
                RawMqtt will = clients.socket(version);
                will.sendAnyway(empty(will.connectHead(6, 0, new Bytes()).text("x"), version)
                        .binary(text)
                        .text("p")
                        .packet(0x10));
                will.expectClosed();
            }
        }
    }

    private static Bytes empty(Bytes head, int version) {
        return version == 5 ? head.properties(new Bytes()) : head;
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = "MQTT-1.5.4-3",
            v311 = {"MQTT-1.5.3-3"})
    void aByteOrderMarkIsACharacter(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            RawMqtt client = clients.client(version, "b");
            String topic = "\uFEFF" + clients.name("t");
            assertThat(client.subscribed(topic, 0)).isZero();
            client.publish(topic, 0, 0, "m");
            assertThat(client.expectPublish().topic()).isEqualTo(topic);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-1.5.5-1", "MQTT-2.1.3-1", "MQTT-3.6.1-1", "MQTT-3.8.1-1", "MQTT-3.10.1-1"},
            v311 = {"MQTT-2.2.2-1", "MQTT-2.2.2-2", "MQTT-3.6.1-1", "MQTT-3.8.1-1", "MQTT-3.10.1-1"})
    void fixedHeadersAreChecked(int version, InetSocketAddress broker) throws IOException {
        byte[][] packets = {
            {(byte) 0xC0, (byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 1},
            {(byte) 0xC0, (byte) 0x80, 0},
            {(byte) 0xC1, 0},
            {0x00, 0},
            {0x60, 2, 0, 1},
            {0x41, 2, 0, 1},
            {0x51, 2, 0, 1},
            {0x71, 2, 0, 1},
            {(byte) 0x80, 6, 0, 1, 0, 1, 'a', 0},
            {(byte) 0xA0, 5, 0, 1, 0, 1, 'a'},
            {(byte) 0xC0, 1, 0}
        };
        try (MqttClients clients = new MqttClients(broker)) {
            for (byte[] packet : packets) {
                RawMqtt client = clients.client(version, "h");
                client.send(packet);
                assertThat(client.expectClosed()).isEqualTo(version == 5 ? 0x81 : -1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-2.2.1-2", "MQTT-3.3.1-2", "MQTT-3.3.1-4", "MQTT-3.8.3-2", "MQTT-3.8.3-5", "MQTT-3.10.3-2"},
            v311 = {
                "MQTT-2.3.1-1",
                "MQTT-2.3.1-5",
                "MQTT-3.3.1-2",
                "MQTT-3.3.1-4",
                "MQTT-3.8.3-3",
                "MQTT-3.8.3-4",
                "MQTT-3.10.3-2",
                "MQTT-4.8.0-1"
            })
    void packetsThatMayNotBeSent(int version, InetSocketAddress broker) throws IOException {
        byte[][] packets = {
            empty(new Bytes().text("t").u16(1), version).packet(0x36),
            empty(new Bytes().text("t"), version).packet(0x38),
            empty(new Bytes().text("t").u16(0), version).packet(0x32),
            empty(new Bytes().u16(1), version).packet(0x82),
            empty(new Bytes().u16(0), version).text("t").u8(0).packet(0x82),
            empty(new Bytes().u16(1), version).text("t").u8(3).packet(0x82),
            empty(new Bytes().u16(1), version).text("t").u8(0x40).packet(0x82),
            empty(new Bytes().u16(1), version).text("t").u8(0x30).packet(0x82),
            empty(new Bytes().u16(1), version).packet(0xA2),
            new Bytes().u16(0).packet(0x40),
            {0x20, 2, 0, 0},
            {(byte) 0x90, 3, 0, 1, 0},
            {(byte) 0xB0, 2, 0, 1},
            {(byte) 0xD0, 0}
        };
        try (MqttClients clients = new MqttClients(broker)) {
            for (byte[] packet : packets) {
                RawMqtt client = clients.client(version, "p");
                client.send(packet);
                int reason = client.expectClosed();
                assertThat(reason).isIn(version == 5 ? new Object[] {0x81, 0x82} : new Object[] {-1});
            }
        }
    }

    @Test
    @Statement({"MQTT-3.3.4-6", "MQTT-3.3.2-8", "MQTT-3.3.2-13", "MQTT-3.3.2-14", "MQTT-3.3.2-19", "MQTT-4.13.2-1"})
    void propertiesAreChecked(InetSocketAddress broker) throws IOException {
        Bytes[] properties = {
            new Bytes().u8(0x0B, 1),
            new Bytes().u8(0x23, 0, 0),
            new Bytes().u8(0x08).text("a/#"),
            new Bytes().u8(0x08).binary(new byte[] {(byte) 0xFF}),
            new Bytes().u8(0x03).binary(new byte[] {(byte) 0xFF}),
            new Bytes().u8(0x01, 2),
            new Bytes().u8(0x01, 0, 0x01, 0),
            new Bytes().u8(0x11).u32(1),
            new Bytes().u8(0x7E, 0)
        };
        int[] reasons = {0x82, 0x94, 0x82, 0x81, 0x81, 0x82, 0x82, 0x81, 0x81};
        try (MqttClients clients = new MqttClients(broker)) {
            for (int i = 0; i < properties.length; i++) {
                RawMqtt client = clients.client(5, "p");
                client.publish(0, clients.name("t"), 0, properties[i], new byte[0]);
                assertThat(client.expectClosed()).as("properties %d", i).isEqualTo(reasons[i]);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    @Statement(
            value = {"MQTT-3.3.2-2", "MQTT-4.7.0-1", "MQTT-4.7.3-1"},
            v311 = {"MQTT-3.3.2-2", "MQTT-4.7.1-1", "MQTT-4.7.3-1"})
    void topicNamesHaveNoWildcards(int version, InetSocketAddress broker) throws IOException {
        try (MqttClients clients = new MqttClients(broker)) {
            for (String topic : new String[] {"a/+", "#", "a#"}) {
                RawMqtt client = clients.client(version, "w");
                client.publish(topic, 0, 0, "m");
                assertThat(client.expectClosed()).isEqualTo(version == 5 ? 0x90 : -1);
            }
            for (byte[] empty : new byte[][] {
                empty(new Bytes().u16(1), version).text("").u8(0).packet(0x82),
                empty(new Bytes().u16(1), version).text("").packet(0xA2)
            }) {
                RawMqtt client = clients.client(version, "w");
                client.send(empty);
                assertThat(client.expectClosed()).isEqualTo(version == 5 ? 0x81 : -1);
            }
            RawMqtt nameless = clients.client(version, "w");
            nameless.publish("", 0, 0, "m");
            assertThat(nameless.expectClosed()).isEqualTo(version == 5 ? 0x82 : -1);
        }
    }
}
