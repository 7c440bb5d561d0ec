package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Transactions that do not fit a record group, here one of 56 KiB [L-9]. */
final class TransactionSizeTest {
    private static final BranchId ID = BranchId.of(new byte[] {1, 2, 3});
    private static final int QUEUES = 500;
    private static final int PRIORITIES = 10;

    private final TestBroker broker = new TestBroker(ShardSettings.forHeap(1 << 30), 64 << 10);
    private final TestClient client = broker.client();
    private final List<TestConsumer> consumers = new ArrayList<>();

    /** A settlement of each lane takes much more than one of many in the same lane. */
    @BeforeEach
    void fillManyLanes() {
        for (int number = 0; number < QUEUES; number++) {
            client.declare("q" + number);
            client.bind("amq.fanout", "q" + number, "");
            consumers.add(client.consume("q" + number).credit(PRIORITIES));
        }
        for (int priority = 0; priority < PRIORITIES; priority++) {
            client.publish(Messages.to("amq.fanout", "").withPriority(priority).text("m"));
        }
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private TestTransaction settleAll(TestTransaction transaction) {
        for (TestConsumer consumer : consumers) {
            for (int message = 0; message < PRIORITIES; message++) {
                Delivery delivery = consumer.next();
                transaction.settle(consumer, delivery, Outcome.ACCEPTED);
            }
        }
        return transaction;
    }

    private void assertThatAllIsThereAgain() {
        TestConsumer consumer = consumers.get(0).credit(PRIORITIES);
        assertThat(consumer.nextTexts(PRIORITIES)).containsOnly("m");
        client.send("q0", "the shard goes on");
    }

    @Test
    @DisplayName("[T-5] a commit that does not fit is rolled back by name, and the shard goes on")
    void aCommitThatDoesNotFit() {
        TestTransaction transaction = settleAll(new TestTransaction(client));

        assertThatThrownBy(transaction::commit).hasMessageContaining("MS-0361");

        assertThatAllIsThereAgain();
    }

    @Test
    @DisplayName("a branch that is prepared and cannot be committed as a whole can be rolled back")
    void aDecisionThatDoesNotFit() {
        settleAll(new TestTransaction(client, ID)).prepare();

        assertThatThrownBy(() -> client.ask(session -> session.commitPrepared(ID)))
                .hasMessageContaining("MS-0361");

        List<BranchId> prepared = client.ask(session -> session.preparedBranches());
        assertThat(prepared).containsExactly(ID);
        client.ask(session -> session.rollbackPrepared(ID));
        assertThat(TestClient.refusal(() -> client.ask(session -> session.rollbackPrepared(ID))))
                .isEqualTo(ErrorKind.NOT_FOUND);
        assertThatAllIsThereAgain();
    }
}
