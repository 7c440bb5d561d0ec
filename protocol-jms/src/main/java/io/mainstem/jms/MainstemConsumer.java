package io.mainstem.jms;

import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.session.ConsumerCore;
import io.mainstem.jms.session.ConsumerCore.ReceivedMessage;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.Queue;
import jakarta.jms.QueueReceiver;
import jakarta.jms.Topic;
import jakarta.jms.TopicSubscriber;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A consumer of the classic API, of a queue or of a subscription. Thread: that of its session; close from any. */
final class MainstemConsumer implements QueueReceiver, TopicSubscriber {
    private final ConsumerCore core;
    private final ReceiverRequest request;

    MainstemConsumer(ConsumerCore core) {
        this.core = core;
        this.request = core.request();
    }

    ConsumerCore core() {
        return core;
    }

    @Override
    public @Nullable String getMessageSelector() throws JMSException {
        core.checkUsable();
        return request.selector();
    }

    @Override
    public @Nullable MessageListener getMessageListener() throws JMSException {
        core.checkUsable();
        return core.listener();
    }

    @Override
    public void setMessageListener(@Nullable MessageListener listener) throws JMSException {
        core.checkUsable();
        core.listener(listener);
    }

    @Override
    public @Nullable Message receive() throws JMSException {
        return received(() -> core.receivable(null));
    }

    @Override
    public @Nullable Message receive(long timeoutMs) throws JMSException {
        if (timeoutMs < 0) {
            throw Errors.wrong("timeout " + timeoutMs + " (expected: 0 or more)");
        }
        Long deadlineNanos = timeoutMs == 0 ? null : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        return received(() -> core.receivable(deadlineNanos));
    }

    @Override
    public @Nullable Message receiveNoWait() throws JMSException {
        return received(core::receivableNoWait);
    }

    /** The first that can still be taken. */
    private @Nullable Message received(ConsumerCore.Receiving receiving) throws JMSException {
        for (ReceivedMessage next = receiving.next(); next != null; next = receiving.next()) {
            if (core.taken(next)) {
                return next.message();
            }
        }
        return null;
    }

    @Override
    public Queue getQueue() throws JMSException {
        core.checkUsable();
        if (request.source() instanceof Queue queue) {
            return queue;
        }
        throw Errors.illegal("MS-0708", "this consumer is one of topic " + request.source() + "; fix: call getTopic");
    }

    @Override
    public Topic getTopic() throws JMSException {
        core.checkUsable();
        if (request.source() instanceof Topic topic) {
            return topic;
        }
        throw Errors.illegal("MS-0708", "this consumer is one of queue " + request.source() + "; fix: call getQueue");
    }

    @Override
    public boolean getNoLocal() throws JMSException {
        core.checkUsable();
        return request.noLocal();
    }

    @Override
    public void close() throws JMSException {
        core.close();
    }
}
