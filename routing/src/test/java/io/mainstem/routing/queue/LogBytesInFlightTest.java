package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.PublishResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** store.in-flight-bytes-max: what is on its way to a log that does not get on, of all sessions. */
final class LogBytesInFlightTest {
    /** Together more than the 16 MiB that may be on their way to the log. */
    private static final int PUBLISHERS = 3;

    private static final int MESSAGES_EACH = 24;
    private static final byte[] PAYLOAD = new byte[256 << 10];

    private final TestBroker broker = new TestBroker();

    @AfterEach
    void close() {
        broker.files().holdLogWrites(false);
        broker.close();
    }

    @Test
    @DisplayName(
            "[L-10] too many bytes on their way to the log hold all publishers back until it gets on; nothing is lost")
    void publishersWaitForTheLog() {
        TestClient bystander = broker.client();
        bystander.declare("q");
        bystander.send("q", "before");
        broker.files().holdLogWrites(true);
        List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
        for (int i = 0; i < PUBLISHERS; i++) {
            answers.addAll(publish(broker.client()));
        }
        broker.awaitHeldByLog(bystander);
        CompletableFuture<Boolean> writable = new CompletableFuture<>();
        bystander.onLoop(() -> {
            bystander.session().onWritable(() -> writable.complete(true));
            return true;
        });

        assertThat(bystander.onLoop(() -> bystander.session().blockedReason()))
                .isEqualTo("the log has too many bytes in flight");
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        assertThat(writable).isNotDone();
        broker.files().holdLogWrites(false);

        assertThat(TestClient.get(writable)).isTrue();
        assertThat(answers)
                .allSatisfy(answer -> assertThat(TestClient.get(answer)).isInstanceOf(PublishResult.Stored.class));
        bystander.send("q", "after");
        TestConsumer consumer = bystander.consume("q").credit(answers.size() + 2);
        assertThat(consumer.nextText()).isEqualTo("before");
        for (int i = 0; i < answers.size(); i++) {
            assertThat(consumer.next()).isNotNull();
        }
        assertThat(consumer.nextText()).isEqualTo("after");
    }

    private static List<CompletableFuture<PublishResult>> publish(TestClient client) {
        List<CompletableFuture<PublishResult>> answers = new ArrayList<>();
        client.onLoop(() -> {
            for (int i = 0; i < MESSAGES_EACH; i++) {
                CompletableFuture<PublishResult> answer = new CompletableFuture<>();
                answers.add(answer);
                client.session()
                        .publish(Messages.to("", "q").bytes(PAYLOAD), i + 1, (tag, result) -> answer.complete(result));
            }
            client.session().flush();
            return true;
        });
        return answers;
    }
}
