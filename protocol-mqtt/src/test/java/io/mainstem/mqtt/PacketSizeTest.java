package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The broker's own maximum packet size; that of clients is in the statements of the standard. */
final class PacketSizeTest {
    private static final int MAX = 2_048;
    private static final MqttLimits LIMITS =
            new MqttLimits(MAX, 1000, 1000, 32, 10, 0xFFFF_FFFFL, 256 << 10, 100, 1 << 20, 100);

    @TempDir
    Path folder;

    /** The fixed header of a PUBLISH of so many bytes, and nothing of the rest. */
    private static byte[] announced(int bytes) {
        return new Bytes().u8(0x30).varint(bytes).toArray();
    }

    @ParameterizedTest
    @CsvSource({"3, -1", "4, -1", "5, 0x95"})
    @DisplayName("what is too large ends the connection when its length is known, before it has come; others go on")
    void tooLarge(int version, String reason) throws IOException {
        try (TestServer server = new TestServer(folder, LIMITS);
                RawMqtt neighbour = new RawMqtt(server.address(), version);
                RawMqtt client = new RawMqtt(server.address(), version)) {
            neighbour.open("neighbour", true);
            neighbour.subscribed("t", 0);
            client.open("c", true);
            client.publish(0, "t", 0, new Bytes(), new byte[MAX - 20]);
            assertThat(neighbour.expectPublish().payload()).hasSize(MAX - 20);
            client.send(announced(100 << 20));
            assertThat(client.expectClosed()).isEqualTo(Integer.decode(reason));
            neighbour.expectNothing();
        }
    }

    @Test
    @DisplayName("a CONNECT that is too large is not waited for, either")
    void tooLargeConnect() throws IOException {
        try (TestServer server = new TestServer(folder, LIMITS);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.send(new Bytes().u8(0x10).varint(100 << 20).toArray());
            client.expectClosed();
        }
    }

    @Test
    @DisplayName("[MQTT-3.2.2-15] CONNACK tells it")
    void told() throws IOException {
        try (TestServer server = new TestServer(folder, LIMITS);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.connect("c", true, new Bytes());
            Received connack = client.expect(RawMqtt.CONNACK);
            connack.u8();
            connack.u8();
            assertThat(connack.properties()).contains("27=" + MAX);
        }
    }
}
