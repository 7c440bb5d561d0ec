package io.mainstem.jms;

import io.mainstem.jms.MainstemConnectionConsumer.Named;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import jakarta.jms.ConnectionConsumer;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.Destination;
import jakarta.jms.ExceptionListener;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.JMSException;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection, stopped when made (Jakarta Messaging 6.1). It is open to the broker from the beginning: wrong credentials
 * fail the factory's call. Thread: any.
 */
class MainstemConnection extends ConnectionOverloads {
    private static final Logger LOG = LoggerFactory.getLogger(MainstemConnection.class);

    private final String id = UUID.randomUUID().toString();
    private final Options options;
    private final LinkTransport transport;
    private final MessageFactory messages;
    private final ClientCounters counters;
    private final List<MainstemSession> sessions = new CopyOnWriteArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Temporaries temporaries = new Temporaries(this);
    private final ActiveSubscriptions subscriptions = new ActiveSubscriptions();
    private final SessionThreads sessionThreads = new SessionThreads("mainstem-jms-session-" + id);
    private final SerialThread exceptions = new SerialThread("mainstem-jms-exceptions-" + id);
    private volatile LinkConnection link;
    private volatile @Nullable String clientId;
    private volatile @Nullable ExceptionListener exceptionListener;
    private volatile @Nullable JMSException failure;
    private volatile boolean started;
    private volatile boolean closed;
    private volatile boolean ofQueues;
    private boolean used;

    MainstemConnection(Options options, LinkTransport transport, MessageFactory messages, ClientCounters counters)
            throws JMSException {
        this.options = options;
        this.counters = counters;
        this.transport = transport;
        this.messages = messages;
        this.clientId = options.clientId();
        String container = options.clientId();
        this.link = connect(container == null ? "mainstem-jms-" + id : container);
        counters.connection(true);
    }

    private LinkConnection connect(String containerId) throws JMSException {
        long timeoutMs = options.timeouts().connectMs() + options.timeouts().requestMs();
        CompletableFuture<LinkConnection> opening = transport
                .connect(
                        new ConnectRequest(options.endpoints().get(0), options, containerId, counters),
                        new Lost(containerId)::lost)
                .toCompletableFuture();
        try {
            return Errors.await(opening, timeoutMs, "connecting to " + options.endpoints());
        } catch (JMSException e) {
            opening.cancel(false); // A search for a broker would go on for ever.
            throw e;
        }
    }

    /** The end of one of the connections under this one: the first is given up if a client identifier is set. */
    private final class Lost {
        private final String containerId;

        Lost(String containerId) {
            this.containerId = containerId;
        }

        void lost(JMSException cause) {
            String current = clientId;
            if (!closed && (current == null || current.equals(containerId))) {
                failed(cause);
            }
        }
    }

    private void failed(JMSException cause) {
        failure = cause;
        sessions.forEach(session -> session.failed(cause));
        report(cause);
    }

    /** Tells the exception listener of something that no call can throw. */
    void report(JMSException cause) {
        exceptions.execute(() -> {
            ExceptionListener listener = exceptionListener;
            if (listener == null) {
                LOG.warn(
                        "MS-0716 failure without an exception listener connection={} cause={}", id, cause.getMessage());
            } else {
                listener.onException(cause);
            }
        });
    }

    Options options() {
        return options;
    }

    MessageFactory messages() {
        return messages;
    }

    ClientCounters counters() {
        return counters;
    }

    LinkConnection link() {
        return link;
    }

    String id() {
        return id;
    }

    int nextNumber() {
        return numbers.incrementAndGet();
    }

    SessionThreads sessionThreads() {
        return sessionThreads;
    }

    Temporaries temporaries() {
        return temporaries;
    }

    ActiveSubscriptions subscriptions() {
        return subscriptions;
    }

    boolean hasClientId() {
        return clientId != null;
    }

    List<MainstemSession> sessions() {
        return sessions;
    }

    /** @throws JMSException if it is closed or has failed */
    void checkUsable() throws JMSException {
        checkOpen();
        JMSException reason = failure;
        if (reason != null) {
            throw Errors.asJms(reason);
        }
    }

    private void checkOpen() throws JMSException {
        if (closed) {
            throw Errors.closed("connection");
        }
    }

    @Override
    public @Nullable String getClientID() throws JMSException {
        checkOpen();
        return clientId;
    }

    @Override
    public synchronized void setClientID(String next) throws JMSException {
        checkOpen();
        if (clientId != null) {
            throw Errors.illegal(
                    "MS-0710",
                    "the client identifier is '" + clientId + "' already; fix: set it once, or in the factory");
        }
        if (used) {
            throw Errors.illegal(
                    "MS-0710",
                    "the connection is in use; fix: set the client identifier as the first thing after creating it");
        }
        if (next == null || next.isEmpty()) {
            throw new InvalidClientIDException("MS-0710 client identifier is empty", "MS-0710");
        }
        LinkConnection before = link;
        link = connect(next);
        clientId = next;
        var unused = before.close();
    }

