package io.mainstem.jms.amqp;

import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkDelivery;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.message.EncodedMessage;
import jakarta.jms.JMSException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.codec.DecodeException;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Receiver;
import org.jspecify.annotations.Nullable;

/** A receiver of the engine. Thread: the event loop, except the methods of {@link ReceiverLink}. */
final class AmqpReceiver extends AmqpLink implements ReceiverLink {
    /** What is released here no application has seen: what it has seen is answered by a failure (ADR 0074). */
    private static final Symbol RELEASED_UNSEEN = Symbol.valueOf("mainstem:released-unseen");

    private static final Modified FAILED = Termini.failed();
    private static final Modified UNDELIVERABLE_HERE = undeliverableHere();

    private final Receiver engine;
    private final ReceiverRequest request;
    private final DeliveryListener listener;
    private final CompletableFuture<ReceiverLink> attaching;
    private final List<CompletableFuture<@Nullable Void>> drains = new ArrayList<>();

    private AmqpReceiver(
            EngineSession session,
            Receiver engine,
            ReceiverRequest request,
            DeliveryListener listener,
            CompletableFuture<ReceiverLink> attaching) {
        super(session, engine, "receiving from " + request.source().address());
        this.engine = engine;
        this.request = request;
        this.listener = listener;
        this.attaching = attaching;
    }

    static void attach(
            EngineSession session,
            ReceiverRequest request,
            DeliveryListener listener,
            CompletableFuture<ReceiverLink> attached) {
        Subscription subscription = request.subscription();
        Receiver engine = session.receiver(session.names().receiver(subscription));
        engine.setSource(Termini.source(request));
        Target target = new Target();
        target.setAddress(engine.getName());
        engine.setTarget(target);
        engine.setSenderSettleMode(request.browse() ? SenderSettleMode.SETTLED : SenderSettleMode.UNSETTLED);
        engine.setReceiverSettleMode(ReceiverSettleMode.FIRST);
        engine.setDesiredCapabilities(
                subscription != null && subscription.shared()
                        ? new Symbol[] {RELEASED_UNSEEN, Symbol.valueOf("SHARED-SUBS")}
                        : new Symbol[] {RELEASED_UNSEEN});
        new AmqpReceiver(session, engine, request, listener, attached);
        engine.open();
    }

    @Override
    boolean granted() {
        return engine.getRemoteSource() != null;
    }

    @Override
    void onAttached() {
        attaching.complete(this);
    }

    @Override
    JMSException refusal(@Nullable ErrorCondition error) {
        return Refusals.ofReceiver("receiving from " + request.source().address(), error, request.selector());
    }

    @Override
    void onEnd(JMSException reason, boolean wasAttached) {
        attaching.completeExceptionally(reason);
        drains.forEach(drain -> drain.completeExceptionally(reason));
        drains.clear();
        if (wasAttached) {
            listener.detached(reason);
        }
    }

    @Override
    public void addCredit(int messages) {
        session().run(() -> {
            if (end() == null) {
                // What is given back must be there before it can come again, or the next one comes first.
                session().write();
                engine.flow(messages);
            }
        });
    }

    @Override
    public CompletionStage<@Nullable Void> drain() {
        CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
        session().run(drained, () -> {
            if (end() != null || isAllHere()) {
                drained.complete(null);
                return;
            }
            drains.add(drained);
            if (engine.getRemoteCredit() > 0) {
                engine.drain(0);
            }
        });
        return drained;
    }

    @Override
    public void flow() {
        if (!drains.isEmpty() && isAllHere()) {
            drained();
        }
    }

    /** Nothing more can come, and the last large message is no longer under way. */
    private boolean isAllHere() {
        Delivery current = engine.current();
        return engine.getRemoteCredit() <= 0 && (current == null || !current.isPartial());
    }

    private void drained() {
        engine.setDrain(false);
        List<CompletableFuture<@Nullable Void>> done = List.copyOf(drains);
        drains.clear();
        done.forEach(drain -> drain.complete(null));
    }

    @Override
    public void delivery(Delivery updated) {
        if (updated.remotelySettled() && !updated.isReadable() && updated != engine.current()) {
            updated.settle(); // Settled by the broker in its own right.
            return;
        }
        for (Delivery delivery = engine.current();
                delivery != null && (delivery.isAborted() || (delivery.isReadable() && !delivery.isPartial()));
                delivery = engine.current()) {
            take(delivery);
        }
        flow();
    }

    private void take(Delivery delivery) {
        if (delivery.isAborted()) {
            engine.advance();
            delivery.settle();
            return;
        }
        ByteBuffer bytes = bytesOf(engine.recv());
        engine.advance();
        try {
            HeaderSection.Parsed parsed = HeaderSection.parse(bytes);
            AmqpDelivery taken =
                    new AmqpDelivery(this, delivery, parsed.message(), parsed.failures(), parsed.maybeSeen());
            if (delivery.remotelySettled()) {
                delivery.settle();
            }
            listener.delivered(taken);
        } catch (DecodeException | IllegalArgumentException malformed) {
            delivery.disposition(new Rejected());
            delivery.settle();
        }
    }

    /** A message of one frame is in an array of its own already; one of several is put together. */
    private static ByteBuffer bytesOf(ReadableBuffer content) {
        if (content.hasArray()) {
            return ByteBuffer.wrap(content.array(), content.arrayOffset() + content.position(), content.remaining())
                    .slice();
        }
        byte[] bytes = new byte[content.remaining()];
        content.get(bytes);
        return ByteBuffer.wrap(bytes);
    }

    @Override
    public void settle(LinkDelivery delivery, Outcome outcome, @Nullable TransactionId transaction) {
        if (!(delivery instanceof AmqpDelivery own) || own.receiver() != this) {
            return; // Of a connection that is gone.
        }
        DeliveryState state = state(outcome);
        if (transaction instanceof AmqpTransaction open && open.isLocal()) {
            // It counts with the discharge, which follows on the same session.
            session().runLater(() -> settle(own.engine(), open.state(state)));
        } else {
            session()
                    .run(() -> settle(
                            own.engine(), transaction == null ? state : ((AmqpTransaction) transaction).state(state)));
        }
    }

    private void settle(Delivery delivery, DeliveryState state) {
        if (end() == null && !delivery.isSettled()) {
            delivery.disposition(state);
            delivery.settle();
        }
    }

    /** One object for each outcome but rejected, so that answers to neighbours can be joined. */
    private static DeliveryState state(Outcome outcome) {
        return switch (outcome) {
            case ACCEPTED -> Accepted.getInstance();
            case RELEASED -> Released.getInstance();
            case FAILED -> FAILED;
            case UNDELIVERABLE_HERE -> UNDELIVERABLE_HERE;
            case REJECTED -> new Rejected();
        };
    }

    private static Modified undeliverableHere() {
        Modified modified = new Modified();
        modified.setUndeliverableHere(true);
        return modified;
    }

    @Override
    public CompletionStage<@Nullable Void> close(boolean end) {
        return end(end);
    }

    /** A message of this receiver. Thread: any; the engine's delivery belongs to the event loop. */
    private record AmqpDelivery(
            AmqpReceiver receiver, Delivery engine, EncodedMessage message, int failures, boolean maybeSeen)
            implements LinkDelivery {
        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
