package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import io.mainstem.mqtt.wire.Reason;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is no packet, or no name, and how the client is told. */
final class MalformedPacketTest {
    /** 5.0, table 3-1. */
    private static final List<Integer> CONNECT_REASONS = List.of(
            0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8C, 0x90, 0x95, 0x97, 0x99, 0x9A, 0x9B,
            0x9C, 0x9D, 0x9F);

    @TempDir
    Path folder;

    private static Bytes connect(int flags, Bytes properties) {
        return new Bytes().text("MQTT").u8(5, flags).u16(0).properties(properties);
    }

    @Test
    @DisplayName("[MQTT-3.1.4-1] a malformed CONNECT of 5.0 is answered with CONNACK, the reason and what is wrong")
    void connects() throws IOException {
        Bytes none = new Bytes();
        byte[][] broken = {
            connect(3, none).text("c").packet(0x10),
            connect(8, none).text("c").packet(0x10),
            connect(2, new Bytes().u8(0x01, 0)).text("c").packet(0x10),
            connect(2, new Bytes().u8(0x7E, 0)).text("c").packet(0x10),
            connect(2, new Bytes().u8(0x21, 0, 0)).text("c").packet(0x10),
            connect(2, new Bytes().u8(0x16).text("data")).text("c").packet(0x10),
            connect(2, none).u8(0, 9, 'c').packet(0x10),
            connect(2, none).binary(new byte[] {(byte) 0xFF}).packet(0x10),
            connect(2, none).text("c").u8(0).packet(0x10),
            connect(6, none).text("c").properties(new Bytes().u8(0x21, 0, 1)).packet(0x10)
        };
        int[] reasons = {0x81, 0x81, 0x81, 0x81, 0x82, 0x82, 0x81, 0x81, 0x81, 0x81};
        try (TestServer server = new TestServer(folder)) {
            for (int i = 0; i < broken.length; i++) {
                try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                    client.send(broken[i]);
                    Received connack = client.expect(RawMqtt.CONNACK);
                    assertThat(connack.u8()).isZero();
                    assertThat(connack.u8()).as("CONNECT %d", i).isEqualTo(reasons[i]);
                    assertThat(connack.properties()).anyMatch(property -> property.startsWith("1f=MS-060"));
                    client.expectClosed();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    @DisplayName("[MQTT-3.2.2-8] a CONNACK says no other reason than the standard has for it")
    void connectReasons(Reason reason) {
        assertThat(new ConnectRefused(reason, "no").connectReason().code()).isIn(CONNECT_REASONS);
    }

    @Test
    @DisplayName("a CONNECT of 3.1 with the unused flag is taken, one of 3.1.1 is not [MQTT-3.1.2-3]")
    void reservedFlag() throws IOException {
        try (TestServer server = new TestServer(folder)) {
            for (int flags : new int[] {3, 0x3A}) {
                try (RawMqtt old = new RawMqtt(server.address(), 3);
                        RawMqtt newer = new RawMqtt(server.address(), 4)) {
                    old.send(old.connectHead(flags, 0, new Bytes()).text("c").packet(0x10));
                    old.expect(RawMqtt.CONNACK);
                    newer.send(
                            newer.connectHead(flags, 0, new Bytes()).text("d").packet(0x10));
                    assertThat(newer.expectClosed()).isEqualTo(-1);
                }
            }
        }
    }

    @Test
    @DisplayName("a property that is foreign to its packet, and an empty filter, are malformed")
    void foreignAndEmpty() throws IOException {
        List<byte[]> packets = List.of(
                Bytes.of(0xE0, 6, 0, 4, 0x23, 0, 1, 0x70).toArray(),
                Bytes.of(0x82, 6, 0x12, 0x34, 0, 0, 0, 0).toArray(),
                Bytes.of(0xA2, 8, 0x12, 0x34, 0, 0, 0, 0, 1, 0x71).toArray());
        try (TestServer server = new TestServer(folder)) {
            for (byte[] packet : packets) {
                try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                    client.open("c", true);
                    client.send(packet);
                    assertThat(client.expectClosed()).isEqualTo(0x81);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"$queues/", "$queues/a/b", "$queues/%zz"})
    @DisplayName("what is spelled as the way to a queue and names none is an error, not a topic")
    void noQueue(String name) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            assertThat(client.subscribed(name, 1)).isEqualTo(0x8F);
            client.publish(name, 1, 1, "m");
            assertThat(client.expectAck(RawMqtt.PUBACK, 1)).isEqualTo(0x90);
            try (RawMqtt willing = new RawMqtt(server.address(), 5)) {
                willing.send(connect(6, new Bytes())
                        .text("w")
                        .properties(new Bytes())
                        .text(name)
                        .text("gone")
                        .packet(0x10));
                assertThat(willing.expectClosed()).isEqualTo(0x90);
            }
        }
    }

    @Test
    @DisplayName(
            "[MQTT-3.1.2-22] a packet that comes byte by byte, and is never whole, does not keep a connection open")
    void partsAreSilence() throws IOException {
        try (TestServer server = new TestServer(folder);
                Socket socket = new Socket(
                        server.address().getAddress(), server.address().getPort());
                RawMqtt client = new RawMqtt(socket, 5)) {
            client.send(client.connectHead(2, 1, new Bytes()).text("c").packet(0x10));
            client.expect(RawMqtt.CONNACK);
            socket.setSoTimeout(300);
            client.send(new Bytes().u8(0x30).varint(1_000).toArray());
            int ended = 0;
            for (int bytes = 0; bytes < 100 && ended == 0; bytes++) {
                client.sendAnyway(new byte[1]);
                try {
                    ended = client.expectClosed();
                } catch (AssertionError open) {
                    // Nothing came in a while: the next byte.
                }
            }
            assertThat(ended).isEqualTo(0x8D);
        }
    }
}
