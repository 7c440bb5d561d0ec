package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.ScriptedBroker.Node;
import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.destination.MainstemTopic;
import io.mainstem.jms.failover.FailoverTransport;
import io.mainstem.jms.link.BranchExistsException;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkDelivery;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.link.TemporaryNode;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.message.EncodedMessage;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.ResourceAllocationException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What the application does while its connection is made again. */
final class FailoverRenewalTest {
    private final ScriptedBroker broker = new ScriptedBroker();
    private final ClientCounters counters = new ClientCounters();
    private final LinkConnection connection = connect();

    private static final ReceiverRequest REQUEST = new ReceiverRequest(
            new MainstemTopic("news"), null, false, false, new Subscription("n", true, false, false));
    private static final DeliveryListener NOBODY = new DeliveryListener() {
        @Override
        public void delivered(LinkDelivery delivery) {
            throw new AssertionError("nothing is delivered here");
        }

        @Override
        public void detached(JMSException reason) {
            throw new AssertionError(reason);
        }

        @Override
        public void interrupted() {
            // Nothing to forget.
        }

        @Override
        public void reattached() {
            // Nothing to ask for.
        }
    };

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
        now(connection.createTemporary(DestinationKind.TEMPORARY_QUEUE, null));
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
        now(connection.createTemporary(DestinationKind.TEMPORARY_QUEUE, null));
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
        TemporaryNode node = now(connection.createTemporary(DestinationKind.TEMPORARY_QUEUE, null));
        broker.hold();
        broker.wire().cut();
        node.delete();

        broker.answer();

        assertThat(broker.wire().nodes()).hasSize(1).allMatch(Node::isDeleted);
    }

    @Test
    @DisplayName("What is sent while messages in doubt are sent again comes behind them (Jakarta Messaging 6.2.9)")
    void messagesInDoubtGoFirst() {
        SenderLink sender = now(now(connection.openSession()).attachSender(null));
        EncodedMessage first = ScriptedBroker.letter();
        EncodedMessage second = ScriptedBroker.letter();
        EncodedMessage third = ScriptedBroker.letter();
        broker.hold();
        broker.wire().cut();
        var unused = List.of(sender.send(first, null), sender.send(second, null));
        broker.onSend(() -> sender.send(third, null));

        broker.answer();

        assertThat(broker.sent())
                .usingElementComparator((a, b) -> a == b ? 0 : 1)
                .containsExactly(first, second, third);
    }

    @Test
    @DisplayName("A login that a busy broker cannot check now is tried again; a wrong password is not")
    void temporaryRefusals() throws Exception {
        Options options = ScriptedBroker.options("failover:(amqp://test)");
        ConnectRequest request = new ConnectRequest(options.endpoints().get(0), options, "test", counters);
        Deque<JMSException> refusals = new ArrayDeque<>(
                List.of(new ResourceAllocationException("busy"), new ResourceAllocationException("busy")));
        LinkTransport busy = (asked, lost) -> {
            JMSException refusal = refusals.poll();
            return refusal == null ? broker.connect(asked, lost) : CompletableFuture.failedFuture(refusal);
        };
        assertThat(new FailoverTransport(busy)
                        .connect(request, cause -> {})
                        .toCompletableFuture()
                        .get(60, TimeUnit.SECONDS))
                .isNotNull();
        assertThat(refusals).isEmpty();

        LinkTransport wrong = (asked, lost) -> CompletableFuture.failedFuture(new JMSSecurityException("no"));
        assertThat(new FailoverTransport(wrong).connect(request, cause -> {}))
                .failsWithin(60, TimeUnit.SECONDS)
                .withThrowableThat()
                .withCauseInstanceOf(JMSSecurityException.class);
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

    @Test
    @DisplayName("A session whose opening is answered when its connection is lost already is opened on the next one")
    void aSessionThatIsLateIsOpenedAgain() {
        broker.holdBegins();
        CompletableFuture<LinkSession> opening = connection.openSession().toCompletableFuture();
        broker.wire().lose();

        broker.answer();

        LinkSession session = now(opening);
        now(session.attachSender(null));
        assertThat(broker.wire().sessions()).hasSize(1);
    }

    @Test
    @DisplayName("A producer and a consumer that are attached when their connection is lost already are attached again")
    void linksThatAreLateAreAttachedAgain() {
        LinkSession session = now(connection.openSession());
        broker.hold();
        CompletableFuture<SenderLink> sender = session.attachSender(null).toCompletableFuture();
        CompletableFuture<ReceiverLink> receiver =
                session.attachReceiver(REQUEST, NOBODY).toCompletableFuture();
        broker.wire().lose();

        broker.answer();

        now(now(sender).send(ScriptedBroker.letter(), null));
        now(now(receiver).close(true));
        assertThat(broker.wire().sessions().get(0).receiverEnds()).containsExactly(true);
    }

    @Test
    @DisplayName("A consumer attached in the moment of the loss does not take the end of that link for its own")
    void theEndOfALateLinkIsNotTheConsumers() {
        LinkSession session = now(connection.openSession());
        broker.hold();
        CompletableFuture<ReceiverLink> receiver =
                session.attachReceiver(REQUEST, NOBODY).toCompletableFuture();
        DeliveryListener first = broker.consumer();
        broker.wire().lose();
        broker.answer();

        first.detached(new JMSException("MS-0704 cut", "MS-0704"));

        assertThat(receiver).isCompleted();
        assertThat(broker.consumer()).isNotSameAs(first);
    }

    @Test
    @DisplayName("A durable subscription whose consumer is closed without a connection is not ended by the next one")
    void aSubscriptionOutlivesTheCloseOfItsConsumer() {
        LinkSession session = now(connection.openSession());
        ReceiverLink receiver = now(session.attachReceiver(REQUEST, NOBODY));
        broker.hold();
        broker.wire().cut();
        now(receiver.close(false));

        broker.answer();

        assertThat(broker.wire().sessions().get(0).receiverEnds()).containsExactly(false);
    }

    @Test
    @DisplayName("A branch whose begin lost its answer is begun again, also while the broker still has the first one")
    void aLostBeginIsRepeated() throws Exception {
        LinkSession session = now(connection.openSession());
        broker.holdBegins();
        CompletableFuture<TransactionId> begun =
                session.coordinator().declare(new byte[] {1}).toCompletableFuture();
        broker.refuseTransactions(new BranchExistsException("MS-0706 exists", "MS-0706"));
        broker.wire().cut();
        assertThat(begun).isNotDone();

        broker.refuseTransactions(null);

        assertThat(begun.get(60, TimeUnit.SECONDS).isOver()).isFalse();
    }

    @Test
    @DisplayName("A branch whose name is in use at its first begin is refused at once")
    void aNameInUseIsRefused() {
        LinkSession session = now(connection.openSession());
        broker.refuseTransactions(new BranchExistsException("MS-0706 exists", "MS-0706"));

        assertThat(session.coordinator().declare(new byte[] {1}).toCompletableFuture())
                .isCompletedExceptionally();
    }

    @Test
    @DisplayName("A temporary destination that another broker will only give another name is given up there")
    void anotherNameIsNoTemporaryDestination() {
        TemporaryNode node = now(connection.createTemporary(DestinationKind.TEMPORARY_QUEUE, null));
        broker.rename();

        broker.wire().cut();

        assertThat(broker.wire().nodes()).hasSize(1).allMatch(Node::isDeleted);
        assertThat(node.address()).isEqualTo("temporary");
    }
}
