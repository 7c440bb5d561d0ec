package io.mainstem.jms;

import static io.mainstem.jms.Runtimes.call;
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
    public String getMessageSelector() {
        return call(consumer::getMessageSelector);
    }

    @Override
    public MessageListener getMessageListener() {
        return call(consumer::getMessageListener);
    }

    @Override
    public void setMessageListener(@Nullable MessageListener listener) {
        run(() -> consumer.setMessageListener(listener));
    }

    @Override
    public Message receive() {
        return call(consumer::receive);
    }

    @Override
    public Message receive(long timeoutMs) {
        return call(() -> consumer.receive(timeoutMs));
    }

    @Override
    public Message receiveNoWait() {
        return call(consumer::receiveNoWait);
    }

    @Override
    public <T> T receiveBody(Class<T> type) {
        return call(() -> body(type, consumer.receivable(null)));
    }

    @Override
    public <T> T receiveBody(Class<T> type, long timeoutMs) {
        return call(() -> body(
                type,
                consumer.receivable(
                        timeoutMs == 0 ? null : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs))));
    }

    @Override
    public <T> T receiveBodyNoWait(Class<T> type) {
        return call(() -> body(type, consumer.receivableNoWait()));
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
