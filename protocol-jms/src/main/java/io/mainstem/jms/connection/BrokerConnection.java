package io.mainstem.jms.connection;

import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import jakarta.jms.ExceptionListener;
import jakarta.jms.JMSException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection's way to the broker, and what all its sessions share: options, names, threads, subscriptions, its failure
 * and who is told of it. It knows none of the sessions. Thread: any.
 */
public final class BrokerConnection {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerConnection.class);

    private final String id = UUID.randomUUID().toString();
    private final Options options;
    private final LinkTransport transport;
    private final MessageFactory messages;
    private final ClientCounters counters;
    private final Consumer<JMSException> lost;
    private final AtomicInteger numbers = new AtomicInteger();
    private final ActiveSubscriptions subscriptions = new ActiveSubscriptions();
    private final SessionThreads sessionThreads = new SessionThreads("mainstem-jms-session-" + id);
    private final SerialThread exceptions = new SerialThread("mainstem-jms-exceptions-" + id);
    private volatile LinkConnection link;
    private volatile @Nullable String clientId;
    private volatile @Nullable ExceptionListener exceptionListener;
    private volatile @Nullable JMSException failure;
    private volatile boolean closed;

    /**
     * Connects.
     *
     * @param messages makes and reads the messages of this connection
     * @param counters of the factory
     * @param lost told once if the connection is lost for good, before the exception listener is
     * @throws JMSException if there is no broker, or it refuses
     */
    public BrokerConnection(
            Options options,
            LinkTransport transport,
            MessageFactory messages,
            ClientCounters counters,
            Consumer<JMSException> lost)
            throws JMSException {
        this.options = options;
        this.transport = transport;
        this.messages = messages;
        this.counters = counters;
        this.lost = lost;
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
                        cause -> ended(containerId, cause))
                .toCompletableFuture();
        try {
            return Answers.await(opening, timeoutMs, "connecting to " + options.endpoints());
        } catch (JMSException e) {
            opening.cancel(false); // A search for a broker would go on for ever.
            throw e;
        }
    }

    /** The end of one of the connections under this one: the first is given up if a client identifier is set. */
    private void ended(String containerId, JMSException cause) {
        String current = clientId;
        if (!closed && (current == null || current.equals(containerId))) {
            failure = cause;
            lost.accept(cause);
            report(cause);
        }
    }

    /** Tells the exception listener of something that no call can throw. */
    public void report(JMSException cause) {
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

    /** As {@link #report}, unless the connection is lost: the listener has been told of that, and so of what follows. */
    public void reportUnlessLost(JMSException cause) {
        if (failure == null) {
            report(cause);
        }
    }

    public Options options() {
        return options;
    }

    public MessageFactory messages() {
        return messages;
    }

    public ClientCounters counters() {
        return counters;
    }

    /** The link of the moment. */
    public LinkConnection link() {
        return link;
    }

    /** A session at the broker. */
    public LinkSession openSession() throws JMSException {
        return Answers.awaitMade(
                link.openSession(), options.timeouts().requestMs(), "opening a session", LinkSession::close);
    }

    public String id() {
        return id;
    }

    public int nextNumber() {
        return numbers.incrementAndGet();
    }

    /** Calls listeners of sessions. */
    public Executor sessionThreads() {
        return sessionThreads::execute;
    }

    public ActiveSubscriptions subscriptions() {
        return subscriptions;
    }

    public @Nullable String clientId() {
        return clientId;
    }

    public boolean hasClientId() {
        return clientId != null;
    }

    /** Connects anew by this name, and gives the connection before up. */
    public void clientId(String next) throws JMSException {
        LinkConnection before = link;
        link = connect(next);
        clientId = next;
        var unused = before.close();
    }

    public @Nullable ExceptionListener exceptionListener() {
        return exceptionListener;
    }

    public void exceptionListener(@Nullable ExceptionListener listener) {
        exceptionListener = listener;
    }

    /** @throws JMSException if it is closed or has failed */
    public void checkUsable() throws JMSException {
        checkOpen();
        JMSException reason = failure;
        if (reason != null) {
            throw Errors.asJms(reason);
        }
    }

    /** @throws JMSException if it is closed */
    public void checkOpen() throws JMSException {
        if (closed) {
            throw Errors.closed("connection");
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /** Why it is lost; null if it is not. Once it is not null the exception listener is told. */
    public @Nullable JMSException failure() {
        return failure;
    }

    /** From now on calls are refused, and its end is no loss. */
    public void markClosed() {
        closed = true;
        counters.connection(false);
    }

    /** Ends the way to the broker and the threads; sessions are closed before. */
    public void close() {
        try {
            if (failure == null) {
                Answers.await(link.close(), options.timeouts().closeMs(), "closing the connection");
            }
        } catch (JMSException e) {
            LOG.debug("connection {} closed without the broker's answer: {}", id, e.getMessage());
        } finally {
            sessionThreads.end();
            exceptions.end();
        }
    }
}
