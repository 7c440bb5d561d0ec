package io.mainstem.jms.amqp;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.SenderLink;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Symbol;
import org.jspecify.annotations.Nullable;

/** A session as the session core asks for it. Thread: any. */
final class AmqpLinkSession implements LinkSession {
    private final EngineSession session;
    private final AmqpCoordinator coordinator;

    /** @param offered what the broker says of itself */
    AmqpLinkSession(EngineSession session, Set<Symbol> offered) {
        this.session = session;
        this.coordinator = new AmqpCoordinator(session, offered);
    }

    @Override
    public CompletionStage<SenderLink> attachSender(@Nullable MainstemDestination target) {
        CompletableFuture<SenderLink> attached = new CompletableFuture<>();
        session.run(attached, () -> AmqpSender.attach(session, target, attached));
        return attached;
    }

    @Override
    public CompletionStage<ReceiverLink> attachReceiver(ReceiverRequest request, DeliveryListener listener) {
        CompletableFuture<ReceiverLink> attached = new CompletableFuture<>();
        session.run(attached, () -> AmqpReceiver.attach(session, request, listener, attached));
        return attached;
    }

    @Override
    public Coordinator coordinator() {
        return coordinator;
    }

    @Override
    public CompletionStage<@Nullable Void> close() {
        return session.close();
    }
}
