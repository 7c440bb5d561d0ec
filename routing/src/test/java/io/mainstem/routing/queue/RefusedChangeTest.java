package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A disk so full that the log takes nothing at all. */
@DisplayName(
        "ADR 0067: what the log has no room for has not happened: it is answered so, or tried again, and the broker goes on")
final class RefusedChangeTest {
    private static final Map<String, Object> DEAD_LETTERED =
            Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead");

    private final TestBroker broker = new TestBroker(ShardSettings.forHeap(1 << 30), 256 << 10);
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.files().fill(false);
        broker.close();
    }

    /** Until not even a declaration finds room. */
    private void fillLog() {
        client.declare("filler");
        broker.files().fill(true);
        PublishResult last;
        do {
            last = client.publish(Messages.to("", "filler").bytes(new byte[20_000]));
        } while (!(last instanceof PublishResult.Refused));
        BrokerException refusal = null;
        for (int number = 0; refusal == null; number++) {
            try {
                client.declare("f" + number);
            } catch (BrokerException refused) {
                refusal = refused;
            }
        }
        assertThat(refusal.kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT);
        assertThat(refusal).hasMessageContaining("MS-0336");
    }

    /** The shard has had its turns, which needs nothing of the log. */
    private void turns() {
        for (int turns = 0; turns < 4; turns++) {
            client.ask(session -> session.status(List.of()));
        }
    }

    /** What was handed to the log before has been refused: the log answers in order, and refuses this last. */
    private void awaitRefusals() {
        assertRefused(() -> client.declare("too late"));
    }

    private void awaitRoom(BooleanSupplier done) {
        awaitRefusals();
        broker.files().fill(false);
        TestBroker.await(() -> {
            broker.advanceMs(1000);
            turns();
            return done.getAsBoolean();
        });
    }

    private boolean writable() {
        return client.onLoop(() -> client.session().writable());
    }

    private long ready(String queue) {
        return client.ask(session -> session.status(List.of(queue))).get(0).ready();
    }

    private long unsettled(String queue) {
        var status = client.ask(session -> session.status(List.of(queue))).get(0);
        return status.ready() + status.unacknowledged();
    }

    private void passSeconds(int seconds) {
        for (int second = 0; second < seconds; second++) {
            broker.advanceMs(1000);
            turns();
        }
    }

    @Test
    @DisplayName("what a consumer has accepted does not come again, and is settled when there is room")
    void settlementsWaitForRoom() {
        client.declare("q");
        client.send("q", "a", "b", "c");
        TestConsumer consumer = client.consume("q").credit(3);
        consumer.nextTexts(3);
        fillLog();

        consumer.settle(0, 1, Outcome.ACCEPTED);
        passSeconds(3);
        consumer.credit(5);
        turns();
        assertThat(consumer.arrived()).isEmpty();
        awaitRoom(() -> unsettled("q") == 1);
        broker.restart();
        client = broker.client();

        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("c");
    }

    @Test
    @DisplayName("a failed delivery counts when there is room")
    void failedDeliveriesAreCounted() {
        client.declare("q");
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.nextTexts(1);
        fillLog();

        consumer.settle(0, 0, Outcome.FAILED);
        assertThat(consumer.credit(1).next().failed()).isEqualTo(1);
        awaitRoom(this::writable);
        passSeconds(2);
        consumer.close(Outcome.RELEASED);
        client.send("q", "in the log behind it");
        broker.crash();
        client = broker.client();

        assertThat(client.consume("q").credit(1).next().failed()).isEqualTo(1);
    }

    @Test
    @DisplayName("what was given up becomes a dead letter when there is room, in order")
    void deadLettersWaitForRoom() {
        client.declare("dead");
        client.declare("q", DEAD_LETTERED);
        client.send("q", "a", "b");
        TestConsumer consumer = client.consume("q").credit(2);
        consumer.nextTexts(2);
        fillLog();

        consumer.settle(0, 1, new Outcome.Rejected("no"));
        passSeconds(3);
        consumer.credit(5);
        turns();
        assertThat(consumer.arrived()).isEmpty();
        assertThat(ready("dead")).isZero();
        awaitRoom(() -> ready("dead") == 2);

        assertThat(client.consume("dead").credit(5).texts(2)).containsExactly("a", "b");
        assertThat(unsettled("q")).isZero();
    }

    @Test
    @DisplayName("delayed messages that are due come when there is room, in order")
    void dueMessagesWaitForRoom() {
        client.declare("q");
        client.publish(List.of(
                Messages.to("", "q").deliverAt(broker.nowMs() + 10_000).text("a"),
                Messages.to("", "q").deliverAt(broker.nowMs() + 10_001).text("b")));
        fillLog();

        broker.advanceMs(11_000);
        passSeconds(3);
        assertThat(ready("q")).isZero();
        awaitRoom(() -> ready("q") == 2);

        assertThat(client.consume("q").credit(5).texts(2)).containsExactly("a", "b");
    }

    @Test
    @DisplayName("a purge that was refused leaves its messages ready")
    void aRefusedPurgeLeavesTheMessages() {
        client.declare("q");
        client.send("q", "a", "b", "c");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.nextTexts(1);
        fillLog();

        assertRefused(() -> client.purge("q"));

        assertThat(ready("q")).isEqualTo(2);
        assertThat(consumer.credit(5).nextTexts(2)).containsExactly("b", "c");
    }

    @Test
    @DisplayName("a delayed message whose cancellation was refused comes at its time")
    void aRefusedCancellationLeavesTheMessage() {
        client.declare("q");
        client.publish(Messages.to("", "q").deliverAt(broker.nowMs() + 600_000).text("a"));
        String id = client.ask(session -> session.delayedMessages("", 10))
                .messages()
                .get(0)
                .id();
        fillLog();

        assertRefused(() -> client.ask(session -> session.cancelDelayed(id)));

        awaitRoom(this::writable);
        broker.advanceMs(600_000);
        assertThat(client.consume("q").credit(1).nextText()).isEqualTo("a");
    }

    @Test
    @DisplayName("a delivery that was to be accepted together with records of its head is ready again")
    void aRefusedAcceptanceGivesTheMessageBack() {
        client.declare("q");
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.nextTexts(1);
        fillLog();

        assertRefused(() ->
                client.ask(session -> consumer.handle().accept(0, List.of(new HeadRecord("k", new byte[] {1})))));

        assertThat(consumer.credit(1).nextText()).isEqualTo("a");
    }

    @Test
    @DisplayName("a queue that goes with its last consumer goes when there is room")
    void aRefusedDeletionIsTriedAgain() {
        client.declare(new QueueSpec("q", true, true, false, false, Map.of()));
        TestConsumer consumer = client.consume("q");
        fillLog();

        consumer.close();
        passSeconds(2);
        assertThat(client.onLoop(() -> client.session().queue("q"))).isNotNull();

        awaitRoom(() -> client.onLoop(() -> client.session().queue("q")) == null);
    }

    @Test
    @DisplayName("a queue whose declaration was refused can be declared when there is room")
    void aRefusedDeclarationLeavesNothing() {
        fillLog();
        assertRefused(() -> client.declare("q"));
        awaitRoom(this::writable);

        client.declare("q");
        client.send("q", "a");

        assertThat(client.consume("q").credit(1).nextText()).isEqualTo("a");
    }

    @Test
    @DisplayName("a commit that was refused is rolled back: its deliveries are its consumer's again")
    void aRefusedCommitIsRolledBack() {
        client.declare("q");
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.nextTexts(1);
        fillLog();

        TestTransaction transaction = new TestTransaction(client).send("q", "b");
        transaction.settle(consumer, 0, 0, Outcome.ACCEPTED, false);
        assertThatThrownBy(transaction::commit)
                .isInstanceOfSatisfying(
                        BrokerException.class, why -> assertThat(why.kind()).isEqualTo(ErrorKind.ROLLED_BACK));

        consumer.settle(0, 0, Outcome.RELEASED);
        List<String> again = new ArrayList<>(consumer.credit(1).nextTexts(1));
        assertThat(again).containsExactly("a");
    }

    private static void assertRefused(Runnable request) {
        assertThatThrownBy(request::run)
                .isInstanceOfSatisfying(
                        BrokerException.class, why -> assertThat(why.kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT))
                .hasMessageContaining("MS-0336");
    }
}
