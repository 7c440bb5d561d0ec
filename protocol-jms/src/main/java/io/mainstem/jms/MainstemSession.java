package io.mainstem.jms;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.options.Timeouts;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import jakarta.jms.TransactionRolledBackException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session (Jakarta Messaging 6.2). Thread: one at a time, except close, and start and stop by its connection. */
class MainstemSession extends SessionOverloads {
    private static final Logger LOG = LoggerFactory.getLogger(MainstemSession.class);

    private final MainstemConnection connection;
    private final LinkSession link;
    private final int mode;
    private final Deliveries deliveries;
    private final Completions completions;
    private final AckMode acknowledging;
    private final Handover handover;
    private final LoadedMessages loaded;
    private final Work work;
    private final List<MainstemConsumer> consumers = new CopyOnWriteArrayList<>();
    private final Set<MainstemProducer> producers = ConcurrentHashMap.newKeySet();
    private volatile @Nullable JMSException failure;
    private volatile boolean feeds;
    private volatile boolean closed;

    MainstemSession(MainstemConnection connection, LinkSession link, int mode) {
        this(connection, link, mode, work(connection, link, mode));
    }

    private static Work work(MainstemConnection connection, LinkSession link, int mode) {
        return mode == SESSION_TRANSACTED
                ? new LocalTransactions(
                        link.coordinator(), connection.options().timeouts().requestMs())
                : Work.NONE;
    }

    /** @param work the transactions of this session */
    MainstemSession(MainstemConnection connection, LinkSession link, int mode, Work work) {
        this.connection = connection;
        this.link = link;
        this.mode = mode;
        this.work = work;
        String name = "mainstem-jms-session-" + connection.id() + '-' + connection.nextNumber();
        deliveries = new Deliveries(
                connection.sessionThreads()::execute, arrived -> handover().dispatch(arrived), connection::interrupted);
        completions = new Completions(name + "-completions");
        acknowledging = AckMode.of(mode, deliveries, work);
        handover = new Handover(connection, deliveries, acknowledging, this::acknowledge);
        loaded = new LoadedMessages(deliveries, handover);
    }

    MainstemConnection connection() {
        return connection;
    }

    LinkSession link() {
        return link;
    }

    Deliveries deliveries() {
        return deliveries;
    }

    Completions completions() {
        return completions;
    }

    AckMode acknowledging() {
        return acknowledging;
    }

    Handover handover() {
        return handover;
    }

    LoadedMessages loaded() {
        return loaded;
    }

    Work work() {
        return work;
    }

    Timeouts timeouts() {
        return connection.options().timeouts();
    }

    /** A connection consumer receives by it, for other sessions. */
    void feed() {
        feeds = true;
    }

    boolean feeds() {
        return feeds;
    }

    void start() {
        deliveries.start();
    }

    void stop() {
        deliveries.stop();
        acknowledging.flush();
    }

    /** The connection is lost: whoever waits gets the reason. */
    void failed(JMSException reason) {
        failure = reason;
        deliveries.failed(reason);
    }

    @Override
    void checkUsable() throws JMSException {
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

    void checkNoCompletionCallback(String call) throws JMSException {
        if (completions.isCallback()) {
            throw Errors.illegal("MS-0709", call + " in a CompletionListener (7.3.4); fix: use another thread");
        }
    }

    /** {@code Message.acknowledge()} of the messages of this session. */
    private void acknowledge() throws JMSException {
        checkUsable();
        acknowledging.acknowledge();
    }

    @Override
    public boolean getTransacted() throws JMSException {
        checkUsable();
        return mode == SESSION_TRANSACTED;
    }

    @Override
    public int getAcknowledgeMode() throws JMSException {
        checkUsable();
        return mode;
    }

    @Override
    public void commit() throws JMSException {
        LocalTransactions transactions = transactions("commit");
        completions.await(timeouts().sendMs());
        try {
            transactions.commit();
        } catch (TransactionRolledBackException e) {
            Errors.after(e, () -> withWithdrawn(() -> {}));
            throw e;
        }
    }

    @Override
    public void rollback() throws JMSException {
        LocalTransactions transactions = transactions("rollback");
        completions.await(timeouts().sendMs());
        withWithdrawn(transactions::rollback);
    }

    /** Gives back what the application has not seen before the broker brings back the rest: all in its order. */
    final void withWithdrawn(Runtimes.Action giveBack) throws JMSException {
        deliveries.pause();
        try {
            deliveries.withdraw(deliveries.inboxes(), timeouts().requestMs());
            giveBack.run();
        } finally {
            acknowledging.rolledBack();
            deliveries.resume();
        }
    }

    private LocalTransactions transactions(String call) throws JMSException {
        checkUsable();
        checkNoCompletionCallback(call);
        if (work instanceof LocalTransactions transactions) {
            return transactions;
        }
        throw noTransactions(call);
    }

    /** What commit and rollback say without local transactions. */
    JMSException noTransactions(String call) {
        return Errors.illegal("MS-0708", call + " without transactions; fix: create the session as SESSION_TRANSACTED");
    }

    @Override
    public void recover() throws JMSException {
        checkUsable();
        if (mode == SESSION_TRANSACTED) {
            throw Errors.illegal("MS-0708", "recover on a transacted session; fix: call rollback");
        }
        withWithdrawn(acknowledging::giveBackAll);
        checkUsable(); // Lost meanwhile: nothing comes again.
    }

    @Override
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
        connection.forget(this);
        List<Inbox> inboxes = deliveries.inboxes();
        deliveries.locked(() -> inboxes.forEach(Inbox::close));
        deliveries.pause();
        loaded.close();
        completions.await(Errors.leftMs(deadlineNanos));
        if (failure == null) {
            producers.forEach(producer -> producer.awaitOutcomes(Errors.leftMs(deadlineNanos)));
            try {
                deliveries.withdraw(inboxes, Errors.leftMs(deadlineNanos));
                acknowledging.giveBackAll();
                work.end();
                Errors.await(link.close(), Errors.leftMs(deadlineNanos), "closing a session");
            } catch (JMSException e) {
                LOG.debug("session closed without the broker's answer: {}", e.getMessage());
                var unused = link.close(); // It may have been this thread that would not wait: nothing stays with us.
            }
        }
        consumers.forEach(MainstemConsumer::sessionClosed);
        deliveries.end();
        completions.end();
    }

