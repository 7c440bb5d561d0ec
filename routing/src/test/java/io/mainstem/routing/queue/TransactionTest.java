package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishes and settlements that count together or not at all ([L-9], mapping 4.12, mapping 4.13). */
final class TransactionTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private TestTransaction begin() {
        return new TestTransaction(client);
    }

    @Test
    @DisplayName("nothing is visible before the commit, then all of it in the order it was published")
    void commitMakesAllVisible() {
        client.declare("a");
        client.declare("b");
        TestConsumer onA = client.consume("a").credit(10);
        TestConsumer onB = client.consume("b").credit(10);
        TestTransaction transaction = begin().send("a", "1", "2").send("b", "3");

        assertThat(onA.texts()).isEmpty();
        assertThat(onB.texts()).isEmpty();

        transaction.commit();

        assertThat(onA.nextTexts(2)).containsExactly("1", "2");
        assertThat(onB.nextText()).isEqualTo("3");
    }

    @Test
    void rolledBackMessagesAreNeverSeen() {
        client.declare("q");
        begin().send("q", "never").rollback();
        begin().send("q", "seen").commit();

        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("seen");
        assertThat(client.delete("q")).isEqualTo(1);
    }

    @Test
    @DisplayName("non-durable messages become visible with the commit, too")
    void nonDurableMessages() {
        client.declare("q");
        TestConsumer consumer = client.consume("q").credit(5);
        TestTransaction transaction = begin();
        transaction.publish(Messages.nonDurable("q", "light"));
        transaction.send("q", "heavy");

        assertThat(consumer.texts()).isEmpty();
        transaction.commit();

        assertThat(consumer.nextTexts(2)).containsExactlyInAnyOrder("light", "heavy");
    }

    @Test
    @DisplayName("a commit is on disk when it is answered: sends and settlements survive a crash together")
    void committedSurvivesACrash() {
        client.declare("in");
        client.declare("out");
        client.send("in", "1", "2");
        TestConsumer consumer = client.consume("in").credit(1);
        begin().settle(consumer, consumer.next(), Outcome.ACCEPTED)
                .send("out", "answer")
                .commit();

        broker.crash();

        TestClient after = broker.client();
        assertThat(after.consume("in").credit(5).nextText()).isEqualTo("2");
        assertThat(after.consume("out").credit(5).nextText()).isEqualTo("answer");
        assertThat(after.delete("in")).isEqualTo(1);
    }

    @Test
    @DisplayName("a crash before the commit is a rollback of both")
    void openTransactionIsRolledBackByACrash() {
        client.declare("in");
        client.declare("out");
        client.send("in", "1");
        TestConsumer consumer = client.consume("in").credit(1);
        begin().settle(consumer, consumer.next(), Outcome.ACCEPTED).send("out", "answer");
        client.sync();

        broker.crash();

        TestClient after = broker.client();
        assertThat(after.consume("in").credit(5).nextText()).isEqualTo("1");
        assertThat(after.delete("out")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[T-5] rollback returns what was settled to its old place, in order, as failed once more")
    void rollbackRedeliversInOrder(boolean durable) {
        client.declare("q");
        for (String text : List.of("1", "2", "3", "4")) {
            client.publish(durable ? Messages.durable("q", text) : Messages.nonDurable("q", text));
        }
        TestConsumer consumer = client.consume("q").credit(3);
        consumer.nextTexts(3);
        TestTransaction transaction = begin();
        transaction.settle(consumer, 2, 2, Outcome.ACCEPTED, true);
        transaction.settle(consumer, 0, 1, Outcome.ACCEPTED, true);

        transaction.rollback();
        consumer.credit(4);

        List<Delivery> again = List.of(consumer.next(), consumer.next(), consumer.next(), consumer.next());
        assertThat(again.stream().map(Messages::text)).containsExactly("1", "2", "3", "4");
        assertThat(again.stream().map(Delivery::failed)).containsExactly(1, 1, 1, 0);
    }

    @Test
    @DisplayName("a rollback leaves deliveries that were not settled with their consumer")
    void unsettledDeliveriesStay() {
        client.declare("q");
        client.send("q", "1", "2");
        TestConsumer consumer = client.consume("q").credit(10);
        consumer.nextTexts(2);
        TestTransaction transaction = begin();
        transaction.settle(consumer, 0, 1, Outcome.ACCEPTED, false);

        transaction.rollback();

        assertThat(consumer.texts()).isEmpty();
        consumer.settle(0, 0, Outcome.ACCEPTED).settle(1, 1, Outcome.FAILED);
        Delivery again = consumer.next();
        assertThat(Messages.text(again)).isEqualTo("2");
        assertThat(again.failed()).isEqualTo(1);
    }

    @Test
    @DisplayName("deliveries in a transaction cannot be settled beside it")
    void enlistedDeliveriesAreNotSettledBesideIt() {
        client.declare("q");
        client.send("q", "1");
        TestConsumer consumer = client.consume("q").credit(10);
        Delivery first = consumer.next();
        TestTransaction transaction = begin().settle(consumer, first, Outcome.ACCEPTED);

        consumer.settle(first, Outcome.ACCEPTED);
        client.sync();
        transaction.rollback();

        assertThat(consumer.nextText()).isEqualTo("1");
    }

    @Test
    @DisplayName("closing a consumer changes nothing about the transaction (Jakarta Messaging)")
    void consumerMayCloseBeforeTheCommit() {
        client.declare("q");
        client.send("q", "1", "2");
        TestConsumer consumer = client.consume("q").credit(1);
        TestTransaction transaction = begin().settle(consumer, consumer.next(), Outcome.ACCEPTED);

        consumer.close();
        transaction.commit();

        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("2");
    }

    @Test
    @DisplayName("a delivery that is not the consumer's any more makes the commit a rollback")
    void lateSettlementRollsBack() {
        client.declare("q");
        client.declare("out");
        client.send("q", "1");
        TestConsumer consumer = client.consume("q").credit(1);
        Delivery first = consumer.next();
        consumer.settle(first, Outcome.RELEASED);
        client.sync();
        TestTransaction transaction =
                begin().settle(consumer, first, Outcome.ACCEPTED).send("out", "answer");

        assertThat(TestClient.refusal(transaction::commit)).isEqualTo(ErrorKind.ROLLED_BACK);

        assertThat(client.consume("out").credit(5).texts()).isEmpty();
        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("1");
    }

    @Test
    @DisplayName("what is published behind a refusal takes no room that is never given back")
    void publishesBehindARefusal() {
        client.declare("q");
        TestTransaction transaction = begin().send("q", "1");
        assertThat(transaction.publish(Messages.to("missing", "k").text("2")))
                .isInstanceOf(PublishResult.Refused.class);

        transaction.send("q", "3", "4");
        assertThat(TestClient.refusal(transaction::commit)).isEqualTo(ErrorKind.ROLLED_BACK);

        assertThat(broker.transactionBytes()).isZero();
        assertThat(client.delete("q")).isZero();
    }

    @Test
    @DisplayName("the end of the session rolls back")
    void lostSessionRollsBack() {
        client.declare("q");
        client.send("q", "1", "2");
        TestClient lost = broker.client();
        TestConsumer consumer = lost.consume("q").credit(1);
        new TestTransaction(lost)
                .settle(consumer, consumer.next(), Outcome.ACCEPTED)
                .send("q", "never");

        lost.close();

        TestConsumer other = client.consume("q").credit(5);
        Delivery again = other.next();
        assertThat(Messages.text(again)).isEqualTo("1");
        assertThat(again.failed()).isEqualTo(1);
        assertThat(other.texts(1)).containsExactly("2");
        assertThat(broker.transactionBytes()).isZero();
    }

    @Test
    @DisplayName("a clean stop rolls back without counting a failure")
    void cleanStopRollsBack() {
        client.declare("q");
        client.send("q", "1");
        TestConsumer consumer = client.consume("q").credit(1);
        begin().settle(consumer, consumer.next(), Outcome.ACCEPTED);
        client.sync();

        broker.restart();

        assertThat(broker.client().consume("q").credit(5).next().failed()).isZero();
    }

    @Test
    @DisplayName("outcomes other than accepted take effect with the commit")
    void otherOutcomes() {
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        client.send("q", "released", "failed", "rejected");
        TestConsumer consumer = client.consume("q").credit(3);
        consumer.nextTexts(3);
        TestTransaction transaction = begin();
        transaction.settle(consumer, 0, 0, Outcome.RELEASED, true);
        transaction.settle(consumer, 1, 1, Outcome.FAILED, true);
        transaction.settle(consumer, 2, 2, new Outcome.Rejected("bad"), true);
        consumer.credit(5);
        assertThat(consumer.texts()).isEmpty();

        transaction.commit();

        assertThat(consumer.next().failed()).isZero();
        assertThat(consumer.next().failed()).isEqualTo(1);
        assertThat(client.consume("dead").credit(1).nextText()).isEqualTo("rejected");
    }

    @Test
    void unroutableIsLeftToTheCaller() {
        assertThat(begin().publish(Messages.durable("nowhere", "x"))).isInstanceOf(PublishResult.Unroutable.class);
    }

    @Test
    @DisplayName("a refused posting makes the commit a rollback, and the reason is told")
    void refusedPostingRollsBack() {
        client.declare("q");
        TestTransaction transaction = begin().send("q", "1");

        assertThat(transaction.publish(Messages.to("no such exchange", "k").text("2")))
                .isInstanceOf(PublishResult.Refused.class);

        assertThatThrownBy(transaction::commit)
                .isInstanceOf(BrokerException.class)
                .hasMessageStartingWith("MS-0360")
                .hasMessageContaining("no such exchange");
        assertThat(client.delete("q")).isZero();
    }

    @Test
    @DisplayName("a transaction above its memory is refused by name, and its room is given back")
    void tooLargeTransaction() {
        client.declare("q");
        byte[] payload = new byte[1 << 20];
        TestTransaction transaction = begin();
        PublishResult result = transaction.publish(Messages.to("", "q").bytes(payload));
        while (result instanceof PublishResult.Stored) {
            result = transaction.publish(Messages.to("", "q").bytes(payload));
        }

        assertThat(((PublishResult.Refused) result).kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT);
        assertThat(TestClient.refusal(transaction::commit)).isEqualTo(ErrorKind.ROLLED_BACK);
        assertThat(broker.transactionBytes()).isZero();
        assertThat(client.delete("q")).isZero();
    }

    @Test
    @DisplayName("messages of more than one batch of the log are one transaction, too")
    void largeTransaction() {
        client.declare("q");
        TestTransaction transaction = begin();
        for (int i = 0; i < 40; i++) {
            transaction.publish(Messages.to("", "q").bytes(new byte[300_000]));
        }
        transaction.commit();

        broker.crash();

        assertThat(broker.client().delete("q")).isEqualTo(40);
    }

    @Test
    @DisplayName("what is published behind a commit does not overtake it")
    void orderBehindACommit() {
        client.declare("in");
        client.declare("q");
        client.send("in", "x");
        TestConsumer consumer = client.consume("in").credit(1);
        TestTransaction transaction =
                begin().settle(consumer, consumer.next(), Outcome.ACCEPTED).send("q", "1");
        TestTransaction next = begin().send("q", "2");

        client.onLoop(() -> {
            transaction.commitOnLoop();
            next.commitOnLoop();
            client.session().publish(Messages.durable("q", "3"), 1, (tag, result) -> {});
            client.session().flush();
            return true;
        });

        assertThat(client.consume("q").credit(5).nextTexts(3)).containsExactly("1", "2", "3");
    }

    @Test
    void presettledConsumersHaveNothingToSettle() {
        client.declare("q");
        client.send("q", "1");
        TestConsumer consumer = client.consume("q", new ConsumerSpec("c", false, false, true, 0, Outcome.RELEASED))
                .credit(1);
        TestTransaction transaction = begin().settle(consumer, consumer.next(), Outcome.ACCEPTED);

        assertThat(TestClient.refusal(transaction::commit)).isEqualTo(ErrorKind.ROLLED_BACK);
    }
}
