package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.routing.QueueSpec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that expire while they wait for the client's window: their delivery has not been started [T-4]. */
final class WaitingExpiryTest {
    private static final int QOS_1 = 2;
    private static final Duration LATER = Duration.ofSeconds(4);

    private final TestServer.Clock clock = new TestServer.Clock();

    @TempDir
    Path folder;

    @Test
    @DisplayName("[MQTT-3.3.2-5] a message that expires behind a full receive window is not sent, and leaves its queue")
    void behindTheWindow() throws IOException {
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(clock));
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            client.open("c", false, new Bytes().u8(0x11).u32(3600).u8(0x21).u16(1));
            client.subscribed("t", 1);
            publish(publisher, "t", 1, "first", 60);
            publish(publisher, "t", 2, "second, for a second", 1);
            publish(publisher, "t", 3, "third", 60);
            Published first = client.expectPublish();
            clock.advance(LATER);
            client.ack(RawMqtt.PUBACK, first.packetId());
            Published third = client.expectPublish();
            assertThat(third)
                    .returns("third", Published::payload)
                    .returns(false, Published::dup)
                    .satisfies(it -> assertThat(it.properties()).containsExactly("02=56"));
            client.ack(RawMqtt.PUBACK, third.packetId());
            publish(publisher, "t", 4, "fourth", 60);
            assertThat(client.expectPublish().payload()).isEqualTo("fourth");
            long waiting = server.messagesIn("amq.mqtt:c");
            for (int looks = 0; waiting > 1 && looks < 10_000; looks++) {
                // Settlements are not waited for.
                waiting = server.messagesIn("amq.mqtt:c");
            }
            assertThat(waiting).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("[T-4] what expires by the ttl of its queue is not sent, either, but dead-lettered")
    void byItsQueue() throws IOException {
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(clock));
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            server.asked(session -> session.declareQueue(QueueSpec.durable("dead")));
            Map<String, Object> arguments =
                    Map.of("x-message-ttl", 1000L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");
            server.asked(session -> session.declareQueue(new QueueSpec("q", true, false, false, false, arguments)));
            publisher.open("p", true);
            client.open("c", true, new Bytes().u8(0x21).u16(1));
            client.subscribed("$queues/q", 1);
            publish(publisher, "$queues/q", 1, "first", 60);
            publish(publisher, "$queues/q", 2, "second", 60);
            Published first = client.expectPublish();
            clock.advance(LATER);
            client.ack(RawMqtt.PUBACK, first.packetId());
            client.expectNothing();
            assertThat(server.taken("dead").envelope().deaths().get(0).reason()).isEqualTo("expired");
            client.expectNothing();
        }
    }

    private static void publish(RawMqtt client, String topic, int id, String payload, int seconds) throws IOException {
        client.publish(QOS_1, topic, id, new Bytes().u8(2).u32(seconds), payload.getBytes(StandardCharsets.UTF_8));
        client.expectAck(RawMqtt.PUBACK, id);
    }
}
