package io.mainstem.jms.session;

import io.mainstem.jms.connection.BrokerConnection;
import io.mainstem.jms.delivery.AckMode;
import io.mainstem.jms.delivery.Deliveries;
import io.mainstem.jms.delivery.Handover;
import io.mainstem.jms.delivery.Inbox;
import io.mainstem.jms.delivery.InboxDelivery;
import io.mainstem.jms.delivery.LoadedMessages;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.error.JmsAction;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.options.Timeouts;
import io.mainstem.jms.transaction.LocalTransactions;
import io.mainstem.jms.transaction.Transactions;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import jakarta.jms.TransactionInProgressException;
import jakarta.jms.TransactionRolledBackException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session, whichever API it is called by: its life, its transactions, its consumers and producers. Thread: one at a time,
 * except close, and start and stop by its connection.
 */
public final class SessionCore {
    private static final Logger LOG = LoggerFactory.getLogger(SessionCore.class);

    private final BrokerConnection connection;
    private final Sessions sessions;
    private final LinkSession link;
    private final int mode;
    private final Transactions transactions;
    private final Deliveries deliveries;
    private final Completions completions;
    private final AckMode acknowledging;
    private final Handover handover;
    private final LoadedMessages loaded;
    private final List<ConsumerCore> consumers = new CopyOnWriteArrayList<>();
    private final Set<Outbox> outboxes = ConcurrentHashMap.newKeySet();
    private volatile @Nullable JMSException failure;
    private volatile boolean feeds;
    private volatile boolean closed;

    /**
     * A session over a link that is open.
     *
     * @param sessions of the connection: told when this one is closed, and of consumers that have lost their connection
     * @param mode of {@link Session}
     */
    public SessionCore(
            BrokerConnection connection, Sessions sessions, LinkSession link, int mode, Transactions transactions) {
        this.connection = connection;
        this.sessions = sessions;
        this.link = link;
        this.mode = mode;
        this.transactions = transactions;
        String name = "mainstem-jms-session-" + connection.id() + '-' + connection.nextNumber();
        deliveries = new Deliveries(
                connection.sessionThreads(), arrived -> handover().dispatch(arrived), sessions::interrupted);
        completions = new Completions(name + "-completions");
        acknowledging = AckMode.of(mode, deliveries, transactions);
        handover = new Handover(
                connection.messages(),
                connection.options(),
                connection.counters(),
                connection::report,
                deliveries,
                acknowledging,
                this::acknowledge);
        loaded = new LoadedMessages(deliveries, handover);
    }

    /** Opens one without transactions, or with local ones. */
    public static SessionCore open(BrokerConnection connection, Sessions sessions, int mode) throws JMSException {
        LinkSession link = connection.openSession();
        Transactions transactions = mode == Session.SESSION_TRANSACTED
                ? new LocalTransactions(
                        link.coordinator(), connection.options().timeouts().requestMs())
                : Transactions.NONE;
        return new SessionCore(connection, sessions, link, mode, transactions);
    }

    public BrokerConnection connection() {
        return connection;
    }

    Deliveries deliveries() {
        return deliveries;
    }

    AckMode acknowledging() {
        return acknowledging;
    }

    Handover handover() {
        return handover;
    }

    public int mode() {
        return mode;
    }

    public Timeouts timeouts() {
        return connection.options().timeouts();
    }

    // --- its life ------------------------------------------------------------------------------------------------

    /** A connection consumer receives by it, for other sessions. */
    public void feed() {
        feeds = true;
    }

    boolean feeds() {
        return feeds;
    }

    public void start() {
        deliveries.start();
    }

    void stop() {
        deliveries.stop();
        acknowledging.flush();
    }

    /** The connection is lost: whoever waits gets the reason. */
    public void failed(JMSException reason) {
        failure = reason;
        deliveries.failed(reason);
    }

    /** The connection was lost: what has come to this consumer, of whichever session, is the broker's again. */
    void interrupted(Inbox inbox) {
        loaded.forget(inbox);
        acknowledging.forget(inbox);
    }

