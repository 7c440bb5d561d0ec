package io.mainstem.jms.session;

import io.mainstem.jms.connection.ActiveSubscriptions;
import io.mainstem.jms.connection.BrokerConnection;
import io.mainstem.jms.delivery.Deliveries;
import io.mainstem.jms.delivery.Inbox;
import io.mainstem.jms.delivery.InboxDelivery;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.Subscription;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A consumer, whichever API it is called by. Thread: that of its session; close from any. */
public final class ConsumerCore {
    private final SessionCore session;
    private final Deliveries deliveries;
    private final Inbox inbox;
    private final ReceiverRequest request;
    private volatile boolean closed;

    private ConsumerCore(SessionCore session, Inbox inbox, ReceiverRequest request) {
        this.session = session;
        this.deliveries = session.deliveries();
        this.inbox = inbox;
        this.request = request;
    }

    static ConsumerCore open(SessionCore session, ReceiverRequest request) throws JMSException {
        Subscription subscription = request.subscription();
        boolean durable = subscription != null && subscription.durable();
        BrokerConnection connection = session.connection();
        Inbox inbox = new Inbox(
                session.deliveries(),
                request.source(),
                connection.options().delivery(),
                connection.counters(),
                !durable);
        ActiveSubscriptions active = connection.subscriptions();
        if (subscription != null) {
            active.begin(subscription);
        }
        try {
            inbox.attached(session.attach(request, inbox, "creating a consumer of " + request.source(), !durable));
        } catch (JMSException e) {
            if (subscription != null) {
                active.end(subscription);
            }
            throw e;
        }
        session.deliveries().add(inbox);
        return new ConsumerCore(session, inbox, request);
    }

    public SessionCore session() {
        return session;
    }

    /** What it was opened by. */
    public ReceiverRequest request() {
        return request;
    }

    /** @throws JMSException if it, its session or its connection is closed */
    public void checkUsable() throws JMSException {
        if (closed) {
            throw Errors.closed("consumer");
        }
        session.checkUsable();
    }

    public @Nullable MessageListener listener() {
        return inbox.listener();
    }

    public void listener(@Nullable MessageListener listener) throws JMSException {
        if (listener != null) {
            session.checkNoListener();
        }
        deliveries.listener(inbox, listener);
    }

    // --- receiving -----------------------------------------------------------------------------------------------

    /** A message with the delivery it came in. */
    public record ReceivedMessage(InboxDelivery delivery, Message message) {}

    /** A call for a message. */
    @FunctionalInterface
    public interface Receiving {
        @Nullable
        ReceivedMessage next() throws JMSException;
    }

    /**
     * What {@code receive} would return; it is in hand until {@link #taken} or {@link #putBack}.
     *
     * @param deadlineNanos by {@code System.nanoTime}; null: without end
     */
    public @Nullable ReceivedMessage receivable(@Nullable Long deadlineNanos) throws JMSException {
        checkReceivable();
        ReceivedMessage received = next(deadlineNanos);
        boolean pulled = session.connection().options().delivery().prefetchCount() == 0;
        return received == null && deadlineNanos != null && pulled ? afterDrain() : received;
    }

    /** What {@code receiveNoWait} would return. */
    public @Nullable ReceivedMessage receivableNoWait() throws JMSException {
        checkReceivable();
        ReceivedMessage received = next(System.nanoTime());
        return received == null ? afterDrain() : received;
    }

    private void checkReceivable() throws JMSException {
        checkUsable();
        session.checkNoListener();
        if (inbox.listener() != null) {
            throw Errors.illegal("MS-0708", "receive on a consumer with a listener; fix: use either, not both");
        }
    }

    /** The next message that the application may see; it is in hand until {@link #taken} or {@link #putBack}. */
    private @Nullable ReceivedMessage next(@Nullable Long deadlineNanos) throws JMSException {
        while (true) {
            InboxDelivery delivery = deliveries.receive(inbox, deadlineNanos);
            if (delivery == null) {
                return null;
            }
            Message message = session.handover().toMessage(delivery);
            if (message != null) {
                return new ReceivedMessage(delivery, message);
            }
            deliveries.received(delivery);
        }
    }

    /** Asks the broker whether there is anything, and looks again. */
    private @Nullable ReceivedMessage afterDrain() throws JMSException {
        if (closed || !deliveries.started()) {
            return null;
        }
        deliveries.drain(inbox, session.timeouts().requestMs());
        return next(System.nanoTime());
    }

    /**
     * Hands it to the application.
     *
     * @return false if it is the broker's again and comes once more
     */
    public boolean taken(ReceivedMessage received) throws JMSException {
        try {
            if (!session.acknowledging().handed(received.delivery())) {
                return false;
            }
            session.connection().counters().delivered();
            session.acknowledging().finished(received.delivery());
            return true;
        } catch (JMSException e) {
            deliveries.putBack(received.delivery());
            throw e;
        } finally {
            deliveries.received(received.delivery());
        }
    }

    /** As if it had never been received: it is the next one again. */
    public void putBack(ReceivedMessage received) {
        deliveries.putBack(received.delivery());
        deliveries.received(received.delivery());
    }

    // --- for other sessions --------------------------------------------------------------------------------------

    /**
     * Waits for a message, and takes what else is there, for another session; the link stays open until they are settled.
     *
     * @return nothing at the end
     */
    public List<InboxDelivery> takeBatch(int messagesMax) throws JMSException {
        List<InboxDelivery> batch = new ArrayList<>();
        InboxDelivery next = deliveries.receive(inbox, null);
        while (next != null) {
            inbox.unsettled(1);
            deliveries.received(next);
            batch.add(next);
            next = batch.size() < messagesMax ? deliveries.receive(inbox, System.nanoTime()) : null;
        }
        return batch;
    }

    /** As {@link Deliveries#rest}. */
    public void rest(long ms) {
        deliveries.rest(inbox, ms);
    }

    // --- its end -------------------------------------------------------------------------------------------------

    /** Closes it, and gives its session up when its link is closed. */
    public void closeWithSession() throws JMSException {
        inbox.afterLink(session::abandon);
        close();
    }

    /** Closes it, and waits for a message that the application has in hand. */
    public void close() throws JMSException {
        if (closed) {
            return;
        }
        closed = true;
        session.forget(this);
        long timeoutMs = session.timeouts().closeMs();
        deliveries.close(inbox, timeoutMs);
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
                deliveries.withdraw(List.of(inbox), timeoutMs);
            }
        } catch (JMSException e) {
            Errors.after(e, () -> deliveries.closeLink(inbox, 1));
            throw e;
        }
        deliveries.closeLink(inbox, timeoutMs);
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
