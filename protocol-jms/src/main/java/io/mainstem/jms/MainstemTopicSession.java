package io.mainstem.jms;

import io.mainstem.jms.error.Errors;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.Topic;
import jakarta.jms.TopicPublisher;
import jakarta.jms.TopicSession;
import jakarta.jms.TopicSubscriber;
import org.jspecify.annotations.Nullable;

/** A session that knows topics only: the methods for queues are refused (Jakarta Messaging, Session). */
final class MainstemTopicSession extends MainstemSession implements TopicSession {
    /** The same session by this interface. */
    MainstemTopicSession(MainstemSession session) {
        super(session.core(), session.temporaries());
    }

    private JMSException refused(String call) throws JMSException {
        checkUsable();
        return Errors.illegal("MS-0708", call + " on a TopicSession; fix: use a Session or QueueSession");
    }

    @Override
    public TopicSubscriber createSubscriber(Topic topic) throws JMSException {
        return consumer(topic, null, false, null);
    }

    @Override
    public TopicSubscriber createSubscriber(Topic topic, @Nullable String selector, boolean noLocal)
            throws JMSException {
        return consumer(topic, selector, noLocal, null);
    }

    @Override
    public TopicPublisher createPublisher(@Nullable Topic topic) throws JMSException {
        return producer(topic);
    }

    @Override
    public Queue createQueue(String name) throws JMSException {
        throw refused("createQueue");
    }

    @Override
    public TemporaryQueue createTemporaryQueue() throws JMSException {
        throw refused("createTemporaryQueue");
    }

    @Override
    public QueueBrowser createBrowser(Queue queue) throws JMSException {
        throw refused("createBrowser");
    }

    @Override
    public QueueBrowser createBrowser(Queue queue, @Nullable String selector) throws JMSException {
        throw refused("createBrowser");
    }
}