    public void close() throws JMSException {
        checkNoCallback("close");
        closeBy(System.nanoTime() + timeouts().closeMs() * 1_000_000);
    }

    /** Closes it; after the deadline without the broker's answers. */
    void closeBy(long deadlineNanos) {
        if (closed) {
            return;
        }
        closed = true;
        sessions.forget(this);
        List<Inbox> inboxes = deliveries.closeAll();
        deliveries.pause();
        loaded.close();
        completions.await(Answers.leftMs(deadlineNanos));
        if (failure == null) {
            outboxes.forEach(outbox -> outbox.awaitOutcomes(Answers.leftMs(deadlineNanos)));
            try {
                deliveries.withdraw(inboxes, Answers.leftMs(deadlineNanos));
                acknowledging.giveBackAll();
                transactions.end();
                Answers.await(link.close(), Answers.leftMs(deadlineNanos), "closing a session");
            } catch (JMSException e) {
                LOG.debug("session closed without the broker's answer: {}", e.getMessage());
                var unused = link.close(); // It may have been this thread that would not wait: nothing stays with us.
            }
        }
        consumers.forEach(ConsumerCore::sessionClosed);
        deliveries.end();
        completions.end();
    }

    /** Ends it without waiting for anybody; nothing of it is with the application any more. */
    public void abandon() {
        closed = true;
        sessions.forget(this);
        deliveries.end();
        completions.end();
        var unused = link.close();
    }

    boolean isClosed() {
        return closed;
    }

    // --- what may be called --------------------------------------------------------------------------------------

    /** @throws JMSException if it is closed, or its connection is */
    public void checkUsable() throws JMSException {
        if (closed) {
            throw Errors.closed("session");
        }
        connection.checkUsable();
    }

    /** @throws jakarta.jms.IllegalStateException within a callback that the call would wait for */
    void checkNoCallback(String call) throws JMSException {
        if (deliveries.isDispatcher() || completions.isCallback()) {
            throw Errors.illegal("MS-0709", call + " in a listener that it waits for; fix: use another thread");
        }
    }

    /** @throws jakarta.jms.IllegalStateException within a message listener of this session: a stop waits for it to return */
    void checkNoMessageCallback(String call) throws JMSException {
        if (deliveries.isDispatcher()) {
            throw Errors.illegal("MS-0709", call + " in a message listener that it waits for; fix: use another thread");
        }
    }

    /** @throws jakarta.jms.IllegalStateException within a completion listener of this session */
    public void checkNoCompletionCallback(String call) throws JMSException {
        if (completions.isCallback()) {
            throw Errors.illegal("MS-0709", call + " in a CompletionListener (7.3.4); fix: use another thread");
        }
    }

    /** @throws jakarta.jms.IllegalStateException if all messages of this session are for a listener of its own */
    void checkNoListener() throws JMSException {
        if (loaded.listener() != null) {
            throw Errors.illegal(
                    "MS-0708", "the session has a listener of its own; fix: receive by that one, or take it away");
        }
    }

    // --- acknowledgement and transactions ------------------------------------------------------------------------

    /** {@code Message.acknowledge()} of the messages of this session. */
    public void acknowledge() throws JMSException {
        checkUsable();
        acknowledging.acknowledge();
    }

    Transactions transactions() {
        return transactions;
    }

    public void commit() throws JMSException {
        LocalTransactions local = local("commit");
        completions.await(timeouts().sendMs());
        try {
            local.commit();
        } catch (TransactionRolledBackException e) {
            Errors.after(e, () -> withWithdrawn(() -> {}));
            throw e;
        }
    }

    public void rollback() throws JMSException {
        LocalTransactions local = local("rollback");
        completions.await(timeouts().sendMs());
        withWithdrawn(local::rollback);
    }

