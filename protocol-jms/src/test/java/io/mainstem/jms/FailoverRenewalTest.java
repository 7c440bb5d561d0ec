package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.ScriptedBroker.Node;
import io.mainstem.jms.destination.Kind;
import io.mainstem.jms.failover.FailoverTransport;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.TemporaryNode;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the application does while its connection is made again. */
final class FailoverRenewalTest {
    private final ScriptedBroker broker = new ScriptedBroker();
    private final ClientCounters counters = new ClientCounters();
    private final LinkConnection connection = connect();

    private LinkConnection connect() {
        Options options = ScriptedBroker.options("failover:(amqp://test)");
        return now(new FailoverTransport(broker)
                .connect(new ConnectRequest(options.endpoints().get(0), options, "test", counters), cause -> {}));
    }

    private static <T> T now(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        assertThat(future).isCompleted();
        return future.join();
    }

    @Test
    @DisplayName("A session that is opened while temporary destinations are made again is opened once")
    void newSessionsAreNotOpenedTwice() {
        now(connection.createTemporary(Kind.TEMPORARY_QUEUE, null));
        now(connection.openSession());
        broker.hold();
        broker.wire().cut();
        now(connection.openSession());

        broker.answer();

        assertThat(broker.wire().sessions()).hasSize(2);
    }

    @Test
    @DisplayName("A session that is closed while temporary destinations are made again is not opened any more")
    void closedSessionsAreNotOpenedAgain() {
        now(connection.createTemporary(Kind.TEMPORARY_QUEUE, null));
        LinkSession session = now(connection.openSession());
        broker.hold();
        broker.wire().cut();
        now(session.close());

        broker.answer();

        assertThat(broker.wire().sessions()).isEmpty();
    }

    @Test
    @DisplayName("A temporary destination that is deleted while it is made again is deleted at the new broker")
    void deletedNodesDoNotComeBack() {
        TemporaryNode node = now(connection.createTemporary(Kind.TEMPORARY_QUEUE, null));
        broker.hold();
        broker.wire().cut();
        node.delete();

        broker.answer();

        assertThat(broker.wire().nodes()).hasSize(1).allMatch(Node::isDeleted);
    }

    @Test
    @DisplayName("A message of a transaction begun after the loss waits until its producer is attached again")
    void newTransactionsWaitForTheirSenders() {
        LinkSession session = now(connection.openSession());
        SenderLink sender = now(session.attachSender(null));
        broker.hold();
        broker.wire().cut();
        TransactionId transaction = now(session.coordinator().declare(null));
        CompletableFuture<?> sent =
                sender.send(ScriptedBroker.letter(), transaction).toCompletableFuture();
        assertThat(sent).isNotDone();

        broker.answer();

        now(sent);
        assertThat(counters.resent()).as("it goes out for the first time").isZero();
    }

    @Test
    @DisplayName("A rollback that the loss overtakes is done: the broker undoes a transaction with its connection")
    void aLossRollsBack() {
        LinkSession session = now(connection.openSession());
        TransactionId transaction = now(session.coordinator().declare(null));
        broker.hold();
        CompletionStage<?> rollback = session.coordinator().discharge(transaction, true);

        broker.wire().cut();

        now(rollback);
    }
}
