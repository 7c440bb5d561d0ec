package io.mainstem.jms;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.Subscription;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.Queue;
import jakarta.jms.QueueReceiver;
import jakarta.jms.Topic;
import jakarta.jms.TopicSubscriber;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A consumer of a queue or of a subscription. Thread: that of its session; close from any. */
final class MainstemConsumer implements QueueReceiver, TopicSubscriber {
    private final MainstemSession session;
    private final Inbox inbox;
    private final ReceiverRequest request;
    private volatile boolean closed;

    private MainstemConsumer(MainstemSession session, Inbox inbox, ReceiverRequest request) {
        this.session = session;
        this.inbox = inbox;
        this.request = request;
    }

    static MainstemConsumer open(
            MainstemSession session,
            MainstemDestination source,
            @Nullable String selector,
            boolean noLocal,
            @Nullable Subscription subscription)
            throws JMSException {
        String filter = selector == null || selector.isBlank() ? null : selector;
        ReceiverRequest request = new ReceiverRequest(source, filter, noLocal, false, subscription);
        boolean durable = subscription != null && subscription.durable();
        MainstemConnection connection = session.connection();
        Inbox inbox = new Inbox(
                session.deliveries(), source, connection.options().delivery(), connection.counters(), !durable);
        ActiveSubscriptions active = connection.subscriptions();
        if (subscription != null) {
            active.begin(subscription);
        }
        try {
            inbox.attached(Errors.awaitMade(
                    session.link().attachReceiver(request, inbox),
                    session.timeouts().requestMs(),
                    "creating a consumer of " + source,
                    late -> late.close(!durable)));
        } catch (JMSException e) {
            if (subscription != null) {
                active.end(subscription);
            }
            throw e;
        }
        session.deliveries().add(inbox);
        return new MainstemConsumer(session, inbox, request);
    }

    MainstemSession session() {
        return session;
    }

    Inbox inbox() {
        return inbox;
    }

    private void checkUsable() throws JMSException {
        if (closed) {
            throw Errors.closed("consumer");
        }
        session.checkUsable();
    }

    @Override
    public @Nullable String getMessageSelector() throws JMSException {
        checkUsable();
        return request.selector();
    }

    @Override
    public @Nullable MessageListener getMessageListener() throws JMSException {
        checkUsable();
        return inbox.listener();
    }

    @Override
    public void setMessageListener(@Nullable MessageListener listener) throws JMSException {
        checkUsable();
        if (listener != null) {
            session.checkNoListener();
        }
        session.deliveries().listener(inbox, listener);
    }

    @Override
    public @Nullable Message receive() throws JMSException {
        return receiveUntil(null);
    }

