package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** MQTT 5.0 and 3.1.1, 4.2 and 6: network connections, WebSocket among them. */
@MqttConformance
final class MqttWebSocketStatementsTest {
    private static final byte[] PING = {(byte) 0xC0, 0};
    private static final byte[] PONG = {(byte) 0xD0, 0};

    private static byte[] connect() {
        return new Bytes()
                .text("MQTT")
                .u8(4, 2, 0, 0)
                .text("w" + UUID.randomUUID())
                .packet(0x10);
    }

    @Test
    @Statement(
            value = {"MQTT-6.0.0-1", "MQTT-6.0.0-4"},
            v311 = {"MQTT-6.0.0-1", "MQTT-6.0.0-4"})
    void theSubprotocolIsMqttAndFramesAreBinary(InetSocketAddress broker) throws IOException {
        try (RawWebSocket client = new RawWebSocket(broker, "other, mqtt")) {
            assertThat(client.answer())
                    .startsWith("HTTP/1.1 101 ")
                    .containsIgnoringCase("sec-websocket-protocol: mqtt\r\n");
            client.send(RawWebSocket.BINARY, connect());
            assertThat(client.receive(4)).containsExactly(0x20, 2, 0, 0);
            client.send(RawWebSocket.TEXT, PING);
            client.expectClosed();
        }
    }

    @Test
    @Statement(
            value = {"MQTT-6.0.0-2", "MQTT-4.2.0-1"},
            v311 = {"MQTT-6.0.0-2", "MQTT-4.2.0-1", "MQTT-7.1.1-1"})
    void packetsNeedNotBeFrames(InetSocketAddress broker) throws IOException {
        try (RawWebSocket client = new RawWebSocket(broker, "mqtt")) {
            byte[] connect = connect();
            client.send(RawWebSocket.BINARY, Arrays.copyOf(connect, 5));
            client.send(RawWebSocket.BINARY, Arrays.copyOfRange(connect, 5, connect.length));
            assertThat(client.receive(4)).containsExactly(0x20, 2, 0, 0);
            client.send(
                    RawWebSocket.BINARY,
                    new Bytes().raw(PING).raw(PING).u8(PING[0]).toArray());
            client.send(RawWebSocket.BINARY, new byte[] {PING[1]});
            assertThat(client.receive(6))
                    .isEqualTo(new Bytes().raw(PONG).raw(PONG).raw(PONG).toArray());
        }
    }
}
