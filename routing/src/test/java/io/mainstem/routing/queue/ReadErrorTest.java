package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.DelayedMessage;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.store.files.SimFaults.ReadError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads that fail though nothing is wrong with the message. */
@DisplayName("ADR 0066: a read that fails proves nothing: it is done again, and the message keeps its place")
final class ReadErrorTest {
    private static final Map<String, Object> DEAD_LETTERED =
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    /** Nothing of what there is stays in memory; the next reads fail. */
    private void failReads(int reads, ReadError how) {
        broker.restart();
        client = broker.client();
        broker.files().failMessageReads(reads, how);
    }

    /** A second passes, and another one, until it is so. */
    private void passTimeUntil(BooleanSupplier condition) {
        TestBroker.await(() -> {
            broker.advanceMs(1000);
            client.sync();
            return condition.getAsBoolean();
        });
    }

    /** What has come when so many have, while time passes. */
    private List<Delivery> deliveries(TestConsumer consumer, int count) {
        List<Delivery> all = new ArrayList<>();
        passTimeUntil(() -> {
            all.addAll(consumer.arrived());
            return all.size() >= count;
        });
        client.sync();
        all.addAll(consumer.arrived());
        assertThat(broker.files().messageReadsFailing()).isZero();
        return all;
    }

    private List<String> texts(TestConsumer consumer, int count) {
        return deliveries(consumer, count).stream().map(Messages::text).toList();
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("consumers get messages in their order, whatever kind of error it was")
    void consumersGetMessagesInOrder(ReadError how) {
        client.declare("q");
        client.send("q", "a", "b", "c");
        failReads(2, how);

        TestConsumer consumer = client.consume("q").credit(10);

        assertThat(texts(consumer, 3)).containsExactly("a", "b", "c");
    }

    @Test
    @DisplayName("so do browsers")
    void browsersSeeThemInOrder() {
        client.declare("q");
        client.send("q", "a", "b", "c");
        failReads(3, ReadError.MEDIUM);

        TestConsumer browser = client.consume("q", new ConsumerSpec("b", false, true, false, 0, Outcome.RELEASED))
                .credit(10);

        assertThat(texts(browser, 3)).containsExactly("a", "b", "c");
    }

    @Test
    @DisplayName("a consumer that goes away meanwhile holds nothing up")
    void aConsumerThatGoesAway() {
        client.declare("q");
        client.send("q", "a", "b", "c");
        failReads(3, ReadError.OPEN_FILES);

        client.consume("q").credit(10).close(Outcome.RELEASED);
        client.sync();
        TestConsumer next = client.consume("q").credit(10);

        assertThat(texts(next, 3)).containsExactly("a", "b", "c");
    }

    @Test
    @DisplayName("a queue that is deleted meanwhile gives its room for reads back")
    void aQueueThatIsDeleted() {
        client.declare("q");
        client.send("q", "a", "b", "c");
        failReads(3, ReadError.MEMORY);

        client.consume("q").credit(10);
        TestBroker.await(() -> broker.files().messageReadsFailing() == 0);
        client.delete("q");

        passTimeUntil(() -> TestClient.get(broker.broker().readAheadBytes()) == 0);
    }

    @Test
    @DisplayName("dead letters are moved, in their order")
    void deadLettersAreMoved() {
        client.declare("dead");
        client.declare("q", DEAD_LETTERED);
        client.publish(List.of(
                Messages.to("", "q").arrived(broker.nowMs()).withTtl(100).text("a"),
                Messages.to("", "q").arrived(broker.nowMs()).withTtl(100).text("b")));
        failReads(2, ReadError.MEDIUM);

        broker.advanceMs(5000);

        assertThat(texts(client.consume("dead").credit(10), 2)).containsExactly("a", "b");
    }

    @Test
    @DisplayName(
            "a dead letter that cannot be read for a minute lets those of others pass, and is there after a restart")
    void aBadSectorStopsNobodyElse() {
        client.declare("dead");
        client.declare("q", DEAD_LETTERED);
        client.declare("other", DEAD_LETTERED);
        client.publish(List.of(
                Messages.to("", "q").arrived(broker.nowMs()).withTtl(100).text("a")));
        failReads(60, ReadError.MEDIUM);
        broker.advanceMs(5000);
        passTimeUntil(() -> broker.files().messageReadsFailing() == 0);

        client.publish(List.of(
                Messages.to("", "other").arrived(broker.nowMs()).withTtl(100).text("b")));
        broker.advanceMs(5000);
        assertThat(texts(client.consume("dead").credit(10), 1)).containsExactly("b");

        broker.restart();
        client = broker.client();
        broker.advanceMs(5000);
        TestConsumer again = client.consume("dead").credit(10);
        List<String> found = new ArrayList<>();
        passTimeUntil(() -> {
            again.arrived().forEach(each -> found.add(Messages.text(each)));
            return found.contains("a");
        });
    }

    @Test
    @DisplayName("a commit that rejects waits for its messages, and then counts with all of them")
    void aCommitWaits() {
        client.declare("dead");
        client.declare("q", DEAD_LETTERED);
        client.send("q", "a", "b");
        failReads(0, ReadError.MEDIUM);
        TestConsumer consumer = client.consume("q").credit(10);
        consumer.nextTexts(2);
        broker.files().failMessageReads(2, ReadError.MEDIUM);

        TestTransaction transaction = new TestTransaction(client);
        transaction.settle(consumer, 0, 1, new Outcome.Rejected("no"), true);
        var committed = client.asked(session -> transaction.commitOnLoop());
        passTimeUntil(() -> committed.toCompletableFuture().isDone());

        assertThat(texts(client.consume("dead").credit(10), 2)).containsExactly("a", "b");
        broker.restart();
        client = broker.client();
        assertThat(client.consume("q").credit(10).texts()).isEmpty();
    }

    @Test
    @DisplayName("delayed messages come, in their order")
    void delayedMessagesCome() {
        client.declare("q");
        client.publish(List.of(
                Messages.to("", "q").deliverAt(broker.nowMs() + 10_000).text("a"),
                Messages.to("", "q").deliverAt(broker.nowMs() + 10_001).text("b")));
        failReads(2, ReadError.OPEN_FILES);

        broker.advanceMs(11_000);

        assertThat(texts(client.consume("q").credit(10), 2)).containsExactly("a", "b");
    }

    @Test
    @DisplayName("delayed messages are listed and cancelled, not reported as unknown")
    void delayedMessagesAreListedAndCancelled() {
        client.declare("q");
        client.publish(
                Messages.to("", "q").deliverAt(broker.nowMs() + 1_000_000).text("a"));
        failReads(1, ReadError.MEDIUM);

        var listed = client.asked(session -> session.delayedMessages("", 10));
        passTimeUntil(() -> listed.toCompletableFuture().isDone());
        List<DelayedMessage> found = TestClient.get(listed).messages();
        assertThat(found).hasSize(1);
        broker.files().failMessageReads(1, ReadError.MEDIUM);
        var cancelled =
                client.asked(session -> session.cancelDelayed(found.get(0).id()));
        passTimeUntil(() -> cancelled.toCompletableFuture().isDone());
        TestClient.get(cancelled);
    }

    @Test
    @DisplayName("[ADR 0049] a last-value queue finds what was replaced")
    void lastValuesAreReplaced() {
        client.declare("q", Map.of("x-last-value-key", "color"));
        // The first is with a consumer when the second comes, so that both are there after a restart.
        TestConsumer holder = client.consume("q").credit(1);
        client.publish(Colored.to("q").of("red", 1));
        holder.next();
        client.publish(Colored.to("q").of("red", 2));
        client.sync();
        failReads(2, ReadError.MEDIUM);

        TestConsumer consumer = client.consume("q").credit(10);

        assertThat(deliveries(consumer, 1)).extracting(Colored::n).containsExactly(2L);
    }
}
