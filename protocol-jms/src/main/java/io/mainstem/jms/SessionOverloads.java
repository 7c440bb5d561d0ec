package io.mainstem.jms;

import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.destination.MainstemTopic;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.message.MessageFactory;
import jakarta.jms.BytesMessage;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import jakarta.jms.TopicSubscriber;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What the many forms of a session's creating calls come down to: one call for consumers, one for subscriptions, and the
 * factory of messages. Thread: that of the session.
 */
abstract class SessionOverloads implements Session {
    /** @throws JMSException if it is closed, or its connection is */
    abstract void checkUsable() throws JMSException;

    /** Makes messages. @throws JMSException if the session is closed */
    abstract MessageFactory messages() throws JMSException;

    /** @param subscription null on queues, and for one that ends with its consumer */
    abstract MainstemConsumer consumer(
            @Nullable Destination destination,
            @Nullable String selector,
            boolean noLocal,
            @Nullable Subscription subscription)
            throws JMSException;

    /** A consumer of a named subscription. */
    abstract MainstemConsumer subscribe(
            @Nullable Topic topic,
            @Nullable String name,
            @Nullable String selector,
            boolean noLocal,
            boolean durable,
            boolean shared)
            throws JMSException;

    @Override
    public MessageConsumer createConsumer(Destination destination) throws JMSException {
        return consumer(destination, null, false, null);
    }

    @Override
    public MessageConsumer createConsumer(Destination destination, @Nullable String selector) throws JMSException {
        return consumer(destination, selector, false, null);
    }

    @Override
    public MessageConsumer createConsumer(Destination destination, @Nullable String selector, boolean noLocal)
            throws JMSException {
        return consumer(destination, selector, noLocal, null);
    }

    @Override
    public TopicSubscriber createDurableSubscriber(Topic topic, String name) throws JMSException {
        return subscribe(topic, name, null, false, true, false);
    }

    @Override
    public TopicSubscriber createDurableSubscriber(Topic topic, String name, @Nullable String selector, boolean noLocal)
            throws JMSException {
        return subscribe(topic, name, selector, noLocal, true, false);
    }

    @Override
    public MessageConsumer createDurableConsumer(Topic topic, String name) throws JMSException {
        return subscribe(topic, name, null, false, true, false);
    }

    @Override
    public MessageConsumer createDurableConsumer(Topic topic, String name, @Nullable String selector, boolean noLocal)
            throws JMSException {
        return subscribe(topic, name, selector, noLocal, true, false);
    }

    @Override
    public MessageConsumer createSharedConsumer(Topic topic, String name) throws JMSException {
        return subscribe(topic, name, null, false, false, true);
    }

    @Override
    public MessageConsumer createSharedConsumer(Topic topic, String name, @Nullable String selector)
            throws JMSException {
        return subscribe(topic, name, selector, false, false, true);
    }

    @Override
    public MessageConsumer createSharedDurableConsumer(Topic topic, String name) throws JMSException {
        return subscribe(topic, name, null, false, true, true);
    }

    @Override
    public MessageConsumer createSharedDurableConsumer(Topic topic, String name, @Nullable String selector)
            throws JMSException {
        return subscribe(topic, name, selector, false, true, true);
    }

    @Override
    public Queue createQueue(String name) throws JMSException {
        checkUsable();
        if (name == null || name.isEmpty()) {
            throw Errors.destination("queue name is empty");
        }
        return new MainstemQueue(name);
    }

    @Override
    public Topic createTopic(String name) throws JMSException {
        checkUsable();
        if (name == null || name.isEmpty()) {
            throw Errors.destination("topic name is empty");
        }
        return new MainstemTopic(name);
    }

    @Override
    public BytesMessage createBytesMessage() throws JMSException {
        return messages().createBytesMessage();
    }

    @Override
    public MapMessage createMapMessage() throws JMSException {
        return messages().createMapMessage();
    }

    @Override
    public Message createMessage() throws JMSException {
        return messages().createMessage();
    }

    @Override
    public ObjectMessage createObjectMessage() throws JMSException {
        return messages().createObjectMessage(null);
    }

    @Override
    public ObjectMessage createObjectMessage(@Nullable Serializable object) throws JMSException {
        return messages().createObjectMessage(object);
    }

    @Override
    public StreamMessage createStreamMessage() throws JMSException {
        return messages().createStreamMessage();
    }

    @Override
    public TextMessage createTextMessage() throws JMSException {
        return messages().createTextMessage(null);
    }

    @Override
    public TextMessage createTextMessage(@Nullable String text) throws JMSException {
        return messages().createTextMessage(text);
    }
}
