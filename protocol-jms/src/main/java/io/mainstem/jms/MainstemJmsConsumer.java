package io.mainstem.jms;

import static io.mainstem.jms.Unchecked.maybe;
import static io.mainstem.jms.Unchecked.run;

import io.mainstem.jms.session.ConsumerCore;
import io.mainstem.jms.session.ConsumerCore.ReceivedMessage;
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
    private final MainstemConsumer consumer;
    private final ConsumerCore core;

    MainstemJmsConsumer(MainstemConsumer consumer) {
        this.consumer = consumer;
        this.core = consumer.core();
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
        return maybe(() -> body(type, () -> core.receivable(null)));
    }

    @Override
    public <T> @Nullable T receiveBody(Class<T> type, long timeoutMs) {
        Long deadlineNanos = timeoutMs == 0 ? null : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        return maybe(() -> body(type, () -> core.receivable(deadlineNanos)));
    }

    @Override
    public <T> @Nullable T receiveBodyNoWait(Class<T> type) {
        return maybe(() -> body(type, core::receivableNoWait));
    }

    private <T> @Nullable T body(Class<T> type, ConsumerCore.Receiving receiving) throws JMSException {
        for (ReceivedMessage next = receiving.next(); next != null; next = receiving.next()) {
            T body = body(type, next);
            if (core.taken(next)) {
                return body;
            }
        }
        return null;
    }

    /**
     * The body, or what JMSConsumer.receiveBody says of a wrong type: in the automatic modes the message stays the next
     * one, in the others it counts as received.
     */
    private <T> T body(Class<T> type, ReceivedMessage received) throws JMSException {
        Message message = received.message();
        T body = null;
        JMSException failure = null;
        try {
            body = message.getBody(
                    type); // Says itself why there is none: another type, or a class that is not trusted.
        } catch (MessageFormatException e) {
            failure = e;
        }
        if (body != null) {
            return body;
        }
        core.session().checkUsable();
        int mode = core.session().mode();
        boolean automatic = mode == JMSContext.AUTO_ACKNOWLEDGE || mode == JMSContext.DUPS_OK_ACKNOWLEDGE;
        if (automatic) {
            core.putBack(received);
        } else {
            var unused = core.taken(received);
        }
        if (failure != null) {
            throw Unchecked.of(failure);
        }
        throw new MessageFormatRuntimeException(
                "MS-0711 the message has no body of type " + type.getName()
                        + "; fix: receive the message and look at it",
                "MS-0711");
    }

    @Override
    public void close() {
        run(consumer::close);
    }
}