    /** Ends it without waiting for anybody; nothing of it is with the application any more. */
    void abandon() {
        closed = true;
        connection.forget(this);
        deliveries.end();
        completions.end();
        var unused = link.close();
    }

    /** The connection was lost: what has come to this consumer, of whichever session, is the broker's again. */
    void interrupted(Inbox inbox) {
        loaded.forget(inbox);
        acknowledging.forget(inbox);
    }

    boolean isClosed() {
        return closed;
    }

    /** A consumer or producer of this session is closed. */
    void forget(AutoCloseable child) {
        consumers.remove(child);
        producers.remove(child);
    }

    boolean consumesFrom(MainstemDestination destination) {
        return deliveries.inboxes().stream().anyMatch(inbox -> inbox.source().equals(destination));
    }

    @Override
    public @Nullable MessageListener getMessageListener() throws JMSException {
        checkUsable();
        return loaded.listener();
    }

    @Override
    public void setMessageListener(@Nullable MessageListener listener) throws JMSException {
        checkUsable();
        // One thread at a time: not that of the consumers' listeners beside one that calls run().
        if (listener != null && deliveries.inboxes().stream().anyMatch(inbox -> inbox.listener() != null)) {
            throw Errors.illegal(
                    "MS-0708", "a consumer of the session has a listener; fix: use either, or take that one away");
        }
        loaded.listener(listener);
    }

    /** @throws jakarta.jms.IllegalStateException if all messages of this session are for a listener of its own */
    void checkNoListener() throws JMSException {
        if (loaded.listener() != null) {
            throw Errors.illegal(
                    "MS-0708", "the session has a listener of its own; fix: receive by that one, or take it away");
        }
    }

    @Override
    public void run() {
        loaded.run();
    }

    @Override
    public MessageProducer createProducer(@Nullable Destination destination) throws JMSException {
        return producer(destination);
    }

    MainstemProducer producer(@Nullable Destination destination) throws JMSException {
        checkUsable();
        MainstemDestination target = destination == null ? null : MainstemDestination.of(destination);
        MainstemProducer producer = new MainstemProducer(
                this,
                target,
                Errors.awaitMade(
                        link.attachSender(target),
                        timeouts().requestMs(),
                        "creating a producer for " + target,
                        SenderLink::close));
        producers.add(producer);
        return producer;
    }

    @Override
    MainstemConsumer consumer(
            @Nullable Destination destination,
            @Nullable String selector,
            boolean noLocal,
            @Nullable Subscription subscription)
            throws JMSException {
        checkUsable();
        MainstemDestination source = MainstemDestination.of(destination);
        connection.checkOwned(source);
        MainstemConsumer consumer = MainstemConsumer.open(
                this, source, selector, noLocal && !source.kind().isQueue(), subscription);
        consumers.add(consumer);
        return consumer;
    }

    @Override
    MainstemConsumer subscribe(
            @Nullable Topic topic,
            @Nullable String name,
            @Nullable String selector,
            boolean noLocal,
            boolean durable,
            boolean shared)
            throws JMSException {
        checkUsable();
        if (topic == null || (durable && topic instanceof TemporaryTopic)) {
            throw Errors.destination("topic is " + topic + "; fix: give a topic, not a temporary one if durable");
        }
        return consumer(
                topic, selector, noLocal, ActiveSubscriptions.named(name, durable, shared, connection.hasClientId()));
    }

    @Override
    public void unsubscribe(String name) throws JMSException {
        checkUsable();
        if (name == null || name.isEmpty() || name.indexOf('|') >= 0) {
            throw new InvalidDestinationException("MS-0712 there is no subscription '" + name + "'", "MS-0712");
        }
        connection.subscriptions().checkUnused(name);
        Subscription subscription = new Subscription(name, true, false, !connection.hasClientId());
        Errors.await(
                connection.link().unsubscribe(subscription), timeouts().requestMs(), "unsubscribing '" + name + "'");
    }

    @Override
    public QueueBrowser createBrowser(Queue queue) throws JMSException {
        return createBrowser(queue, null);
    }

    @Override
    public QueueBrowser createBrowser(Queue queue, @Nullable String selector) throws JMSException {
        checkUsable();
        MainstemDestination source = MainstemDestination.of(queue);
        connection.checkOwned(source);
        return MainstemBrowser.open(this, queue, source, selector);
    }

    @Override
    public TemporaryQueue createTemporaryQueue() throws JMSException {
        checkUsable();
        return connection.temporaries().createQueue();
    }

    @Override
    public TemporaryTopic createTemporaryTopic() throws JMSException {
        checkUsable();
        return connection.temporaries().createTopic();
    }

    @Override
    MessageFactory messages() throws JMSException {
        checkUsable();
        return connection.messages();
    }
}
