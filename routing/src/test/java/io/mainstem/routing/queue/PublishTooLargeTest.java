package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Publishes that could never be written, in one read with others. */
@DisplayName("a publish that the log can never take is refused, and costs the others nothing")
final class PublishTooLargeTest {
    private final TestBroker broker = new TestBroker(ShardSettings.forHeap(1 << 30), 64 << 10);
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    /** What is retained stands in one record beside the message, which is not cut. */
    private static Message retained(int bytes) {
        byte[] section = new byte[8 + bytes];
        ByteBuffer.wrap(section).put(new byte[] {0, 0x53, 0x75, (byte) 0xb0}).putInt(bytes);
        SectionOffsets offsets = new SectionOffsets(-1, -1, -1, 0, -1, 0x75);
        Envelope envelope = new Envelope(
                "amq.topic",
                List.of("t"),
                true,
                -1,
                0,
                -1,
                0,
                0,
                "publisher",
                null,
                Envelope.Origin.MQTT_5,
                0,
                true,
                offsets,
                List.of());
        return new Message(envelope, List.of(section));
    }

    @Test
    @DisplayName("those before and behind it are stored once and answered once, however often the session flushes")
    void neighboursAreStoredOnce() {
        client.declare("q");
        List<String> answers = new ArrayList<>();
        client.onLoop(() -> {
            client.session().publish(Messages.durable("q", "a"), 1, (tag, result) -> answers.add(tag + answer(result)));
            client.session().publish(retained(70_000), 2, (tag, result) -> answers.add(tag + answer(result)));
            client.session().publish(Messages.durable("q", "b"), 3, (tag, result) -> answers.add(tag + answer(result)));
            for (int flushes = 0; flushes < 3; flushes++) {
                client.session().flush();
            }
            return true;
        });
        client.sync();

        assertThat(client.consume("q").credit(10).texts(2)).containsExactly("a", "b");
        assertThat(answers).containsExactlyInAnyOrder("1 stored", "2 MS-0313", "3 stored");
    }

    private static String answer(PublishResult result) {
        return result instanceof PublishResult.Refused refused
                ? " " + refused.text().substring(0, 7)
                : result instanceof PublishResult.Stored ? " stored" : " " + result;
    }
}