    /** From now on there can be no other client identifier. */
    final synchronized void use() throws JMSException {
        checkUsable();
        used = true;
    }

    @Override
    MainstemSession openSession(int mode) throws JMSException {
        use();
        if (mode < Session.SESSION_TRANSACTED || mode > Session.DUPS_OK_ACKNOWLEDGE) {
            throw Errors.wrong("acknowledge mode " + mode
                    + " (expected: AUTO_ACKNOWLEDGE, CLIENT_ACKNOWLEDGE, DUPS_OK_ACKNOWLEDGE or SESSION_TRANSACTED)");
        }
        return added(new MainstemSession(this, openLinkSession(), mode));
    }

    LinkSession openLinkSession() throws JMSException {
        return Errors.awaitMade(
                link.openSession(), options.timeouts().requestMs(), "opening a session", LinkSession::close);
    }

    synchronized MainstemSession added(MainstemSession session) throws JMSException {
        sessions.add(session);
        counters.session(true);
        JMSException reason = failure;
        if (closed) {
            session.abandon(); // Nobody else would: the connection has closed its sessions.
            throw Errors.closed("connection");
        } else if (reason != null) {
            session.failed(reason);
        } else if (started) {
            session.start();
        }
        return session;
    }

    void forget(MainstemSession session) {
        if (sessions.remove(session)) {
            counters.session(false);
        }
    }

    @Override
    public ConnectionMetaData getMetaData() throws JMSException {
        checkOpen();
        return MainstemMetaData.INSTANCE;
    }

    @Override
    public @Nullable ExceptionListener getExceptionListener() throws JMSException {
        checkOpen();
        return exceptionListener;
    }

    @Override
    public void setExceptionListener(ExceptionListener listener) throws JMSException {
        checkOpen();
        exceptionListener = listener;
    }

    @Override
    public synchronized void start() throws JMSException {
        use();
        started = true;
        sessions.forEach(MainstemSession::start);
    }

    @Override
    public void stop() throws JMSException {
        checkUsable();
        for (MainstemSession session : sessions) {
            session.checkNoMessageCallback("connection.stop");
        }
        synchronized (this) {
            used = true;
            started = false;
        }
        sessions.forEach(MainstemSession::stop);
    }

    /** A listener that waited for itself would wait for ever. */
    private void checkNoCallback(String call) throws JMSException {
        for (MainstemSession session : sessions) {
            session.checkNoCallback("connection." + call);
        }
    }

    @Override
    public void close() throws JMSException {
        checkNoCallback("close");
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        counters.connection(false);
        long deadline = System.nanoTime() + options.timeouts().closeMs() * 1_000_000;
        closeSessions(deadline);
        try {
            if (failure == null) {
                Errors.await(link.close(), options.timeouts().closeMs(), "closing the connection");
            }
        } catch (JMSException e) {
            LOG.debug("connection {} closed without the broker's answer: {}", id, e.getMessage());
        } finally {
            sessionThreads.end();
            exceptions.end();
        }
    }

    /** Those last that connection consumers receive by: what they gave to other sessions is settled over their links. */
    private void closeSessions(long deadlineNanos) {
        List<MainstemSession> feeding =
                sessions.stream().filter(MainstemSession::feeds).toList();
        feeding.forEach(MainstemSession::stop);
        for (MainstemSession session : sessions) {
            if (!session.feeds()) {
                session.closeBy(deadlineNanos);
            }
        }
        feeding.forEach(session -> session.closeBy(deadlineNanos));
    }

    boolean isClosed() {
        return closed;
    }

    /** True once the exception listener has been told that the connection is lost. */
    boolean hasFailed() {
        return failure != null;
    }

    /** The connection under this one is lost: no session works on what came to this consumer. */
    void interrupted(Inbox inbox) {
        sessions.forEach(session -> session.interrupted(inbox));
    }

    /** It was made as one of the queue domain. */
    MainstemConnection ofQueues() {
        ofQueues = true;
        return this;
    }

    /** @throws jakarta.jms.IllegalStateException if this is a connection of the queue domain */
    void checkTopics(String call) throws JMSException {
        if (ofQueues) {
            throw Errors.illegal("MS-0708", call + " on a QueueConnection; fix: use a Connection or TopicConnection");
        }
    }

    void checkOwned(MainstemDestination destination) throws JMSException {
        temporaries.checkOwned(destination);
    }

    @Override
    ConnectionConsumer consume(
            @Nullable Destination destination,
            @Nullable String selector,
            @Nullable ServerSessionPool pool,
            int messagesMax)
            throws JMSException {
        return MainstemConnectionConsumer.of(this, destination, selector, pool, messagesMax);
    }

    @Override
    ConnectionConsumer subscribe(Named subscription, @Nullable ServerSessionPool pool, int messagesMax)
            throws JMSException {
        return MainstemConnectionConsumer.of(this, subscription, pool, messagesMax);
    }
}
