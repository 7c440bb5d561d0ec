package io.mainstem.jms;

import io.mainstem.jms.connection.ActiveSubscriptions;
import io.mainstem.jms.connection.BrokerConnection;
import io.mainstem.jms.connection.Temporaries;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.Subscription;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.session.SessionCore;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import org.jspecify.annotations.Nullable;

/**
 * A session of the classic API (Jakarta Messaging 6.2); {@link SessionCore} does the work. Thread: one at a time, except
 * close.
 */
class MainstemSession extends SessionOverloads {
    private final SessionCore core;
    private final BrokerConnection connection;
    private final Temporaries temporaries;

    MainstemSession(SessionCore core, Temporaries temporaries) {
        this.core = core;
        this.connection = core.connection();
        this.temporaries = temporaries;
    }

    final SessionCore core() {
        return core;
    }

    final Temporaries temporaries() {
        return temporaries;
    }

    @Override
    final void checkUsable() throws JMSException {
        core.checkUsable();
    }

    @Override
    public boolean getTransacted() throws JMSException {
        return getAcknowledgeMode() == SESSION_TRANSACTED;
    }

    @Override
    public int getAcknowledgeMode() throws JMSException {
        checkUsable();
        return core.mode();
    }

    @Override
    public void commit() throws JMSException {
        core.commit();
    }

    @Override
    public void rollback() throws JMSException {
        core.rollback();
    }

    @Override
    public void recover() throws JMSException {
        core.recover();
    }

    @Override
    public void close() throws JMSException {
        core.close();
    }

    @Override
    public @Nullable MessageListener getMessageListener() throws JMSException {
        checkUsable();
        return core.listener();
    }

    @Override
    public void setMessageListener(@Nullable MessageListener listener) throws JMSException {
        checkUsable();
        core.listener(listener);
    }

    @Override
    public void run() {
        core.run();
    }

    @Override
    public MessageProducer createProducer(@Nullable Destination destination) throws JMSException {
        return producer(destination);
    }

    MainstemProducer producer(@Nullable Destination destination) throws JMSException {
        checkUsable();
        return new MainstemProducer(core, destination == null ? null : MainstemDestination.of(destination));
    }

    @Override
    MainstemConsumer consumer(
            @Nullable Destination destination,
            @Nullable String selector,
            boolean noLocal,
            @Nullable Subscription subscription)
            throws JMSException {
        checkUsable();
        MainstemDestination source = MainstemDestination.of(destination);
        temporaries.checkOwned(source);
        return new MainstemConsumer(core.openConsumer(new ReceiverRequest(
                source, filter(selector), noLocal && !source.kind().isQueue(), false, subscription)));
    }

    private static @Nullable String filter(@Nullable String selector) {
        return selector == null || selector.isBlank() ? null : selector;
    }

    @Override
    MainstemConsumer subscribe(
            @Nullable Topic topic,
            @Nullable String name,
            @Nullable String selector,
            boolean noLocal,
            boolean durable,
            boolean shared)
            throws JMSException {
        checkUsable();
        if (topic == null || (durable && topic instanceof TemporaryTopic)) {
            throw Errors.destination("topic is " + topic + "; fix: give a topic, not a temporary one if durable");
        }
        return consumer(
                topic, selector, noLocal, ActiveSubscriptions.named(name, durable, shared, connection.hasClientId()));
    }

    @Override
    public void unsubscribe(String name) throws JMSException {
        checkUsable();
        if (name == null || name.isEmpty() || name.indexOf('|') >= 0) {
            throw new InvalidDestinationException(
                    "MS-0712 there is no subscription '" + name + "'; fix: correct the name or the client identifier",
                    "MS-0712");
        }
        connection.subscriptions().checkUnused(name);
        Subscription subscription = new Subscription(name, true, false, !connection.hasClientId());
        Answers.await(
                connection.link().unsubscribe(subscription),
                core.timeouts().requestMs(),
                "unsubscribing '" + name + "'");
    }

    @Override
    public QueueBrowser createBrowser(Queue queue) throws JMSException {
        return createBrowser(queue, null);
    }

    @Override
    public QueueBrowser createBrowser(Queue queue, @Nullable String selector) throws JMSException {
        checkUsable();
        MainstemDestination source = MainstemDestination.of(queue);
        temporaries.checkOwned(source);
        return MainstemBrowser.open(core, queue, new ReceiverRequest(source, filter(selector), false, true, null));
    }

    @Override
    public TemporaryQueue createTemporaryQueue() throws JMSException {
        checkUsable();
        return temporaries.createQueue();
    }

    @Override
    public TemporaryTopic createTemporaryTopic() throws JMSException {
        checkUsable();
        return temporaries.createTopic();
    }

    @Override
    MessageFactory messages() throws JMSException {
        checkUsable();
        return connection.messages();
    }
}
