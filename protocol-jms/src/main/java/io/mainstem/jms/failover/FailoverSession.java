package io.mainstem.jms.failover;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.SenderLink;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A session that is opened again, with its links, on each new connection. */
final class FailoverSession implements LinkSession {
    private final FailoverConnection connection;
    private final Renewed<LinkSession> link = new Renewed<>();
    private final List<FailoverSender> senders = new CopyOnWriteArrayList<>();
    private final List<FailoverReceiver> receivers = new CopyOnWriteArrayList<>();
    private final FailoverCoordinator coordinator = new FailoverCoordinator(link);
    private volatile boolean opened;
    private volatile boolean closed;

    FailoverSession(FailoverConnection connection) {
        this.connection = connection;
    }

    /** Messages in doubt go out again. */
    void resending(int messages) {
        connection.counters().resending(messages);
    }

    void opened(LinkSession first) {
        opened = true;
        link.renewed(first);
    }

    void lost() {
        link.lost();
        senders.forEach(FailoverSender::lost);
        receivers.forEach(FailoverReceiver::lost);
    }

    void renew(LinkConnection next) {
        if (!opened || closed) {
            return;
        }
        var unused = next.openSession().whenComplete((session, failure) -> {
            if (failure == null && closed) {
                var unusedClose = session.close();
            } else if (failure == null) {
                link.renewed(session);
                receivers.forEach(receiver -> receiver.renew(session));
                senders.forEach(sender -> sender.renew(session));
            } else if (connection.isCurrent(next)) {
                ended(Attempts.asJms(failure)); // Refused: nobody shall wait for it.
            } // Else that connection is lost, too, and the next one will be told.
        });
    }

    void ended(JMSException reason) {
        link.ended(reason);
        senders.forEach(sender -> sender.ended(reason));
        receivers.forEach(receiver -> receiver.ended(reason));
    }

    void forget(FailoverSender sender) {
        senders.remove(sender);
    }

    void forget(FailoverReceiver receiver) {
        receivers.remove(receiver);
    }

    @Override
    public CompletionStage<SenderLink> attachSender(@Nullable MainstemDestination target) {
        FailoverSender sender = new FailoverSender(this, target);
        return link.call(session -> session.attachSender(target)).thenApply(attached -> {
            senders.add(sender);
            sender.attached(attached);
            return sender;
        });
    }

    @Override
    public CompletionStage<ReceiverLink> attachReceiver(ReceiverRequest request, DeliveryListener listener) {
        FailoverReceiver receiver = new FailoverReceiver(this, request, listener);
        return link.call(session -> session.attachReceiver(request, receiver.guarded(listener)))
                .thenApply(attached -> {
                    receivers.add(receiver);
                    receiver.attached(attached);
                    return receiver;
                });
    }

    @Override
    public Coordinator coordinator() {
        return coordinator;
    }

    @Override
    public CompletionStage<@Nullable Void> close() {
        closed = true;
        connection.forget(this);
        LinkSession current = link.current();
        ended(new JMSException("MS-0704 the session is closed", "MS-0704"));
        return current == null ? CompletableFuture.completedFuture(null) : current.close();
    }
}
