package io.mainstem.jms.failover;

import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.ConnectionLost;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.link.TemporaryNode;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Endpoint;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection after the other, as one. Temporary destinations are made again, with their names. */
final class FailoverConnection implements LinkConnection {
    private static final Logger LOG = LoggerFactory.getLogger(FailoverConnection.class);

    private final ConnectRequest request;
    private final ConnectionLost lostListener;
    private final Attempts attempts;
    private final Renewed<LinkConnection> link = new Renewed<>();
    private final List<FailoverSession> sessions = new CopyOnWriteArrayList<>();
    private final List<FailoverTemporary> temporaries = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    FailoverConnection(ConnectRequest request, ConnectionLost lostListener, Attempts attempts) {
        this.request = request;
        this.lostListener = lostListener;
        this.attempts = attempts;
    }

    /** @param opened completes with the first broker found; cancelled, it ends the search */
    void open(CompletableFuture<LinkConnection> opened) {
        var unused = attempts.search(true, this::lost, opened::isDone).whenComplete((found, failure) -> {
            if (failure != null) {
                opened.completeExceptionally(Attempts.unwrapped(failure));
                return;
            }
            connected(found);
            if (!opened.complete(this)) {
                var unusedClose = close();
            }
        });
    }

    private void connected(LinkConnection found) {
        attempts.learn(found.failoverServers());
        List<FailoverTemporary> nodesBefore;
        List<FailoverSession> sessionsBefore;
        synchronized (this) {
            // What is made from now on is made on this connection, and not once more.
            nodesBefore = List.copyOf(temporaries);
            sessionsBefore = List.copyOf(sessions);
            link.renewed(found);
        }
        CompletableFuture<?>[] made =
                nodesBefore.stream().map(temporary -> temporary.renew(found)).toArray(CompletableFuture[]::new);
        // First they, then the sessions: their consumers may read from them.
        var unused = CompletableFuture.allOf(made)
                .whenComplete((done, failure) -> sessionsBefore.forEach(session -> session.renew(found)));
    }

    /** The current connection is gone; called before its single calls fail. */
    private void lost(JMSException cause) {
        List<FailoverSession> sessionsBefore;
        synchronized (this) {
            link.lost();
            sessionsBefore = List.copyOf(sessions);
        }
        sessionsBefore.forEach(FailoverSession::lost);
        if (closed) {
            return;
        }
        LOG.info(
                "connection lost, looking for a broker container={} cause={}",
                request.containerId(),
                cause.getMessage());
        var unused = attempts.search(false, this::lost, () -> closed).whenComplete((found, failure) -> {
            if (failure == null) {
                LOG.info("connected again container={}", request.containerId());
                request.counters().failover();
                connected(found);
            } else if (!closed) {
                JMSException reason = Attempts.asJms(failure);
                ended(reason);
                lostListener.lost(reason);
            }
        });
    }

    private void ended(JMSException reason) {
        link.ended(reason);
        sessions.forEach(session -> session.ended(reason));
    }

    /** For what is to be tried again after a while. */
    Attempts timer() {
        return attempts;
    }

    /** Of the factory. */
    ClientCounters counters() {
        return request.counters();
    }

    /** True unless it is lost, be it that nobody has noticed yet. */
    boolean isCurrent(LinkConnection connection) {
        return link.current() == connection;
    }

    void forget(FailoverTemporary temporary) {
        temporaries.remove(temporary);
    }

    void forget(FailoverSession session) {
        sessions.remove(session);
    }

    @Override
    public CompletionStage<LinkSession> openSession() {
        return link.call(connection -> connection.openSession().thenApply(opened -> added(connection, opened)));
    }

    /** A session that was opened on a connection which may be lost by now, and another one found. */
    private LinkSession added(LinkConnection on, LinkSession opened) {
        FailoverSession session = new FailoverSession(this);
        LinkConnection now;
        synchronized (this) {
            now = link.current();
            sessions.add(session);
            if (now == on) {
                session.opened(opened);
            } else {
                session.opened();
            }
        }
        if (now != on && now != null) {
            session.renew(now);
        }
        return session;
    }

    @Override
    public CompletionStage<TemporaryNode> createTemporary(DestinationKind kind, @Nullable String address) {
        return link.call(connection -> connection
                .createTemporary(kind, address)
                .thenApply(made -> added(connection, new FailoverTemporary(this, kind, made, attempts))));
    }

    /** As the other: of a temporary destination. */
    private TemporaryNode added(LinkConnection on, FailoverTemporary temporary) {
        LinkConnection now;
        synchronized (this) {
            now = link.current();
            temporaries.add(temporary);
        }
        if (now != on && now != null) {
            var unused = temporary.renew(now);
        }
        return temporary;
    }

    @Override
    public CompletionStage<@Nullable Void> unsubscribe(Subscription subscription) {
        return link.call(connection -> connection.unsubscribe(subscription));
    }

    @Override
    public List<Endpoint> failoverServers() {
        return List.of();
    }

    @Override
    public CompletionStage<@Nullable Void> close() {
        closed = true;
        LinkConnection current = link.current();
        ended(new JMSException("MS-0704 the connection is closed; fix: create another one", "MS-0704"));
        return current == null ? CompletableFuture.completedFuture(null) : current.close();
    }
}
