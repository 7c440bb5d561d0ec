package io.mainstem.jms.amqp;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.message.EncodedMessage;
import jakarta.jms.JMSException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Sender;
import org.jspecify.annotations.Nullable;

/** A sender of the engine. Thread: the event loop, except the methods of {@link SenderLink}. */
final class AmqpSender extends AmqpLink implements SenderLink, AmqpTransaction.Writer {
    private static final String LOST = "MS-0704";

    private final Sender engine;
    private final @Nullable String address;
    private final CompletableFuture<SenderLink> attaching;
    private final Queue<Sending> waiting = new ArrayDeque<>();
    private final Set<Sending> unanswered = new LinkedHashSet<>();
    private long tags;

    /** A message on its way. */
    private record Sending(
            ByteBuffer bytes, @Nullable AmqpTransaction transaction, CompletableFuture<@Nullable Void> outcome) {
        /** Its transaction cannot be committed without it. */
        void lost() {
            if (transaction != null) {
                transaction.lost();
                transaction.answered();
            }
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    private AmqpSender(
            EngineSession session, Sender engine, @Nullable String address, CompletableFuture<SenderLink> attaching) {
        super(session, engine, "sending to " + (address == null ? "any destination" : address));
        this.engine = engine;
        this.address = address;
        this.attaching = attaching;
    }

    static void attach(
            EngineSession session, @Nullable MainstemDestination target, CompletableFuture<SenderLink> attached) {
        Sender engine = session.sender("sender");
        Source source = new Source();
        source.setAddress(engine.getName());
        // All of them: a broker detaches the link instead of answering with an outcome that is not named here.
        source.setOutcomes(
                Accepted.DESCRIPTOR_SYMBOL,
                Rejected.DESCRIPTOR_SYMBOL,
                Released.DESCRIPTOR_SYMBOL,
                Modified.DESCRIPTOR_SYMBOL);
        engine.setSource(source);
        engine.setTarget(Termini.target(target));
        engine.setSenderSettleMode(SenderSettleMode.UNSETTLED);
        engine.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        new AmqpSender(session, engine, target == null ? null : target.address(), attached);
        engine.open();
    }

    @Override
    boolean granted() {
        return engine.getRemoteTarget() != null;
    }

    @Override
    void onAttached() {
        attaching.complete(this);
    }

    @Override
    void onEnd(JMSException reason, boolean wasAttached) {
        attaching.completeExceptionally(reason);
        List<Sending> inDoubt = List.copyOf(unanswered);
        List<Sending> unsent = List.copyOf(waiting);
        unanswered.forEach(Sending::lost);
        waiting.forEach(Sending::lost);
        unanswered.clear();
        waiting.clear();
        inDoubt.forEach(sending -> sending.outcome().completeExceptionally(lost(reason, sending, true)));
        unsent.forEach(sending -> sending.outcome().completeExceptionally(lost(reason, sending, false)));
    }

    /** What a lost connection is to a message of its own; with its transaction all of them are undone. */
    private JMSException lost(JMSException reason, Sending sending, boolean left) {
        if (!LOST.equals(reason.getErrorCode()) || sending.transaction() != null) {
            return reason;
        }
        String text = String.valueOf(reason.getMessage());
        int fix = text.indexOf("; fix:");
        JMSException lost = new JMSException(
                (fix < 0 ? text : text.substring(0, fix)) + "; the message to " + to(sending)
                        + (left
                                ? " is in doubt: it may be stored or not; fix: connect again and look, or use"
                                        + " failover:(...), which sends it again and stores it once"
                                : " has not been sent; fix: connect again and send it, or use failover:(...)"),
                LOST);
        lost.setLinkedException(reason.getLinkedException());
        lost.initCause(reason.getCause());
        return lost;
    }

    @Override
    public CompletionStage<@Nullable Void> send(EncodedMessage message, @Nullable TransactionId transaction) {
        CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
        Sending sending = new Sending(HeaderSection.prepend(message), (AmqpTransaction) transaction, outcome);
        session().run(outcome, () -> send(sending));
        return outcome;
    }

    @Override
    public CompletionStage<@Nullable Void> sendLater(EncodedMessage message, TransactionId transaction) {
        CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
        Sending sending = new Sending(HeaderSection.prepend(message), (AmqpTransaction) transaction, outcome);
        session().runLater(outcome, () -> send(sending));
        return outcome;
    }

    @Override
    public void flush() {
        session().flush();
    }

    private void send(Sending sending) {
        AmqpTransaction transaction = sending.transaction();
        if (transaction != null) {
            transaction.sent(this);
        }
        JMSException ended = end();
        if (ended != null) {
            sending.lost();
            sending.outcome().completeExceptionally(ended);
        } else {
            waiting.add(sending);
            sendWaiting();
        }
    }

    @Override
    public void flow() {
        sendWaiting();
    }

    private void sendWaiting() {
        while (engine.getCredit() > 0 && !waiting.isEmpty()) {
            Sending sending = waiting.remove();
            Delivery delivery = engine.delivery(tag(tags++));
            delivery.setContext(sending);
            AmqpTransaction transaction = sending.transaction();
            if (transaction != null) {
                delivery.disposition(transaction.state(null));
            }
            engine.sendNoCopy(ReadableBuffer.ByteBufferReader.wrap(sending.bytes()));
            engine.advance();
            unanswered.add(sending);
        }
        if (engine.getDrain() && waiting.isEmpty()) {
            engine.drained();
        }
    }

    /** No message waits for credit, and the engine has none of which a part is still to be written. */
    @Override
    public boolean hasWrittenAll() {
        return waiting.isEmpty() && engine.getQueued() == 0;
    }

    private static byte[] tag(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    @Override
    public void delivery(Delivery delivery) {
        DeliveryState state = delivery.getRemoteState();
        if (state == null && !delivery.remotelySettled()) {
            return;
        }
        Sending sending = (Sending) delivery.getContext();
        delivery.settle();
        delivery.free();
        if (sending == null || !unanswered.remove(sending)) {
            return;
        }
        AmqpTransaction transaction = sending.transaction();
        if (transaction != null) {
            transaction.answered();
        }
        if (state instanceof TransactionalState transactional) {
            state = (DeliveryState) transactional.getOutcome();
        }
        if (state instanceof Accepted || state == null) {
            sending.outcome().complete(null);
        } else {
            sending.outcome().completeExceptionally(notAccepted(state, sending));
        }
    }

    private JMSException notAccepted(DeliveryState state, Sending sending) {
        String to = to(sending);
        if (state instanceof Rejected rejected) {
            return Refusals.of("message to " + to, rejected.getError());
        }
        return new JMSException(
                "MS-0713 message to " + to + " was not taken: nothing takes messages there (" + state.getType()
                        + "); fix: make the queue, or bind one to the exchange, and send it again",
                "MS-0713");
    }

    /** An anonymous producer's messages say for themselves where they go. */
    private String to(Sending sending) {
        return String.valueOf(
                address == null
                        ? EncodedMessage.addressIn(sending.bytes().duplicate().rewind())
                        : address);
    }

    @Override
    public CompletionStage<@Nullable Void> close() {
        return end(true);
    }
}
