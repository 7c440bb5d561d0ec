package io.mainstem.jms;

import io.mainstem.jms.MainstemConnectionConsumer.Consuming;
import io.mainstem.jms.MainstemConnectionConsumer.Named;
import io.mainstem.jms.connection.BrokerConnection;
import io.mainstem.jms.connection.Temporaries;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import io.mainstem.jms.session.SessionCore;
import io.mainstem.jms.session.Sessions;
import jakarta.jms.ConnectionConsumer;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.Destination;
import jakarta.jms.ExceptionListener;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.JMSException;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import org.jspecify.annotations.Nullable;

/**
 * A connection of the classic API, stopped when made (Jakarta Messaging 6.1). It is open to the broker from the beginning:
 * wrong credentials fail the factory's call. Thread: any.
 */
class MainstemConnection extends ConnectionOverloads {
    private final BrokerConnection broker;
    private final Sessions sessions;
    private final Temporaries temporaries;
    private volatile boolean ofQueues;
    private boolean started;
    private boolean used;

    MainstemConnection(Options options, LinkTransport transport, MessageFactory messages, ClientCounters counters)
            throws JMSException {
        sessions = new Sessions(counters);
        broker = new BrokerConnection(options, transport, messages, counters, sessions::failed);
        temporaries = new Temporaries(broker, sessions::consumeFrom);
    }

    final BrokerConnection broker() {
        return broker;
    }

    final Sessions sessions() {
        return sessions;
    }

    final Temporaries temporaries() {
        return temporaries;
    }

    @Override
    public @Nullable String getClientID() throws JMSException {
        broker.checkOpen();
        return broker.clientId();
    }

    @Override
    public synchronized void setClientID(String next) throws JMSException {
        broker.checkOpen();
        if (broker.hasClientId()) {
            throw Errors.illegal(
                    "MS-0710",
                    "the client identifier is '" + broker.clientId()
                            + "' already; fix: set it once, or in the factory");
        }
        if (used) {
            throw Errors.illegal(
                    "MS-0710",
                    "the connection is in use; fix: set the client identifier as the first thing after creating it");
        }
        if (next == null || next.isEmpty()) {
            throw new InvalidClientIDException(
                    "MS-0710 client identifier is empty; fix: give one that is not, or none", "MS-0710");
        }
        broker.clientId(next);
    }

    /** From now on there can be no other client identifier. */
    final synchronized void use() throws JMSException {
        broker.checkUsable();
        used = true;
    }

    @Override
    MainstemSession openSession(int mode) throws JMSException {
        use();
        if (mode < Session.SESSION_TRANSACTED || mode > Session.DUPS_OK_ACKNOWLEDGE) {
            throw Errors.wrong("acknowledge mode " + mode
                    + " (expected: AUTO_ACKNOWLEDGE, CLIENT_ACKNOWLEDGE, DUPS_OK_ACKNOWLEDGE or SESSION_TRANSACTED)");
        }
        return new MainstemSession(added(SessionCore.open(broker, sessions, mode)), temporaries);
    }

    final synchronized SessionCore added(SessionCore session) throws JMSException {
        sessions.add(session);
        JMSException reason = broker.failure();
        if (broker.isClosed()) {
            session.abandon(); // Nobody else would: the connection has closed its sessions.
            throw Errors.closed("connection");
        } else if (reason != null) {
            session.failed(reason);
        } else if (started) {
            session.start();
        }
        return session;
    }

    @Override
    public ConnectionMetaData getMetaData() throws JMSException {
        broker.checkOpen();
        return MainstemMetaData.INSTANCE;
    }

    @Override
    public @Nullable ExceptionListener getExceptionListener() throws JMSException {
        broker.checkOpen();
        return broker.exceptionListener();
    }

    @Override
    public void setExceptionListener(ExceptionListener listener) throws JMSException {
        broker.checkOpen();
        broker.exceptionListener(listener);
    }

    @Override
    public synchronized void start() throws JMSException {
        use();
        started = true;
        sessions.start();
    }

    @Override
    public void stop() throws JMSException {
        broker.checkUsable();
        sessions.checkNoMessageCallback("connection.stop");
        synchronized (this) {
            used = true;
            started = false;
        }
        sessions.stop();
    }

    @Override
    public void close() throws JMSException {
        sessions.checkNoCallback("connection.close"); // A listener that waited for itself would wait for ever.
        synchronized (this) {
            if (broker.isClosed()) {
                return;
            }
            broker.markClosed();
        }
        sessions.closeBy(System.nanoTime() + broker.options().timeouts().closeMs() * 1_000_000);
        broker.close();
    }

    /** It was made as one of the queue domain. */
    MainstemConnection ofQueues() {
        ofQueues = true;
        return this;
    }

    @Override
    ConnectionConsumer consume(
            @Nullable Destination destination,
            @Nullable String selector,
            @Nullable ServerSessionPool pool,
            int messagesMax)
            throws JMSException {
        return distribute(by -> by.consumer(destination, selector, false, null), pool, messagesMax);
    }

    @Override
    ConnectionConsumer subscribe(Named subscription, @Nullable ServerSessionPool pool, int messagesMax)
            throws JMSException {
        if (ofQueues) {
            throw Errors.illegal(
                    "MS-0708",
                    "createConnectionConsumer of a subscription on a QueueConnection; fix: use a Connection or"
                            + " TopicConnection");
        }
        return distribute(subscription::by, pool, messagesMax);
    }

    private ConnectionConsumer distribute(Consuming consuming, @Nullable ServerSessionPool pool, int messagesMax)
            throws JMSException {
        broker.checkUsable();
        if (pool == null || messagesMax < 1) {
            throw Errors.wrong("a connection consumer with pool " + pool + " and at most " + messagesMax
                    + " messages at a time (expected: a pool, 1 or more)");
        }
        MainstemSession session = openSession(Session.AUTO_ACKNOWLEDGE);
        session.core().feed();
        try {
            return MainstemConnectionConsumer.started(consuming.by(session).core(), pool, messagesMax);
        } catch (JMSException e) {
            Errors.after(e, session::close);
            throw e;
        }
    }
}