    private LocalTransactions local(String call) throws JMSException {
        checkUsable();
        checkNoCompletionCallback(call);
        if (transactions instanceof LocalTransactions local) {
            return local;
        }
        if (transactions == Transactions.NONE) {
            throw Errors.illegal(
                    "MS-0708", call + " without transactions; fix: create the session as SESSION_TRANSACTED");
        }
        throw new TransactionInProgressException(
                "MS-0708 " + call + " on an XA session: its transactions end by the transaction manager", "MS-0708");
    }

    public void recover() throws JMSException {
        checkUsable();
        if (mode == Session.SESSION_TRANSACTED) {
            throw Errors.illegal("MS-0708", "recover on a transacted session; fix: call rollback");
        }
        withWithdrawn(acknowledging::giveBackAll);
        checkUsable(); // Lost meanwhile: nothing comes again.
    }

    /** Gives back what the application has not seen before the broker brings back the rest: all in its order. */
    public void withWithdrawn(JmsAction giveBack) throws JMSException {
        deliveries.pause();
        try {
            deliveries.withdraw(deliveries.inboxes(), timeouts().requestMs());
            giveBack.run();
        } finally {
            acknowledging.rolledBack();
            deliveries.resume();
        }
    }

    // --- a listener of the session's own, for connection consumers -----------------------------------------------

    public @Nullable MessageListener listener() {
        return loaded.listener();
    }

    public void listener(@Nullable MessageListener listener) throws JMSException {
        // One thread at a time: not that of the consumers' listeners beside one that calls run().
        if (listener != null && deliveries.inboxes().stream().anyMatch(inbox -> inbox.listener() != null)) {
            throw Errors.illegal(
                    "MS-0708", "a consumer of the session has a listener; fix: use either, or take that one away");
        }
        loaded.listener(listener);
    }

    /** Hands over all that is loaded. Thread: one of the application server. */
    public void run() {
        loaded.run();
    }

    /** As {@link LoadedMessages#load}. */
    public void load(List<InboxDelivery> batch) throws JMSException {
        loaded.load(batch);
    }

    /** As {@link LoadedMessages#unload}. */
    public List<InboxDelivery> unload(List<InboxDelivery> batch) {
        return loaded.unload(batch);
    }

    // --- consumers and producers ---------------------------------------------------------------------------------

    /**
     * Attaches a receiver.
     *
     * @param doing for messages to people
     * @param end whether one that comes too late is closed for good
     */
    public ReceiverLink attach(ReceiverRequest request, DeliveryListener listener, String doing, boolean end)
            throws JMSException {
        return Answers.awaitMade(
                link.attachReceiver(request, listener), timeouts().requestMs(), doing, late -> late.close(end));
    }

    /** Opens a consumer; what comes waits until somebody receives it or sets a listener. */
    public ConsumerCore openConsumer(ReceiverRequest request) throws JMSException {
        ConsumerCore consumer = ConsumerCore.open(this, request);
        consumers.add(consumer);
        return consumer;
    }

    void forget(ConsumerCore consumer) {
        consumers.remove(consumer);
    }

    boolean consumesFrom(MainstemDestination destination) {
        return deliveries.inboxes().stream().anyMatch(inbox -> inbox.source().equals(destination));
    }

    /** @param target null: each send names its destination */
    public Outbox openOutbox(@Nullable MainstemDestination target) throws JMSException {
        SenderLink sender = Answers.awaitMade(
                link.attachSender(target),
                timeouts().requestMs(),
                "creating a producer for " + target,
                SenderLink::close);
        Outbox outbox = new Outbox(connection, transactions, completions.ofProducer(), sender);
        outboxes.add(outbox);
        return outbox;
    }

    /** Closes a producer's way to the broker, when all it has sent is answered. */
    public void close(Outbox outbox) throws JMSException {
        completions.await(timeouts().sendMs());
        if (!connection.isClosed() && !closed) {
            outbox.awaitOutcomes(timeouts().closeMs());
            outbox.close(timeouts().closeMs());
        }
        outboxes.remove(outbox);
    }
}
