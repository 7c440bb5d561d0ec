package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.DelayedMessage;
import io.mainstem.routing.DelayedPage;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-8] delayed messages are listed, and cancelled by their id")
final class CancelDelayedTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long TEN_YEARS_MS = 10L * 366 * 24 * HOUR_MS;

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private Message delayed(String queue, long delayMs, String text) {
        return Messages.to("", queue)
                .arrived(broker.nowMs())
                .deliverAt(broker.nowMs() + delayMs)
                .text(text);
    }

    private static Message of(String user, Message message) {
        Envelope old = message.envelope();
        Envelope envelope = new Envelope(
                old.exchange(),
                old.keys(),
                old.durable(),
                old.priority(),
                old.arrivalMs(),
                old.ttlMs(),
                old.expireAtMs(),
                old.deliverAtMs(),
                old.publisherId(),
                user,
                old.origin(),
                old.publisherQos(),
                old.retain(),
                old.offsets(),
                old.deaths());
        return new Message(envelope, message.sections());
    }

    private List<DelayedMessage> list() {
        return client.ask(session -> session.delayedMessages("", 1000)).messages();
    }

    private void cancel(String id) {
        client.ask(session -> session.cancelDelayed(id));
    }

    @Test
    void whatIsCancelledNeverComes() {
        client.declare("q");
        client.publish(List.of(delayed("q", 1000, "a"), delayed("q", 2 * HOUR_MS, "b"), delayed("q", 1000, "c")));
        List<DelayedMessage> all = list();
        assertThat(all).hasSize(3);
        assertThat(all.get(0).routingKey()).isEqualTo("q");
        assertThat(all.get(0).deliverAtMs()).isEqualTo(broker.nowMs() + 1000);

        cancel(all.get(0).id());
        cancel(all.get(1).id());

        assertThat(list()).containsExactly(all.get(2));
        broker.advanceMs(3 * HOUR_MS);
        assertThat(client.consume("q").credit(9).texts(1)).containsExactly("b");
    }

    @Test
    @DisplayName("a crash after the answer does not bring it back")
    void cancelledForGood() {
        client.declare("q");
        client.publish(List.of(delayed("q", HOUR_MS, "a"), delayed("q", HOUR_MS, "b")));
        cancel(list().get(0).id());

        broker.crash();
        client = broker.client();
        broker.advanceMs(2 * HOUR_MS);

        assertThat(client.consume("q").credit(9).texts(1)).containsExactly("b");
    }

    @Test
    @DisplayName("ten years ahead: it survives crash and restart, can be cancelled, and else comes")
    void tenYears() {
        client.declare("q");
        client.publish(List.of(delayed("q", TEN_YEARS_MS, "a"), delayed("q", TEN_YEARS_MS, "b")));
        List<DelayedMessage> before = list();
        broker.crash();
        broker.restart();
        client = broker.client();
        assertThat(list()).isEqualTo(before);

        cancel(before.get(1).id());
        broker.advanceMs(TEN_YEARS_MS - 1);
        TestConsumer consumer = client.consume("q").credit(9);
        assertThat(consumer.texts()).isEmpty();
        broker.advanceMs(1);

        assertThat(consumer.texts(1)).containsExactly("a");
    }

    @Test
    void whatDoesNotWaitIsNotFound() {
        client.declare("q");
        client.publish(List.of(delayed("q", 1000, "a"), delayed("q", HOUR_MS, "b")));
        List<DelayedMessage> all = list();
        cancel(all.get(1).id());
        broker.advanceMs(1000);
        assertThat(client.consume("q").credit(1).nextText()).isEqualTo("a");

        for (String id : List.of(all.get(0).id(), all.get(1).id(), "0-0", "999999999-1", "1-", "x", "")) {
            assertThat(TestClient.refusal(() -> cancel(id))).as(id).isEqualTo(ErrorKind.NOT_FOUND);
        }
    }

    @Test
    void longListsComeInPages() {
        client.declare("q");
        List<Message> messages = new ArrayList<>();
        for (int at = 0; at < 50; at++) {
            messages.add(delayed("q", 1 + at * HOUR_MS / 5, "m" + at));
        }
        client.publish(messages);
        List<DelayedMessage> all = new ArrayList<>();
        String after = "";
        while (after != null) {
            String from = after;
            DelayedPage page = client.ask(session -> session.delayedMessages(from, 7));
            all.addAll(page.messages());
            after = page.next();
        }

        assertThat(all).isEqualTo(list()).hasSize(50).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("issue 12 line 10: a user with one message among thousands of others' finds it, page by page")
    void oneAmongThousands() {
        client.declare("q");
        List<Message> messages = new ArrayList<>();
        for (int at = 0; at < 2 * DelayedRequests.LOOKS_MAX + 10; at++) {
            messages.add(delayed("q", HOUR_MS, "m" + at));
        }
        client.publish(messages);
        broker.access(AccessPolicy.of(Map.of(
                "anna", List.of(AccessRule.parse("allow write queue q")),
                "anonymous", List.of(AccessRule.parse("allow all")))));
        TestClient limited = broker.client("anna");
        client.publish(List.of(of("anna", delayed("q", 2 * HOUR_MS, "hers"))));

        List<DelayedMessage> found = new ArrayList<>();
        int pages = 0;
        for (String after = ""; after != null; pages++) {
            String from = after;
            DelayedPage page = limited.ask(session -> session.delayedMessages(from, 10));
            found.addAll(page.messages());
            after = page.next();
        }

        assertThat(found).extracting(DelayedMessage::user).containsExactly("anna");
        assertThat(pages).isEqualTo(3);
    }
}
