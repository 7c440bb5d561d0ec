package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.AmqpValueWriter;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages of other protocols on their way to clients. */
final class ForeignMessageTest {
    private static final int VALUE = 0x77;

    @TempDir
    Path folder;

    /** A durable message of AMQP 1.0 with a text. */
    static Message text(String exchange, String key, String text) {
        byte[] body = new AmqpValueWriter().descriptor(VALUE).value(text).toByteArray();
        SectionScanner.BareMessage bare = SectionScanner.split(List.of(body));
        Envelope envelope = new Envelope(
                exchange,
                List.of(key),
                true,
                -1,
                1_000,
                -1,
                0,
                0,
                "",
                null,
                Envelope.Origin.AMQP_1_0,
                0,
                false,
                bare.offsets(),
                List.of());
        return new Message(envelope, bare.sections());
    }

    /** As above, but its string is longer than it says it is: no head lets such a message in. */
    private static Message broken(String exchange, String key) {
        Message whole = text(exchange, key, "text");
        byte[] cut = whole.sections().get(0).clone();
        cut[cut.length - 5] = 100;
        return new Message(whole.envelope(), List.of(cut));
    }

    @Test
    @DisplayName("[D-4] [T-3] what cannot be converted is a dead letter; the client stays and gets what follows")
    void unmappable() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            declare(server, "graves", Map.of());
            declare(server, "work", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "graves"));
            client.open("c", true);
            client.subscribed("t", 1);
            client.subscribed("$queues/work", 1);
            server.publish(broken("amq.topic", "t"));
            server.publish(broken("", "work"));
            server.publish(text("amq.topic", "t", "next"));
            Published next = client.expectPublish();
            assertThat(next.payload()).isEqualTo("next");
            client.ack(RawMqtt.PUBACK, next.packetId());
            server.publish(text("", "work", "next"));
            next = client.expectPublish();
            assertThat(next.topic()).isEqualTo("$queues/work");
            client.ack(RawMqtt.PUBACK, next.packetId());
            client.disconnect();
            client.expectClosed();
            Message dead = server.taken("graves");
            assertThat(dead.envelope().deaths()).hasSize(1);
            assertThat(dead.envelope().deaths().get(0).reason()).isEqualTo("unmappable");
            assertThat(dead.envelope().deaths().get(0).queue()).isEqualTo("work");
            await().atMost(Duration.ofSeconds(20)).until(() -> server.messagesIn("work") == 0);
        }
    }

    private static void declare(TestServer server, String queue, Map<String, Object> arguments) {
        server.asked(session -> session.declareQueue(new QueueSpec(queue, true, false, false, false, arguments)));
    }
}
