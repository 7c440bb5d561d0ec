package io.mainstem.jms;

import io.mainstem.jms.error.Errors;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.QueueReceiver;
import jakarta.jms.QueueSender;
import jakarta.jms.QueueSession;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import jakarta.jms.TopicSubscriber;
import org.jspecify.annotations.Nullable;

/** A session that knows queues only: the methods for topics are refused (Jakarta Messaging, Session). */
final class MainstemQueueSession extends MainstemSession implements QueueSession {
    /** The same session by this interface. */
    MainstemQueueSession(MainstemSession session) {
        super(session.core(), session.temporaries());
    }

    private JMSException refused(String call) throws JMSException {
        checkUsable();
        return Errors.illegal("MS-0708", call + " on a QueueSession; fix: use a Session or TopicSession");
    }

    @Override
    public QueueReceiver createReceiver(Queue queue) throws JMSException {
        return consumer(queue, null, false, null);
    }

    @Override
    public QueueReceiver createReceiver(Queue queue, @Nullable String selector) throws JMSException {
        return consumer(queue, selector, false, null);
    }

    @Override
    public QueueSender createSender(@Nullable Queue queue) throws JMSException {
        return producer(queue);
    }

    @Override
    public Topic createTopic(String name) throws JMSException {
        throw refused("createTopic");
    }

    @Override
    public TemporaryTopic createTemporaryTopic() throws JMSException {
        throw refused("createTemporaryTopic");
    }

    @Override
    public TopicSubscriber createDurableSubscriber(Topic topic, String name) throws JMSException {
        throw refused("createDurableSubscriber");
    }

    @Override
    public TopicSubscriber createDurableSubscriber(Topic topic, String name, @Nullable String selector, boolean noLocal)
            throws JMSException {
        throw refused("createDurableSubscriber");
    }

    @Override
    public MessageConsumer createDurableConsumer(Topic topic, String name) throws JMSException {
        throw refused("createDurableConsumer");
    }

    @Override
    public MessageConsumer createDurableConsumer(Topic topic, String name, @Nullable String selector, boolean noLocal)
            throws JMSException {
        throw refused("createDurableConsumer");
    }

    @Override
    public MessageConsumer createSharedConsumer(Topic topic, String name) throws JMSException {
        throw refused("createSharedConsumer");
    }

    @Override
    public MessageConsumer createSharedConsumer(Topic topic, String name, @Nullable String selector)
            throws JMSException {
        throw refused("createSharedConsumer");
    }

    @Override
    public MessageConsumer createSharedDurableConsumer(Topic topic, String name) throws JMSException {
        throw refused("createSharedDurableConsumer");
    }

    @Override
    public MessageConsumer createSharedDurableConsumer(Topic topic, String name, @Nullable String selector)
            throws JMSException {
        throw refused("createSharedDurableConsumer");
    }

    @Override
    public void unsubscribe(String name) throws JMSException {
        throw refused("unsubscribe");
    }
}
