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
    private final FailoverCoordinator coordinator;
    private volatile boolean opened;
    private volatile boolean closed;

    FailoverSession(FailoverConnection connection) {
        this.connection = connection;
        this.coordinator = new FailoverCoordinator(link, connection.timer());
    }

    /** Messages in doubt go out again. */
    void resending(int messages) {
        connection.counters().resending(messages);
    }

    /** From now on it follows its connection. */
    void opened() {
        opened = true;
    }

    void opened(LinkSession first) {
        opened();
        link.renewed(first);
    }

    void lost() {
        List<FailoverSender> sendersBefore;
        List<FailoverReceiver> receiversBefore;
        synchronized (this) {
            link.lost();
            sendersBefore = List.copyOf(senders);
            receiversBefore = List.copyOf(receivers);
        }
        sendersBefore.forEach(FailoverSender::lost);
        receiversBefore.forEach(FailoverReceiver::lost);
    }

    void renew(LinkConnection next) {
        if (!opened || closed) {
            return;
        }
        var unused = next.openSession().whenComplete((session, failure) -> {
            if (failure == null && closed) {
                var unusedClose = session.close();
            } else if (failure == null) {
                renewed(session);
            } else if (connection.isCurrent(next)) {
                ended(Attempts.asJms(failure)); // Refused: nobody shall wait for it.
            } // Else that connection is lost, too, and the next one will be told.
        });
    }

    private void renewed(LinkSession session) {
        List<FailoverSender> sendersBefore;
        List<FailoverReceiver> receiversBefore;
        synchronized (this) {
            sendersBefore = List.copyOf(senders);
            receiversBefore = List.copyOf(receivers);
            link.renewed(session);
        }
        receiversBefore.forEach(receiver -> receiver.renew(session));
        sendersBefore.forEach(sender -> sender.renew(session));
    }

    void ended(JMSException reason) {
        link.ended(reason);
        senders.forEach(sender -> sender.ended(reason));
        receivers.forEach(receiver -> receiver.ended(reason));
    }

    /** True unless its connection is lost, be it that nobody has noticed yet. */
    boolean isCurrent(LinkSession session) {
        return link.current() == session;
    }

    void forget(FailoverSender sender) {
        senders.remove(sender);
    }

    void forget(FailoverReceiver receiver) {
        receivers.remove(receiver);
    }

    @Override
    public CompletionStage<SenderLink> attachSender(@Nullable MainstemDestination target) {
        return link.call(
                session -> session.attachSender(target).thenApply(attached -> added(session, attached, target)));
    }

    /** A sender that was attached in a session which may be lost by now, and another one opened. */
    private SenderLink added(LinkSession in, SenderLink attached, @Nullable MainstemDestination target) {
        FailoverSender sender = new FailoverSender(this, target);
        LinkSession now;
        synchronized (this) {
            now = link.current();
            senders.add(sender);
            if (now == in) {
                sender.attached(attached);
            }
        }
        if (now != in && now != null) {
            sender.renew(now);
        }
        return sender;
    }

    @Override
    public CompletionStage<ReceiverLink> attachReceiver(ReceiverRequest request, DeliveryListener listener) {
        FailoverReceiver receiver = new FailoverReceiver(this, request, listener);
        return link.call(session -> session.attachReceiver(request, receiver.guarded(listener, session))
                .thenApply(attached -> added(session, attached, receiver)));
    }

    /** As the other: of a receiver. */
    private ReceiverLink added(LinkSession in, ReceiverLink attached, FailoverReceiver receiver) {
        LinkSession now;
        synchronized (this) {
            now = link.current();
            receivers.add(receiver);
            if (now == in) {
                receiver.attached(attached);
            }
        }
        if (now != in && now != null) {
            receiver.renew(now);
        }
        return receiver;
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
        ended(new JMSException("MS-0704 the session is closed; fix: create another one", "MS-0704"));
        return current == null ? CompletableFuture.completedFuture(null) : current.close();
    }
}
