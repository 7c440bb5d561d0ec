package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Death;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages a queue gives up go to its dead-letter exchange [T-3]. */
@DisplayName("[T-3] dead letters")
final class DeadLetterTest {
    private static final Outcome REJECTED = new Outcome.Rejected("no");

    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static Map<String, Object> deadLettersTo(String queue) {
        return Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", queue);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRejectedMessageArrivesWithItsHistoryAndItsPayload(boolean durable) {
        client.declare("dead");
        client.declare("q", deadLettersTo("dead"));
        Messages message = Messages.to("", "q").arrived(broker.nowMs()).withTtl(60_000);
        client.publish((durable ? message : message.nonDurable()).text("a"));
        broker.advanceMs(5);
        TestConsumer consumer = client.consume("q").credit(5);

        consumer.settle(consumer.next(), REJECTED);

        Delivery dead = client.consume("dead").credit(1).next();
        Message arrived = dead.message();
        assertThat(Messages.text(dead)).isEqualTo("a");
        assertThat(dead.failed()).isZero();
        assertThat(arrived.envelope().exchange()).isEmpty();
        assertThat(arrived.envelope().keys()).containsExactly("dead");
        assertThat(arrived.envelope().expireAtMs()).isZero();
        assertThat(arrived.envelope().durable()).isEqualTo(durable);
        assertThat(arrived.envelope().deaths())
                .containsExactly(
                        new Death("q", "rejected", 1, broker.nowMs(), broker.nowMs(), "", List.of("q"), 60_000, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "x-delivery-limit-counts = acquired: what a consumer releases again and again is dead-lettered, not what it has not seen")
    void acquisitionsCountByOption(boolean durable) {
        client.declare("given-up");
        client.declare(
                "acquired",
                Map.of(
                        "x-delivery-limit", 2L,
                        "x-delivery-limit-counts", "acquired",
                        "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", "given-up"));
        client.publish(durable ? Messages.durable("acquired", "m") : Messages.nonDurable("acquired", "m"));
        TestConsumer consumer = client.consume("acquired").credit(100);
        for (int times = 0; times < 5; times++) {
            consumer.settle(consumer.next(), Outcome.UNSEEN);
        }
        for (int times = 0; times < 3; times++) {
            consumer.settle(consumer.next(), Outcome.RELEASED);
        }

        assertThat(consumer.texts()).isEmpty();
        var dead = client.consume("given-up").credit(1).next();
        assertThat(dead.message().envelope().deaths().get(0).reason()).isEqualTo("delivery_limit");
    }

    @Test
    @DisplayName("x-delivery-limit-counts: failed, acquired, and nothing else")
    void wrongCounts() {
        client.declare("failed", Map.of("x-delivery-limit", 1L, "x-delivery-limit-counts", "failed"));
        client.send("failed", "m");
        TestConsumer consumer = client.consume("failed").credit(100);
        for (int times = 0; times < 5; times++) {
            consumer.settle(consumer.next(), Outcome.RELEASED);
        }
        assertThat(consumer.nextText()).isEqualTo("m");

        assertThat(TestClient.refusal(() -> client.declare("wrong", Map.of("x-delivery-limit-counts", "all"))))
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    void withoutAKeyOfItsOwnTheMessageKeepsItsKey() {
        client.ask(session ->
                session.declareExchange(new ExchangeSpec("dlx", ExchangeType.TOPIC, true, false, false, Map.of())));
        client.declare("dead");
        client.bind("dlx", "dead", "q.#");
        client.declare("q.1", Map.of("x-dead-letter-exchange", "dlx"));
        client.send("q.1", "a");
        TestConsumer consumer = client.consume("q.1").credit(1);

        consumer.settle(consumer.next(), REJECTED);

        assertThat(client.consume("dead").credit(1).next().message().envelope().keys())
                .containsExactly("q.1");
    }

    @Test
    void anExchangeThatIsGoneDropsTheMessage() {
        client.declare("q", Map.of("x-dead-letter-exchange", "nowhere"));
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(1);

        consumer.settle(consumer.next(), REJECTED);
        client.sync();

        assertThat(client.delete("q")).isZero();
    }

    @Test
    void aMessagePurgedWhileAConsumerHoldsItIsNotRevived() {
        client.declare("dead");
        client.declare("q", deadLettersTo("dead"));
        client.send("q", "a");
        TestConsumer consumer = client.consume("q");
        // In one batch: the consumer takes the message before the purge is on disk.
        client.onLoop(() -> client.session().purgeQueue("q"));
        Delivery purged = consumer.credit(1).next();
        client.sync();

        consumer.settle(purged, REJECTED);
        client.sync();

        assertThat(client.delete("dead")).isZero();
    }

    @Test
    void aMessageMayComeRoundAsLongAsSomebodyRejectsIt() {
        client.declare("a", deadLettersTo("b"));
        client.declare("b", deadLettersTo("a"));
        client.send("a", "m");
        TestConsumer fromA = client.consume("a").credit(10);
        TestConsumer fromB = client.consume("b").credit(10);

        fromA.settle(fromA.next(), REJECTED);
        fromB.settle(fromB.next(), REJECTED);
        Delivery back = fromA.next();
        fromA.settle(back, REJECTED);

        List<Death> deaths = fromB.next().message().envelope().deaths();
        assertThat(deaths).extracting(Death::queue).containsExactly("a", "b");
        assertThat(deaths).extracting(Death::count).containsExactly(2, 1);
    }

    @Test
    void aCycleWithoutARejectionEnds() {
        client.declare("a", withTtl(10, "b"));
        client.declare("b", withTtl(10, "a"));
        client.publish(Messages.to("", "a").arrived(broker.nowMs()).text("m"));

        broker.advanceMs(10);
        client.sync();
        broker.advanceMs(10);
        client.sync();

        assertThat(client.delete("a")).isZero();
        assertThat(client.delete("b")).isZero();
    }

    private static Map<String, Object> withTtl(long ttlMs, String next) {
        return Map.of("x-message-ttl", ttlMs, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", next);
    }

    @Test
    @DisplayName("a durable message that waited in memory is on disk once its dead-letter queue is durable")
    void fromANonDurableQueueToADurableOne() {
        client.declare("dead");
        client.declare(new QueueSpec("q", false, false, false, false, deadLettersTo("dead")));
        client.publish(Messages.durable("q", "a"));
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), REJECTED);
        awaitDead(1);

        broker.crash();

        assertThat(broker.client().consume("dead").credit(1).nextText()).isEqualTo("a");
    }

    @Test
    void aDeadLetterSurvivesACrashWithItsHistory() {
        client.declare("dead");
        client.declare("q", deadLettersTo("dead"));
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), REJECTED);
        awaitDead(1);

        broker.crash();

        TestClient later = broker.client();
        Delivery dead = later.consume("dead").credit(1).next();
        assertThat(Messages.text(dead)).isEqualTo("a");
        assertThat(dead.message().envelope().deaths()).hasSize(1);
        assertThat(later.delete("q")).isZero();
    }

    @Test
    @DisplayName("[T-3] a history of many queues with long keys is bounded, the latest are kept")
    void aLongHistoryIsBounded() {
        List<Death> deaths = new ArrayList<>();
        String key = "k".repeat(1000);
        for (int queue = 0; queue < 100; queue++) {
            deaths.add(new Death("q" + queue, "rejected", 1, 1, 1, "", List.of(key), -1, 0));
        }
        Message message = Messages.durable("q", "a");
        Envelope envelope = message.envelope().deadLettered("", "q", deaths);

        List<Death> history = DeathHistory.with(envelope, "last", "expired", 0, 2);

        assertThat(history).hasSizeBetween(10, 20);
        assertThat(history).extracting(Death::queue).startsWith("last", "q0", "q1");
    }

    /** A dead letter may have to be read back before it is moved. */
    private void awaitDead(int messages) {
        TestBroker.await(() ->
                client.ask(session -> session.status(List.of("dead"))).get(0).ready() == messages);
    }
}
