package io.mainstem.jms;

import io.mainstem.jms.connection.BrokerConnection;
import io.mainstem.jms.delivery.BackOff;
import io.mainstem.jms.delivery.InboxDelivery;
import io.mainstem.jms.delivery.LoadedMessages;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.session.ConsumerCore;
import io.mainstem.jms.session.SessionCore;
import jakarta.jms.ConnectionConsumer;
import jakarta.jms.JMSException;
import jakarta.jms.ServerSession;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Distributes messages over the sessions of an application server (Jakarta Messaging 11.2, ADR 0055). It receives by a
 * session of its own; whoever works on a message settles it over the link of this consumer, in transactions of its own
 * session. Thread: any; one thread of its own receives, and may wait for the pool.
 */
final class MainstemConnectionConsumer implements ConnectionConsumer {
    private final BrokerConnection connection;
    private final ConsumerCore consumer;
    private final ServerSessionPool pool;
    private final int messagesMax;
    private final BackOff backOff = new BackOff();
    private volatile boolean closed;

    /** How the session of a connection consumer consumes. */
    @FunctionalInterface
    interface Consuming {
        MainstemConsumer by(MainstemSession session) throws JMSException;
    }

    /** Which subscription a connection consumer takes from. */
    record Named(
            @Nullable Topic topic,
            @Nullable String name,
            @Nullable String selector,
            boolean durable,
            boolean shared) {
        MainstemConsumer by(MainstemSession session) throws JMSException {
            return session.subscribe(topic, name, selector, false, durable, shared);
        }
    }

    private MainstemConnectionConsumer(ConsumerCore consumer, ServerSessionPool pool, int messagesMax) {
        this.consumer = consumer;
        this.connection = consumer.session().connection();
        this.pool = pool;
        this.messagesMax = messagesMax;
    }

    /** @param consumer of a session that nobody else uses */
    static ConnectionConsumer started(ConsumerCore consumer, ServerSessionPool pool, int messagesMax) {
        MainstemConnectionConsumer made = new MainstemConnectionConsumer(consumer, pool, messagesMax);
        Thread thread = new Thread(
                made::distribute, "mainstem-jms-consumer-" + made.connection.id() + '-' + made.connection.nextNumber());
        thread.setDaemon(true);
        thread.start();
        return made;
    }

    private void distribute() {
        try {
            List<InboxDelivery> batch = consumer.takeBatch(messagesMax);
            while (!batch.isEmpty()) {
                if (give(batch)) {
                    backOff.reset();
                } else {
                    consumer.rest(backOff.nextMs());
                }
                batch = consumer.takeBatch(messagesMax);
            }
        } catch (JMSException e) {
            if (!connection.isClosed()) {
                connection.reportUnlessLost(e); // The broker has ended the link: the queue is gone, for instance.
            }
        }
    }

    /** False if the pool or its session do not take them: they go back. */
    private boolean give(List<InboxDelivery> batch) {
        List<InboxDelivery> left = batch;
        try {
            ServerSession server = pool.getServerSession();
            SessionCore worker = closed ? null : load(server, batch);
            try {
                server.start();
                left = worker == null ? batch : List.of();
            } finally {
                if (worker != null && left == batch) {
                    left = worker.unload(batch);
                }
            }
            return true;
        } catch (Throwable e) { // An Error, too: this thread must go on, or nothing is distributed any more.
            if (!connection.isClosed()) {
                connection.report(Errors.asJms(e));
            }
            return false;
        } finally {
            LoadedMessages.release(left);
        }
    }

    /** A server session that cannot take them is started all the same, so that it goes back to its pool. */
    private SessionCore load(ServerSession server, List<InboxDelivery> batch) throws JMSException {
        try {
            SessionCore worker = mine(server.getSession());
            worker.load(batch);
            return worker;
        } catch (JMSException e) {
            Errors.after(e, server::start);
            throw e;
        }
    }

    /** @throws JMSException if the session is none of this connection */
    private SessionCore mine(@Nullable Session given) throws JMSException {
        if (given instanceof MainstemSession own && own.core().connection() == connection) {
            return own.core();
        }
        throw Errors.wrong("a server session with session " + given
                + " (expected: one that the connection of the connection consumer has created)");
    }

    @Override
    public ServerSessionPool getServerSessionPool() throws JMSException {
        connection.checkUsable();
        if (closed) {
            throw Errors.closed("connection consumer");
        }
        return pool;
    }

    /** What is with server sessions is worked on; what waits goes back. */
    @Override
    public void close() throws JMSException {
        if (closed) {
            return;
        }
        closed = true;
        consumer.closeWithSession();
    }
}
