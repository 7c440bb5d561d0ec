package io.mainstem.jms;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.session.Outbox;
import io.mainstem.jms.session.SendOptions;
import io.mainstem.jms.session.SessionCore;
import jakarta.jms.CompletionListener;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.QueueSender;
import jakarta.jms.Topic;
import jakarta.jms.TopicPublisher;
import org.jspecify.annotations.Nullable;

/**
 * A producer of the classic API: checks what it is called with, and keeps what its setters say; {@link Outbox} sends.
 * Thread: that of its session; close from any.
 */
final class MainstemProducer implements QueueSender, TopicPublisher {
    private final SessionCore session;
    private final @Nullable MainstemDestination target;
    private final Outbox outbox;
    private int deliveryMode = DeliveryMode.PERSISTENT;
    private int priority = Message.DEFAULT_PRIORITY;
    private long timeToLiveMs = Message.DEFAULT_TIME_TO_LIVE;
    private long delayMs = Message.DEFAULT_DELIVERY_DELAY;
    private boolean withoutId;
    private boolean withoutTimestamp;
    private volatile boolean closed;

    /** @param target null: each send names its destination */
    MainstemProducer(SessionCore session, @Nullable MainstemDestination target) throws JMSException {
        this.session = session;
        this.target = target;
        this.outbox = session.openOutbox(target);
    }

    private void checkUsable() throws JMSException {
        if (closed) {
            throw Errors.closed("producer");
        }
        session.checkUsable();
    }

    @Override
    public void send(Message message) throws JMSException {
        send(own(), message, options(deliveryMode, priority, timeToLiveMs), null);
    }

    @Override
    public void send(Message message, int mode, int prio, long ttlMs) throws JMSException {
        send(own(), message, options(mode, prio, ttlMs), null);
    }

    @Override
    public void send(Destination destination, Message message) throws JMSException {
        send(other(destination), message, options(deliveryMode, priority, timeToLiveMs), null);
    }

    @Override
    public void send(Destination destination, Message message, int mode, int prio, long ttlMs) throws JMSException {
        send(other(destination), message, options(mode, prio, ttlMs), null);
    }

    @Override
    public void send(Message message, CompletionListener listener) throws JMSException {
        send(own(), message, options(deliveryMode, priority, timeToLiveMs), checked(listener));
    }

    @Override
    public void send(Message message, int mode, int prio, long ttlMs, CompletionListener listener) throws JMSException {
        send(own(), message, options(mode, prio, ttlMs), checked(listener));
    }

    @Override
    public void send(Destination destination, Message message, CompletionListener listener) throws JMSException {
        send(other(destination), message, options(deliveryMode, priority, timeToLiveMs), checked(listener));
    }

    @Override
    public void send(
            Destination destination, Message message, int mode, int prio, long ttlMs, CompletionListener listener)
            throws JMSException {
        send(other(destination), message, options(mode, prio, ttlMs), checked(listener));
    }

    private static CompletionListener checked(@Nullable CompletionListener listener) {
        if (listener == null) {
            throw new IllegalArgumentException("MS-0711 completion listener is null (expected: a listener)");
        }
        return listener;
    }

    private MainstemDestination own() throws JMSException {
        checkUsable();
        MainstemDestination destination = target;
        if (destination == null) {
            throw new UnsupportedOperationException(
                    "MS-0712 this producer was created without a destination; fix: give one with each send");
        }
        return destination;
    }

    private MainstemDestination other(@Nullable Destination destination) throws JMSException {
        checkUsable();
        if (target != null) {
            throw new UnsupportedOperationException("MS-0712 this producer was created for " + target
                    + "; fix: send without a destination, or create a producer without one");
        }
        return MainstemDestination.of(destination);
    }

