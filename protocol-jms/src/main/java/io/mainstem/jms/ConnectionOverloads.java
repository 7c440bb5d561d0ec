package io.mainstem.jms;

import io.mainstem.jms.MainstemConnectionConsumer.Named;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionConsumer;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueSession;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TopicConnection;
import jakarta.jms.TopicSession;
import org.jspecify.annotations.Nullable;

/**
 * What the many forms of a connection's creating calls come down to: one call for sessions, and two for connection
 * consumers. Thread: any.
 */
abstract class ConnectionOverloads implements Connection, QueueConnection, TopicConnection {
    /** @param mode of {@link Session} */
    abstract MainstemSession openSession(int mode) throws JMSException;

    /** A connection consumer of a queue, or of a topic as long as it is open. */
    abstract ConnectionConsumer consume(
            @Nullable Destination destination,
            @Nullable String selector,
            @Nullable ServerSessionPool pool,
            int messagesMax)
            throws JMSException;

    /** A connection consumer of a named subscription. */
    abstract ConnectionConsumer subscribe(Named subscription, @Nullable ServerSessionPool pool, int messagesMax)
            throws JMSException;

    @Override
    public Session createSession(boolean transacted, int acknowledgeMode) throws JMSException {
        return openSession(transacted ? Session.SESSION_TRANSACTED : acknowledgeMode);
    }

    @Override
    public Session createSession(int sessionMode) throws JMSException {
        return openSession(sessionMode);
    }

    @Override
    public Session createSession() throws JMSException {
        return openSession(Session.AUTO_ACKNOWLEDGE);
    }

    @Override
    public QueueSession createQueueSession(boolean transacted, int acknowledgeMode) throws JMSException {
        return new MainstemQueueSession(openSession(transacted ? Session.SESSION_TRANSACTED : acknowledgeMode));
    }

    @Override
    public TopicSession createTopicSession(boolean transacted, int acknowledgeMode) throws JMSException {
        return new MainstemTopicSession(openSession(transacted ? Session.SESSION_TRANSACTED : acknowledgeMode));
    }

    @Override
    public ConnectionConsumer createConnectionConsumer(
            Destination destination, String selector, ServerSessionPool pool, int maxMessages) throws JMSException {
        return consume(destination, selector, pool, maxMessages);
    }

    @Override
    public ConnectionConsumer createConnectionConsumer(
            Queue queue, String selector, ServerSessionPool pool, int maxMessages) throws JMSException {
        return consume(queue, selector, pool, maxMessages);
    }

    @Override
    public ConnectionConsumer createConnectionConsumer(
            Topic topic, String selector, ServerSessionPool pool, int maxMessages) throws JMSException {
        return consume(topic, selector, pool, maxMessages);
    }

    @Override
    public ConnectionConsumer createSharedConnectionConsumer(
            Topic topic, String name, String selector, ServerSessionPool pool, int maxMessages) throws JMSException {
        return subscribe(new Named(topic, name, selector, false, true), pool, maxMessages);
    }

    @Override
    public ConnectionConsumer createDurableConnectionConsumer(
            Topic topic, String name, String selector, ServerSessionPool pool, int maxMessages) throws JMSException {
        return subscribe(new Named(topic, name, selector, true, false), pool, maxMessages);
    }

    @Override
    public ConnectionConsumer createSharedDurableConnectionConsumer(
            Topic topic, String name, String selector, ServerSessionPool pool, int maxMessages) throws JMSException {
        return subscribe(new Named(topic, name, selector, true, true), pool, maxMessages);
    }
}
