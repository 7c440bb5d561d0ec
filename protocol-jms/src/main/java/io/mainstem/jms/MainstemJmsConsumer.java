package io.mainstem.jms;

import static io.mainstem.jms.Runtimes.maybe;
import static io.mainstem.jms.Runtimes.run;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageFormatRuntimeException;
import jakarta.jms.MessageListener;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A consumer of a context. Thread: that of its context. */
final class MainstemJmsConsumer implements JMSConsumer {
    private final MainstemSession session;
    private final MainstemConsumer consumer;

    MainstemJmsConsumer(MainstemSession session, MainstemConsumer consumer) {
        this.session = session;
        this.consumer = consumer;
    }

    @Override
    public @Nullable String getMessageSelector() {
        return maybe(consumer::getMessageSelector);
    }

    @Override
    public @Nullable MessageListener getMessageListener() {
        return maybe(consumer::getMessageListener);
    }

    @Override
    public void setMessageListener(@Nullable MessageListener listener) {
        run(() -> consumer.setMessageListener(listener));
    }

    @Override
    public @Nullable Message receive() {
        return maybe(consumer::receive);
    }

    @Override
    public @Nullable Message receive(long timeoutMs) {
        return maybe(() -> consumer.receive(timeoutMs));
    }

    @Override
    public @Nullable Message receiveNoWait() {
        return maybe(consumer::receiveNoWait);
    }

    @Override
    public <T> @Nullable T receiveBody(Class<T> type) {
        return maybe(() -> body(type, consumer.receivable(null)));
    }

    @Override
    public <T> @Nullable T receiveBody(Class<T> type, long timeoutMs) {
        return maybe(() -> body(
                type,
                consumer.receivable(
                        timeoutMs == 0 ? null : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs))));
    }

    @Override
    public <T> @Nullable T receiveBodyNoWait(Class<T> type) {
        return maybe(() -> body(type, consumer.receivableNoWait()));
    }

    /**
     * The body, or what JMSConsumer.receiveBody says of a wrong type: in the automatic modes the message stays the next
     * one, in the others it counts as received.
     */
    private <T> @Nullable T body(Class<T> type, MainstemConsumer.@Nullable Received received) throws JMSException {
        if (received == null) {
            return null;
        }
        Message message = received.message();
        T body = null;
        JMSException failure = null;
        try {
            body = message.isBodyAssignableTo(type) ? message.getBody(type) : null;
        } catch (MessageFormatException e) {
            failure = e;
        }
        if (body != null) {
            consumer.taken(received);
            return body;
        }
        boolean automatic = session.getAcknowledgeMode() == JMSContext.AUTO_ACKNOWLEDGE
                || session.getAcknowledgeMode() == JMSContext.DUPS_OK_ACKNOWLEDGE;
        if (automatic) {
            consumer.putBack(received);
        } else {
            consumer.taken(received);
        }
        throw new MessageFormatRuntimeException(
                "MS-0711 the message has no body of type " + type.getName()
                        + "; fix: receive the message and look at it",
                "MS-0711",
                failure);
    }

    @Override
    public void close() {
        run(consumer::close);
    }
}