    private SendOptions options(int mode, int prio, long ttlMs) throws JMSException {
        return new SendOptions(
                SendOptions.checkedMode(mode),
                SendOptions.checkedPriority(prio),
                SendOptions.checkedTime(ttlMs),
                delayMs,
                withoutId,
                withoutTimestamp);
    }

    /** Sends it as these options say, whatever the setters of this producer say. */
    void send(
            MainstemDestination destination,
            @Nullable Message message,
            SendOptions options,
            @Nullable CompletionListener listener)
            throws JMSException {
        if (target == null && destination.isPattern()) {
            throw Errors.destination("topic '" + destination
                    + "' has a wildcard, with which one consumes; fix: send to the topic that is meant");
        }
        outbox.send(destination, message, options, listener);
    }

    @Override
    public void setDisableMessageID(boolean value) throws JMSException {
        checkUsable();
        withoutId = value;
    }

    @Override
    public boolean getDisableMessageID() throws JMSException {
        checkUsable();
        return withoutId;
    }

    @Override
    public void setDisableMessageTimestamp(boolean value) throws JMSException {
        checkUsable();
        withoutTimestamp = value;
    }

    @Override
    public boolean getDisableMessageTimestamp() throws JMSException {
        checkUsable();
        return withoutTimestamp;
    }

    @Override
    public void setDeliveryMode(int mode) throws JMSException {
        checkUsable();
        deliveryMode = SendOptions.checkedMode(mode);
    }

    @Override
    public int getDeliveryMode() throws JMSException {
        checkUsable();
        return deliveryMode;
    }

    @Override
    public void setPriority(int prio) throws JMSException {
        checkUsable();
        priority = SendOptions.checkedPriority(prio);
    }

    @Override
    public int getPriority() throws JMSException {
        checkUsable();
        return priority;
    }

    @Override
    public void setTimeToLive(long ms) throws JMSException {
        checkUsable();
        timeToLiveMs = SendOptions.checkedTime(ms);
    }

    @Override
    public long getTimeToLive() throws JMSException {
        checkUsable();
        return timeToLiveMs;
    }

    @Override
    public void setDeliveryDelay(long ms) throws JMSException {
        checkUsable();
        delayMs = SendOptions.checkedTime(ms);
    }

    @Override
    public long getDeliveryDelay() throws JMSException {
        checkUsable();
        return delayMs;
    }

    @Override
    public @Nullable Destination getDestination() throws JMSException {
        checkUsable();
        return target;
    }

    @Override
    public @Nullable Queue getQueue() throws JMSException {
        checkUsable();
        if (target == null || target instanceof Queue) {
            return (Queue) target;
        }
        throw Errors.illegal("MS-0708", "this producer is one of topic " + target + "; fix: call getTopic");
    }

    @Override
    public @Nullable Topic getTopic() throws JMSException {
        checkUsable();
        if (target == null || target instanceof Topic) {
            return (Topic) target;
        }
        throw Errors.illegal("MS-0708", "this producer is one of queue " + target + "; fix: call getQueue");
    }

    @Override
    public void publish(Message message) throws JMSException {
        send(message);
    }

    @Override
    public void publish(Message message, int mode, int prio, long ttlMs) throws JMSException {
        send(message, mode, prio, ttlMs);
    }

    @Override
    public void publish(Topic topic, Message message) throws JMSException {
        send(topic, message);
    }

    @Override
    public void publish(Topic topic, Message message, int mode, int prio, long ttlMs) throws JMSException {
        send(topic, message, mode, prio, ttlMs);
    }

    @Override
    public void send(Queue queue, Message message) throws JMSException {
        send((Destination) queue, message);
    }

    @Override
    public void send(Queue queue, Message message, int mode, int prio, long ttlMs) throws JMSException {
        send((Destination) queue, message, mode, prio, ttlMs);
    }

    @Override
    public void close() throws JMSException {
        session.checkNoCompletionCallback("producer.close");
        if (!closed) {
            closed = true;
            session.close(outbox);
        }
    }
}
