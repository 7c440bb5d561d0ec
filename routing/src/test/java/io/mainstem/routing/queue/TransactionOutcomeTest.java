package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.message.Death;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Outcomes other than accepted are a part of the commit, too: a crash behind it takes none of them back. */
final class TransactionOutcomeTest {
    private static final Outcome REJECTED = new Outcome.Rejected("no");
    private static final BranchId ID = BranchId.of(new byte[] {9});
    private static final Map<String, Object> DEAD_LETTERS =
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead", "x-delivery-limit", 1L);

    // Messages leave memory at once, so that dead letters have to be read back.
    private final TestBroker broker = new TestBroker(new ShardSettings(1024, 4096, 1 << 20, 1 << 20, 0, 1 << 20));
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private enum Commit {
        LOCAL,
        ONE_PHASE,
        TWO_PHASE,
        RESTART_BETWEEN
    }

    private void crash() {
        broker.crash();
        client = broker.client();
    }

    private void commit(Commit how, TestTransaction transaction) {
        if (how == Commit.LOCAL || how == Commit.ONE_PHASE) {
            transaction.commit();
            return;
        }
        transaction.prepare();
        if (how == Commit.RESTART_BETWEEN) {
            crash();
        }
        client.ask(session -> session.commitPrepared(ID));
    }

    private long ready(String queue) {
        List<QueueStatus> status = client.ask(session -> session.status(List.of(queue)));
        return status.get(0).ready();
    }

    @ParameterizedTest
    @EnumSource(Commit.class)
    @DisplayName(
            "[T-3] [J-8] rejected, failed, given back, beyond the delivery limit: all with the commit, before a crash")
    void allOutcomesAreInTheCommit(Commit how) {
        client.declare("dead");
        client.declare("q", DEAD_LETTERS);
        client.send("q", "accept", "reject", "fail", "release", "limit");
        TestConsumer consumer = client.consume("q").credit(5);
        List<Delivery> got =
                List.of(consumer.next(), consumer.next(), consumer.next(), consumer.next(), consumer.next());
        consumer.settle(got.get(4), Outcome.FAILED).credit(1);
        Delivery limit = consumer.next();
        TestTransaction transaction =
                how == Commit.LOCAL ? new TestTransaction(client) : new TestTransaction(client, ID);
        transaction.settle(consumer, got.get(0), Outcome.ACCEPTED);
        transaction.settle(consumer, got.get(1), REJECTED);
        transaction.settle(consumer, got.get(2), Outcome.FAILED);
        transaction.settle(consumer, got.get(3), Outcome.RELEASED);
        transaction.settle(consumer, limit, Outcome.FAILED);

        commit(how, transaction);
        crash();

        assertThat(ready("q")).isEqualTo(2);
        assertThat(ready("dead")).isEqualTo(2);
        TestConsumer again = client.consume("q").credit(2);
        Delivery failed = again.next();
        Delivery released = again.next();
        assertThat(Messages.text(failed)).isEqualTo("fail");
        assertThat(failed.failed()).isEqualTo(1);
        assertThat(Messages.text(released)).isEqualTo("release");
        assertThat(released.failed()).isZero();
        TestConsumer dead = client.consume("dead").credit(2);
        for (String reason : List.of("rejected", "delivery_limit")) {
            Delivery letter = dead.next();
            assertThat(Messages.text(letter)).isEqualTo(reason.equals("rejected") ? "reject" : "limit");
            assertThat(letter.message().envelope().deaths())
                    .extracting(Death::reason)
                    .containsExactly(reason);
        }
    }

    @ParameterizedTest
    @EnumSource(Commit.class)
    @DisplayName("[T-3] a rollback dead-letters nothing")
    void rollback(Commit how) {
        client.declare("dead");
        client.declare("q", DEAD_LETTERS);
        client.send("q", "reject");
        TestConsumer consumer = client.consume("q").credit(1);
        TestTransaction transaction =
                how == Commit.LOCAL ? new TestTransaction(client) : new TestTransaction(client, ID);
        transaction.settle(consumer, consumer.next(), REJECTED);

        if (how == Commit.LOCAL || how == Commit.ONE_PHASE) {
            transaction.rollback();
        } else {
            transaction.prepare();
            if (how == Commit.RESTART_BETWEEN) {
                crash();
            }
            client.ask(session -> session.rollbackPrepared(ID));
        }
        client.sync();

        assertThat(ready("q")).isEqualTo(1);
        assertThat(ready("dead")).isZero();
    }

    @Test
    @DisplayName("[T-3] a dead letter for a queue in memory is there after the commit, one from memory on disk")
    void betweenMemoryAndDisk() {
        client.declare("dead");
        client.declare("q", DEAD_LETTERS);
        client.publish(Messages.nonDurable("q", "a"));
        client.send("q", "b");
        TestConsumer consumer = client.consume("q").credit(2);
        TestTransaction transaction = new TestTransaction(client);
        transaction.settle(consumer, consumer.next(), REJECTED);
        transaction.settle(consumer, consumer.next(), REJECTED);

        transaction.commit();

        assertThat(client.consume("dead").credit(2).nextTexts(2)).containsExactlyInAnyOrder("a", "b");
        assertThat(ready("q")).isZero();
    }

    @Test
    @DisplayName("[T-3] a purge or deletion between delivery and commit takes its part with it")
    void purgedMeanwhile() {
        client.declare("dead");
        client.declare("q", DEAD_LETTERS);
        client.declare("gone", DEAD_LETTERS);
        client.send("q", "a");
        client.send("gone", "b");
        TestConsumer consumer = client.consume("q").credit(1);
        TestConsumer other = client.consume("gone").credit(1);
        TestTransaction transaction = new TestTransaction(client);
        transaction.settle(consumer, consumer.next(), REJECTED);
        transaction.settle(other, other.next(), REJECTED);
        transaction.send("dead", "sent");
        client.delete("gone");

        transaction.commit();

        assertThat(client.consume("dead").credit(3).nextTexts(2)).containsExactlyInAnyOrder("sent", "a");
        assertThat(ready("dead")).isZero();
    }
}
