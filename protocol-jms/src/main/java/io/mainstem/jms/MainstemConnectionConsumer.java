package io.mainstem.jms;

import jakarta.jms.ConnectionConsumer;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.ServerSession;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Distributes messages over the sessions of an application server (Jakarta Messaging 11.2, ADR 0055). It receives by a
 * session of its own; whoever works on a message settles it over the link of this consumer, in transactions of its own
 * session. Thread: any; one thread of its own receives, and may wait for the pool.
 */
final class MainstemConnectionConsumer implements ConnectionConsumer {
    private final MainstemConnection connection;
    private final MainstemConsumer consumer;
    private final MainstemSession session;
    private final ServerSessionPool pool;
    private final int messagesMax;
    private final BackOff backOff = new BackOff();
    private volatile boolean closed;

    /** How the session of a connection consumer consumes. */
    @FunctionalInterface
    interface Consuming {
        MainstemConsumer by(MainstemSession session) throws JMSException;
    }

    private MainstemConnectionConsumer(MainstemConsumer consumer, ServerSessionPool pool, int messagesMax) {
        this.consumer = consumer;
        this.session = consumer.session();
        this.connection = session.connection();
        this.pool = pool;
        this.messagesMax = messagesMax;
    }

    /** Of a queue, or of a topic as long as it is open. */
    static ConnectionConsumer of(
            MainstemConnection connection,
            @Nullable Destination destination,
            @Nullable String selector,
            @Nullable ServerSessionPool pool,
            int messagesMax)
            throws JMSException {
        return open(connection, by -> by.consumer(destination, selector, false, null), pool, messagesMax);
    }

    /** Which subscription a connection consumer takes from. */
    record Named(
            @Nullable Topic topic,
            @Nullable String name,
            @Nullable String selector,
            boolean durable,
            boolean shared) {}

    /** Of a named subscription. */
    static ConnectionConsumer of(
            MainstemConnection connection, Named subscription, @Nullable ServerSessionPool pool, int messagesMax)
            throws JMSException {
        connection.checkTopics("createConnectionConsumer of a subscription");
        return open(
                connection,
                by -> by.subscribe(
                        subscription.topic,
                        subscription.name,
                        subscription.selector,
                        false,
                        subscription.durable,
                        subscription.shared),
                pool,
                messagesMax);
    }

    private static ConnectionConsumer open(
            MainstemConnection connection, Consuming consuming, @Nullable ServerSessionPool pool, int messagesMax)
            throws JMSException {
        connection.checkUsable();
        if (pool == null || messagesMax < 1) {
            throw Errors.wrong("a connection consumer with pool " + pool + " and at most " + messagesMax
                    + " messages at a time (expected: a pool, 1 or more)");
        }
        MainstemSession session = connection.openSession(Session.AUTO_ACKNOWLEDGE);
        session.feed();
        try {
            MainstemConnectionConsumer made = new MainstemConnectionConsumer(consuming.by(session), pool, messagesMax);
            Thread thread = new Thread(
                    made::distribute, "mainstem-jms-consumer-" + connection.id() + '-' + connection.nextNumber());
            thread.setDaemon(true);
            thread.start();
            return made;
        } catch (JMSException e) {
            Errors.after(e, session::close);
            throw e;
        }
    }

    private void distribute() {
        try {
            for (List<Arrived> batch = next(); !batch.isEmpty(); batch = next()) {
                if (give(batch)) {
                    backOff.reset();
                } else {
                    session.deliveries().rest(consumer.inbox(), backOff.nextMs());
                }
            }
        } catch (JMSException e) {
            if (!connection.hasFailed() && !connection.isClosed()) {
                connection.report(e); // The broker has ended the link: the queue is gone, for instance.
            }
        }
    }

    /** Waits for a message, and takes what else is there; nothing at the end. */
    private List<Arrived> next() throws JMSException {
        List<Arrived> batch = new ArrayList<>();
        Inbox inbox = consumer.inbox();
        Arrived arrived = session.deliveries().receive(inbox, null);
        while (arrived != null) {
            inbox.unsettled(1);
            session.deliveries().received(arrived);
            batch.add(arrived);
            arrived = batch.size() < messagesMax ? session.deliveries().receive(inbox, System.nanoTime()) : null;
        }
        return batch;
    }

    /** False if the pool or its session do not take them: they go back. */
    private boolean give(List<Arrived> batch) {
        List<Arrived> left = batch;
        try {
            ServerSession server = pool.getServerSession();
            MainstemSession worker = closed ? null : load(server, batch);
            try {
                server.start();
                left = worker == null ? batch : List.of();
            } finally {
                if (worker != null && left == batch) {
                    left = worker.loaded().unload(batch);
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
    private MainstemSession load(ServerSession server, List<Arrived> batch) throws JMSException {
        try {
            MainstemSession worker = mine(server.getSession());
            worker.loaded().load(batch);
            return worker;
        } catch (JMSException e) {
            Errors.after(e, server::start);
            throw e;
        }
    }

    /** @throws JMSException if the session is none of this connection */
    private MainstemSession mine(@Nullable Session given) throws JMSException {
        Session found = given;
        if (given instanceof SessionView view) {
            found = view.session();
        }
        if (found instanceof MainstemSession own && own.connection() == connection) {
            return own;
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
        consumer.inbox().afterLink(session::abandon);
        consumer.close();
    }
}
