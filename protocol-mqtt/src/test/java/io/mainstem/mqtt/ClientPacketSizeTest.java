package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** [MQTT-3.1.2-24]: no packet is larger than the client takes, whatever its type. */
final class ClientPacketSizeTest {
    @TempDir
    Path folder;

    private static Bytes max(int bytes) {
        return new Bytes().u8(0x27).u32(bytes);
    }

    @ParameterizedTest
    @CsvSource({"2, -1", "4, -1", "5, 0x95", "12, 0x95"})
    @DisplayName("a CONNACK that cannot be made small enough is one with 0x95, and none if that does not fit")
    void connack(int max, String reason) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.connect("c", true, max(max).u8(0x11).u32(60));
            assertThat(client.expectClosed()).isEqualTo(Integer.decode(reason));
            await().until(() -> kept(server).isEmpty());
        }
    }

    private static Map<String, byte[]> kept(TestServer server) {
        return server.asked(session -> session.records("mqtt/session/c"));
    }

    @Test
    @DisplayName("an identifier that is given by the broker and does not fit is not left out: the client is refused")
    void assignedIdentifier() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.connect("", true, max(20));
            assertThat(client.expectClosed()).isEqualTo(0x95);
        }
    }

    @ParameterizedTest
    @CsvSource({"0x82", "0xA2"})
    @DisplayName(
            "SUBACK or UNSUBACK that does not fit ends the connection with 0x95; one that fits without words is sent")
    void filters(String first) throws IOException {
        int type = Integer.decode(first);
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true, max(20));
            client.send(filters(type, 15));
            Received ack = client.next();
            assertThat(ack.size() + 2).isEqualTo(20);
            client.send(filters(type, 16));
            assertThat(client.expectClosed()).isEqualTo(0x95);
        }
    }

    private static byte[] filters(int type, int count) {
        Bytes body = new Bytes().u16(1).properties(new Bytes());
        for (int i = 0; i < count; i++) {
            body.text(i == 0 ? "#/no" : "t" + i);
            if (type == 0x82) {
                body.u8(0);
            }
        }
        return body.packet(type);
    }

    @Test
    @DisplayName("a topic alias is not used where it is longer than the topic, and the packet would not fit")
    void aliases() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            client.open("c", true, max(30).u8(0x22).u16(5));
            publisher.open("p", true);
            client.subscribed("t", 0);
            for (int payload = 1; payload < 28; payload++) {
                publisher.publish("t", 0, 0, "x".repeat(payload));
            }
            publisher.publish("t", 0, 0, "end");
            int seen = 0;
            for (String payload = ""; !payload.equals("end"); seen++) {
                Received each = client.expect(RawMqtt.PUBLISH);
                assertThat(each.size() + 2).isLessThanOrEqualTo(30);
                payload = client.published(each).payload();
            }
            assertThat(seen).isGreaterThanOrEqualTo(20);
        }
    }
}
