package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.routing.queue.ShardSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retained messages over a socket [S-10]. */
final class RetainedTest {
    private static final int RETAIN = 1;
    private static final int QOS_1 = 2;

    @TempDir
    Path folder;

    @Test
    @DisplayName("[MQTT-3.3.1-5] the last retained message of each topic comes to a new subscriber, also after a crash")
    void theLastOneComes() throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            retain(publisher, "room/1/temp", 1, "18");
            retain(publisher, "room/1/temp", 2, "19");
            retain(publisher, "room/2/temp", 3, "20");
            retain(publisher, "$private/temp", 4, "hidden");
        }
        server.crash();
        try (TestServer again = new TestServer(folder);
                RawMqtt subscriber = new RawMqtt(again.address(), 5)) {
            subscriber.open("s", true);
            assertThat(subscriber.subscribed(
                            "room/+/temp", 1, new Bytes().u8(0x0B).varint(7)))
                    .isEqualTo(1);
            Published one = subscriber.expectPublish();
            Published two = subscriber.expectPublish();
            assertThat(one)
                    .returns("19", Published::payload)
                    .returns(true, Published::retain)
                    .returns(1, Published::qos);
            assertThat(two).returns("20", Published::payload).returns("room/2/temp", Published::topic);
            assertThat(one.properties()).containsExactly("0b=7");
            subscriber.expectNothing();
            assertThat(subscriber.subscribed("#", 0)).isZero();
            assertThat(subscriber.expectPublish().qos()).isZero();
            assertThat(subscriber.expectPublish().qos()).isZero();
            subscriber.expectNothing();
        }
    }

    @Test
    @DisplayName("[MQTT-3.3.1-6] an empty retained message removes it and is delivered as any other")
    void anEmptyOneRemoves() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 4);
                RawMqtt publisher = new RawMqtt(server.address(), 4);
                RawMqtt late = new RawMqtt(server.address(), 4)) {
            client.open("c", true);
            publisher.open("p", true);
            client.subscribed("t", 0);
            retain(publisher, "t", 1, "there");
            assertThat(client.expectPublish()).returns(false, Published::retain);
            retain(publisher, "t", 2, "");
            assertThat(client.expectPublish().payload()).isEmpty();
            late.open("l", true);
            late.subscribed("t", 0);
            late.expectNothing();
        }
    }

    @Test
    @DisplayName("[MQTT-3.3.1-9] [MQTT-3.3.1-10] [MQTT-3.3.1-11] retain handling 0, 1 and 2")
    void retainHandling() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            retain(client, "t", 1, "kept");
            client.subscribed("t", 2 << 4);
            client.expectNothing();
            client.subscribed("t", 1 << 4);
            client.expectNothing();
            client.subscribed("t", 0);
            assertThat(client.expectPublish().payload()).isEqualTo("kept");
            client.unsubscribe(5, "t");
            client.expect(RawMqtt.UNSUBACK);
            client.subscribed("t", 1 << 4);
            assertThat(client.expectPublish().payload()).isEqualTo("kept");
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("[MQTT-3.3.1-13] retain as published keeps the flag of a live message")
    void retainAsPublished() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            publisher.open("p", true);
            client.subscribed("t", 8);
            retain(publisher, "t", 1, "live");
            assertThat(client.expectPublish().retain()).isTrue();
        }
    }

    @Test
    @DisplayName("a subscription to everything takes retained messages as fast as the client does, not all at once, and"
            + " all of them")
    void everythingComesInPages() throws IOException {
        int topics = 1000;
        int window = 5;
        try (TestServer server = new TestServer(folder);
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            for (int i = 1; i <= topics; i++) {
                publisher.publish(QOS_1 | RETAIN, "t/" + i, i, new Bytes(), new byte[] {1});
            }
            for (int i = 1; i <= topics; i++) {
                publisher.expectAck(RawMqtt.PUBACK, i);
            }
            client.open("c", false, new Bytes().u8(0x11).u32(3600).u8(0x21, 0, window));
            assertThat(client.subscribed("#", 1)).isEqualTo(1);
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < topics; i++) {
                Published next = client.expectPublish();
                assertThat(next.retain()).isTrue();
                seen.add(next.topic());
                if (i % 100 == 50) {
                    assertThat(server.messagesIn("amq.mqtt:c")).isLessThan(300);
                }
                client.ack(RawMqtt.PUBACK, next.packetId());
            }
            assertThat(seen).hasSize(topics);
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("what the session's queue has no room for now comes when it has: nothing is left out (MS-0624)")
    void refusedOnesAreOfferedAgain() throws IOException {
        int topics = 10;
        // The queue takes four or five such messages and refuses the others.
        String payload = "x".repeat(32 << 10);
        ShardSettings small = new ShardSettings(1 << 20, 1 << 20, 64 << 10, 256 << 20, 0, 4 << 20);
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(small));
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            for (int i = 1; i <= topics; i++) {
                retain(publisher, "t/" + i, i, payload);
            }
            client.open("c", true, new Bytes().u8(0x21).u16(1));
            assertThat(client.subscribed("#", 1)).isEqualTo(1);
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < topics; i++) {
                Published next = client.expectPublish();
                assertThat(seen.add(next.topic())).as(next.topic()).isTrue();
                client.ack(RawMqtt.PUBACK, next.packetId());
            }
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("[S-12] one retained message too many is answered with 0x97 and not retained")
    void limited() throws IOException {
        MqttLimits one = new MqttLimits(4 << 20, 1000, 1000, 32, 10, 0xFFFF_FFFFL, 256 << 10, 1, 1 << 20, 100);
        try (TestServer server = new TestServer(folder, one);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            retain(client, "a", 1, "kept");
            client.publish(QOS_1 | RETAIN, "b", 2, new Bytes(), new byte[] {1});
            assertThat(client.expectAck(RawMqtt.PUBACK, 2)).isEqualTo(0x97);
            client.subscribed("#", 0);
            assertThat(client.expectPublish().topic()).isEqualTo("a");
            client.expectNothing();
        }
    }

    static void retain(RawMqtt client, String topic, int id, String payload) throws IOException {
        client.publish(QOS_1 | RETAIN, topic, id, new Bytes(), payload.getBytes(StandardCharsets.UTF_8));
        client.expectAck(RawMqtt.PUBACK, id);
    }
}
