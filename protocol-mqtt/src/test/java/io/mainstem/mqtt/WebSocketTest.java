package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.transport.websocket.WebSocketBytes;
import io.mainstem.transport.websocket.WebSocketSocket;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT in WebSocket (section 6): frames as large as packets may be, and ends that come. */
final class WebSocketTest {
    private static final int MIB = 1 << 20;
    private static final MqttLimits LARGE =
            new MqttLimits(16 * MIB, 1000, 1000, 32, 10_000, 0xFFFF_FFFFL, 256 << 10, 1000, MIB, 1000);

    @TempDir
    Path folder;

    private static String text(int bytes) {
        char[] text = new char[bytes];
        Arrays.fill(text, 'x');
        return new String(text);
    }

    @Test
    @DisplayName("a packet of 6 MiB in one frame is taken where CONNACK says that packets may have 16 MiB")
    void aFrameAsLargeAsAPacket() throws IOException {
        try (TestServer server = new TestServer(folder, LARGE);
                RawMqtt client = server.client(true, 5)) {
            client.open("c", true);
            client.subscribed("t", 1);
            String payload = text(6 * MIB);
            client.publish("t", 1, 1, payload);
            assertThat(client.expectAck(RawMqtt.PUBACK, 1)).isZero();
            assertThat(client.expectPublish().payload()).isEqualTo(payload);
        }
    }

    @Test
    @DisplayName("what is larger than packets may be is told in MQTT, 0x95, and WebSocket ends with 1000")
    void tooLarge() throws IOException {
        try (TestServer server = new TestServer(folder);
                WebSocketSocket socket = new WebSocketSocket(server.address(), "mqtt", 0);
                RawMqtt client = new RawMqtt(socket, 5)) {
            client.open("c", true);
            byte[] begin = new Bytes().u8(0x30).varint(5 * MIB).toArray();
            socket.writeRaw(WebSocketBytes.header(0x82, 5 * MIB + 5, 77, begin));
            assertThat(client.expectClosed()).isEqualTo(0x95);
            assertThat(socket.closeStatus()).isEqualTo(1000);
        }
    }

    @Test
    @DisplayName("RFC 6455, 7.4.1: a client that breaks a rule of WebSocket is told which kind, once")
    void violation() throws IOException {
        try (TestServer server = new TestServer(folder);
                WebSocketSocket socket = new WebSocketSocket(server.address(), "mqtt", 0);
                RawMqtt client = new RawMqtt(socket, 5)) {
            client.open("c", true);
            socket.writeRaw(WebSocketBytes.frame(0xC2, "t".getBytes(StandardCharsets.US_ASCII), 7));
            assertThat(client.expectClosed()).isEqualTo(-1);
            assertThat(socket.closeStatus()).isEqualTo(1002);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("[MQTT-3.1.2-22] a client that neither reads nor sends goes after its keep alive, in WebSocket too")
    void cloggedAndSilent(boolean webSocket) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = server.client(webSocket, 4);
                RawMqtt publisher = new RawMqtt(server.address(), 4)) {
            client.send(client.connectHead(2, 1, new Bytes()).text("c").packet(0x10));
            client.expect(RawMqtt.CONNACK);
            client.subscribed("t", 0);
            publisher.open("p", true);
            // More than sockets hold, so that what the broker says last cannot go either.
            byte[] payload = new byte[100_000];
            for (int i = 0; i < 150; i++) {
                publisher.publish(0, "t", 0, new Bytes(), payload);
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> server.connections() == 1);
            publisher.expectNothing();
        }
    }
}
