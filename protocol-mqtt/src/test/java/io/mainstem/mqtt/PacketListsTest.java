package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A packet with a list that never ends costs little, and others notice nothing. */
final class PacketListsTest {
    private static final int FILTERS_MAX = 1_024;
    private static final int SUBSCRIBE = 0x82;
    private static final int UNSUBSCRIBE = 0xA2;

    @TempDir
    Path folder;

    private static byte[] packet(int first, int version, int packetId, int count, IntFunction<String> filter) {
        Bytes body = new Bytes().u16(packetId);
        if (version == 5) {
            body.properties(new Bytes());
        }
        for (int i = 0; i < count; i++) {
            body.text(filter.apply(i));
            if (first == SUBSCRIBE) {
                body.u8(0);
            }
        }
        return body.packet(first);
    }

    @ParameterizedTest
    @CsvSource({"4, 0x82, -1", "5, 0x82, 0x97", "4, 0xA2, -1", "5, 0xA2, 0x97"})
    @DisplayName("one more than 1,024 filters end the connection before one of them is worked on")
    void tooManyFilters(int version, String first, String reason) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt neighbour = new RawMqtt(server.address(), version);
                RawMqtt client = new RawMqtt(server.address(), version)) {
            neighbour.open("neighbour", true);
            client.open("c", true);
            client.sendAnyway(packet(Integer.decode(first), version, 1, 200_000, i -> "a"));
            assertThat(client.expectClosed()).isEqualTo(Integer.decode(reason));
            neighbour.expectNothing();
            assertThat(server.queueNames()).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "a filter repeated 1,024 times is answered as often, and worked on once: its retained message comes once")
    void repeated() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            client.publish(3, "a", 1, new Bytes(), new byte[1]);
            client.expectAnswer(RawMqtt.PUBACK);
            client.send(packet(SUBSCRIBE, 5, 2, FILTERS_MAX, i -> "a"));
            assertThat(codes(client.expectAnswer(RawMqtt.SUBACK), 2))
                    .hasSize(FILTERS_MAX)
                    .containsOnly(0);
            assertThat(client.expectPublish().topic()).isEqualTo("a");
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("[MQTT-3.8.4-3] a filter that comes again with other options has those of its last time")
    void otherOptions() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            Bytes body = new Bytes().u16(3).properties(new Bytes());
            for (int qos : new int[] {0, 1, 0}) {
                body.text("a").u8(qos);
            }
            client.send(body.packet(SUBSCRIBE));
            assertThat(codes(client.expectAnswer(RawMqtt.SUBACK), 3)).containsExactly(0, 1, 0);
            client.publish("a", 1, 4, "m");
            client.expectAnswer(RawMqtt.PUBACK);
            assertThat(client.expectPublish().qos()).isZero();
        }
    }

    @Test
    @DisplayName(
            "many packets of many filters in one write: each is answered, in order, though not all are worked on at once")
    void manyPackets() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            client.hold();
            for (int id = 1; id <= 6; id++) {
                client.send(packet(SUBSCRIBE, 5, id, 700, i -> "t/" + i));
            }
            client.send(packet(UNSUBSCRIBE, 5, 7, 700, i -> "t/" + i));
            client.sendHeld();
            for (int id = 1; id <= 6; id++) {
                assertThat(codes(client.expect(RawMqtt.SUBACK), id))
                        .hasSize(700)
                        .containsOnly(0);
            }
            assertThat(codes(client.expect(RawMqtt.UNSUBACK), 7)).hasSize(700).containsOnly(0);
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("one more than 1,024 user properties end the connection")
    void userProperties() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            Bytes many = new Bytes();
            for (int i = 0; i <= 1_024; i++) {
                many.user("k", "v");
            }
            client.publish(0, "a", 0, many, new byte[0]);
            assertThat(client.expectClosed()).isEqualTo(0x97);
        }
    }

    private static int[] codes(Received ack, int packetId) {
        assertThat(ack.u16()).isEqualTo(packetId);
        ack.properties();
        byte[] rest = ack.rest();
        int[] codes = new int[rest.length];
        Arrays.setAll(codes, i -> rest[i] & 255);
        return codes;
    }
}