    @Override
    public @Nullable Message receive(long timeoutMs) throws JMSException {
        if (timeoutMs < 0) {
            throw Errors.wrong("timeout " + timeoutMs + " (expected: 0 or more)");
        }
        return receiveUntil(timeoutMs == 0 ? null : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    }

    private @Nullable Message receiveUntil(@Nullable Long deadlineNanos) throws JMSException {
        return received(() -> receivable(deadlineNanos));
    }

    @Override
    public @Nullable Message receiveNoWait() throws JMSException {
        return received(this::receivableNoWait);
    }

    /** A call for a message. */
    @FunctionalInterface
    interface Receiving {
        @Nullable
        Received next() throws JMSException;
    }

    /** The first that can still be taken. */
    private @Nullable Message received(Receiving receiving) throws JMSException {
        for (Received next = receiving.next(); next != null; next = receiving.next()) {
            if (taken(next)) {
                return next.message();
            }
        }
        return null;
    }

    /** What {@code receive} would return; it is in hand until {@link #taken} or {@link #putBack}. */
    @Nullable
    Received receivable(@Nullable Long deadlineNanos) throws JMSException {
        checkReceivable();
        Received received = next(deadlineNanos);
        boolean pulled = session.connection().options().delivery().prefetchCount() == 0;
        return received == null && deadlineNanos != null && pulled ? afterDrain() : received;
    }

    /** What {@code receiveNoWait} would return. */
    @Nullable
    Received receivableNoWait() throws JMSException {
        checkReceivable();
        Received received = next(System.nanoTime());
        return received == null ? afterDrain() : received;
    }

    private void checkReceivable() throws JMSException {
        checkUsable();
        session.checkNoListener();
        if (inbox.listener() != null) {
            throw Errors.illegal("MS-0708", "receive on a consumer with a listener; fix: use either, not both");
        }
    }

    /** A message with the delivery it came in. */
    record Received(Arrived arrived, Message message) {}

    /** The next message that the application may see; it is in hand until {@link #taken} or {@link #putBack}. */
    @Nullable
    Received next(@Nullable Long deadlineNanos) throws JMSException {
        while (true) {
            Arrived arrived = session.deliveries().receive(inbox, deadlineNanos);
            if (arrived == null) {
                return null;
            }
            Message message = session.handover().toMessage(arrived);
            if (message != null) {
                return new Received(arrived, message);
            }
            session.deliveries().received(arrived);
        }
    }

    /** Asks the broker whether there is anything, and looks again. */
    private @Nullable Received afterDrain() throws JMSException {
        if (closed || !session.deliveries().started()) {
            return null;
        }
        session.deliveries().drain(inbox, session.timeouts().requestMs());
        return next(System.nanoTime());
    }

    /**
     * Hands it to the application.
     *
     * @return false if it is the broker's again and comes once more
     */
    boolean taken(Received received) throws JMSException {
        try {
            if (!session.acknowledging().handed(received.arrived())) {
                return false;
            }
            session.connection().counters().delivered();
            session.acknowledging().finished(received.arrived());
            return true;
        } catch (JMSException e) {
            session.deliveries().locked(() -> inbox.unpoll(received.arrived()));
            throw e;
        } finally {
            session.deliveries().received(received.arrived());
        }
    }

    /** As if it had never been received: it is the next one again. */
    void putBack(Received received) {
        session.deliveries().locked(() -> inbox.unpoll(received.arrived()));
        session.deliveries().received(received.arrived());
    }

    @Override
    public Queue getQueue() throws JMSException {
        checkUsable();
        if (request.source() instanceof Queue queue) {
            return queue;
        }
        throw Errors.illegal("MS-0708", "this consumer is one of topic " + request.source());
    }

    @Override
    public Topic getTopic() throws JMSException {
        checkUsable();
        if (request.source() instanceof Topic topic) {
            return topic;
        }
        throw Errors.illegal("MS-0708", "this consumer is one of queue " + request.source());
    }

    @Override
    public boolean getNoLocal() throws JMSException {
        checkUsable();
        return request.noLocal();
    }

    @Override
    public void close() throws JMSException {
        if (closed) {
            return;
        }
        closed = true;
        session.forget(this);
        long timeoutMs = session.timeouts().closeMs();
        session.deliveries().close(inbox, timeoutMs);
        session.acknowledging().flush();
        try {
            closeLink(timeoutMs);
        } finally {
            ended();
        }
    }

    /** Also if this thread does not wait for the broker, or in vain: what was prefetched must not stay here. */
    private void closeLink(long timeoutMs) throws JMSException {
        try {
            if (inbox.failure() == null && !session.connection().isClosed()) {
                session.deliveries().withdraw(List.of(inbox), timeoutMs);
            }
        } catch (JMSException e) {
            Errors.after(e, () -> session.deliveries().closeLink(inbox, 1));
            throw e;
        }
        session.deliveries().closeLink(inbox, timeoutMs);
    }

    /** Closed together with its session. */
    void sessionClosed() {
        if (!closed) {
            closed = true;
            ended();
        }
    }

    private void ended() {
        Subscription subscription = request.subscription();
        if (subscription != null) {
            session.connection().subscriptions().end(subscription);
        }
    }
}
