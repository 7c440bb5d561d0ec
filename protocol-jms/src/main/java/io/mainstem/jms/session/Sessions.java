package io.mainstem.jms.session;

import io.mainstem.jms.delivery.Inbox;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.metrics.ClientCounters;
import jakarta.jms.JMSException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The open sessions of a connection, which start, stop, fail and close with it. Thread: any. */
public final class Sessions {
    private final ClientCounters counters;
    private final List<SessionCore> open = new CopyOnWriteArrayList<>();

    /** None yet. */
    public Sessions(ClientCounters counters) {
        this.counters = counters;
    }

    public void add(SessionCore session) {
        open.add(session);
        counters.session(true);
    }

    void forget(SessionCore session) {
        if (open.remove(session)) {
            counters.session(false);
        }
    }

    public void start() {
        open.forEach(SessionCore::start);
    }

    public void stop() {
        open.forEach(SessionCore::stop);
    }

    /** The connection is lost for good. */
    public void failed(JMSException cause) {
        open.forEach(session -> session.failed(cause));
    }

    /** The connection under this one is lost: no session works on what came to this consumer. */
    void interrupted(Inbox inbox) {
        open.forEach(session -> session.interrupted(inbox));
    }

    /** Whether a consumer is open on it. */
    public boolean consumeFrom(MainstemDestination destination) {
        return open.stream().anyMatch(session -> session.consumesFrom(destination));
    }

    /** @throws jakarta.jms.IllegalStateException within a message listener that the call would wait for */
    public void checkNoMessageCallback(String call) throws JMSException {
        for (SessionCore session : open) {
            session.checkNoMessageCallback(call);
        }
    }

    /** @throws jakarta.jms.IllegalStateException within a callback that the call would wait for */
    public void checkNoCallback(String call) throws JMSException {
        for (SessionCore session : open) {
            session.checkNoCallback(call);
        }
    }

    /**
     * Closes all, those last that connection consumers receive by: what they gave to other sessions is settled over their
     * links.
     */
    public void closeBy(long deadlineNanos) {
        List<SessionCore> feeding = open.stream().filter(SessionCore::feeds).toList();
        feeding.forEach(SessionCore::stop);
        for (SessionCore session : open) {
            if (!session.feeds()) {
                session.closeBy(deadlineNanos);
            }
        }
        feeding.forEach(session -> session.closeBy(deadlineNanos));
    }
}
