package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TopicSubscriber;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What may and may not be done with subscriptions (Jakarta Messaging 8.3). */
@WithBroker
final class JmsSubscriptionRulesTest {
    private final BrokerAddress broker;
    private Connection connection;
    private Session session;
    private Topic topic;
    private String name;

    JmsSubscriptionRulesTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @BeforeEach
    void connect() throws JMSException {
        name = Jms.uniqueName("subscription");
        connection = client(Jms.uniqueName("client"));
        session = connection.createSession();
        topic = session.createTopic(Jms.uniqueName("topic"));
    }

    @AfterEach
    void close() throws JMSException {
        connection.close();
    }

    private Connection client(String id) throws JMSException {
        return Jms.connection(broker, "jms.clientID=" + id);
    }

    private void publish(String... bodies) throws JMSException {
        for (String body : bodies) {
            session.createProducer(topic).send(session.createTextMessage(body));
        }
    }

    private static String next(MessageConsumer consumer) throws JMSException {
        Message message = consumer.receive(Jms.RECEIVE_MS);
        assertThat(message).isNotNull();
        return message.getBody(String.class);
    }

    @Test
    @DisplayName("8.3.3: a durable subscription needs a client identifier")
    void durableNeedsAClient() throws JMSException {
        try (Connection anonymous = Jms.connection(broker)) {
            Session its = anonymous.createSession();
            assertThatThrownBy(() -> its.createDurableConsumer(topic, name)).isInstanceOf(IllegalStateException.class);
            its.createSharedDurableConsumer(topic, name).close();
            its.unsubscribe(name);
        }
    }

    @Test
    @DisplayName("8.3.3: a durable subscription has one consumer at a time")
    void oneActiveConsumer() throws JMSException {
        session.createDurableConsumer(topic, name);

        assertThatThrownBy(() -> session.createDurableConsumer(topic, name)).isInstanceOf(JMSException.class);
        assertThatThrownBy(() -> connection.createSession().createDurableSubscriber(topic, name))
                .isInstanceOf(JMSException.class);
    }

    @Test
    @DisplayName("8.3.3: unsubscribing ends it: nothing is collected any more, and a new one begins empty")
    void unsubscribe() throws JMSException {
        session.createDurableConsumer(topic, name).close();
        publish("collected");
        session.unsubscribe(name);
        publish("into the void");

        MessageConsumer again = session.createDurableConsumer(topic, name);
        publish("new");

        assertThat(next(again)).isEqualTo("new");
    }

    @Test
    @DisplayName("8.3.3: unsubscribing twice is an error that leaves the session usable")
    void unsubscribeTwice() throws JMSException {
        session.createDurableConsumer(topic, name).close();
        session.unsubscribe(name);

        assertThatThrownBy(() -> session.unsubscribe(name)).isInstanceOf(InvalidDestinationException.class);
        MessageConsumer again = session.createDurableConsumer(topic, name);
        publish("works");
        assertThat(next(again)).isEqualTo("works");
    }

    @Test
    @DisplayName("8.3.3: unsubscribing while unacknowledged messages of a closed consumer are kept drops them, too")
    void unsubscribeWithUnacknowledged() throws JMSException {
        Session client = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer consumer = client.createDurableConsumer(topic, name);
        publish("seen");
        assertThat(next(consumer)).isEqualTo("seen");
        client.close();

        session.unsubscribe(name);

        MessageConsumer again = session.createDurableConsumer(topic, name);
        publish("new");
        assertThat(next(again)).isEqualTo("new");
    }

    @Test
    @DisplayName(
            "[J-3] 8.3.3: what a closed durable consumer has not acknowledged comes again to the next one, counted")
    void unacknowledgedComesAgain() throws JMSException {
        Session client = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        MessageConsumer consumer = client.createDurableConsumer(topic, name);
        publish("1", "2");
        assertThat(next(consumer)).isEqualTo("1");
        client.close();

        MessageConsumer again = session.createDurableConsumer(topic, name);

        Message first = again.receive(Jms.RECEIVE_MS);
        assertThat(first.getBody(String.class)).isEqualTo("1");
        assertThat(first.getJMSRedelivered()).isTrue();
        assertThat(first.getIntProperty("JMSXDeliveryCount")).isEqualTo(2);
        assertThat(next(again)).isEqualTo("2");
    }

    @Test
    @DisplayName("8.3.3: no-local keeps what the own connection publishes out of a durable subscription")
    void durableNoLocal() throws JMSException {
        TopicSubscriber subscriber = session.createDurableSubscriber(topic, name, null, true);
        publish("own");
        try (Connection other = Jms.connection(broker)) {
            Session its = other.createSession();
            its.createProducer(topic).send(its.createTextMessage("other's"));
        }

        assertThat(next(subscriber)).isEqualTo("other's");
        assertThat(subscriber.receiveNoWait()).isNull();
    }

    @Test
    @DisplayName("[S-2] 8.3.3: a durable subscription with another no-local is a new one")
    void changedNoLocal() throws JMSException {
        session.createDurableConsumer(topic, name).close();
        publish("collected");

        MessageConsumer changed = session.createDurableConsumer(topic, name, null, true);

        assertThat(changed.receiveNoWait()).isNull();
    }

    @Test
    @DisplayName("8.3.2: a shared subscription's consumers may be many; its messages go to one of them each")
    void sharedConsumers() throws JMSException {
        MessageConsumer first = session.createSharedConsumer(topic, name);
        Session second = connection.createSession();
        MessageConsumer other = second.createSharedConsumer(topic, name);
        for (int i = 0; i < 10; i++) {
            publish("m" + i);
        }
        int received = 0;
        long until = System.nanoTime() + Jms.RECEIVE_MS * 1_000_000;
        while (received < 10 && System.nanoTime() < until) {
            received += first.receive(20) == null ? 0 : 1;
            received += other.receive(20) == null ? 0 : 1;
        }

        assertThat(received).isEqualTo(10);
        assertThat(first.receiveNoWait()).isNull();
        assertThat(other.receiveNoWait()).isNull();
    }

    @Test
    @DisplayName("[S-2] 8.3.2, 8.3.4: consumers of one shared subscription agree on topic and selector")
    void sharedSelectorsAgree() throws JMSException {
        session.createSharedDurableConsumer(topic, name, "a = 1");

        assertThatThrownBy(() -> session.createSharedDurableConsumer(topic, name, "a = 2"))
                .isInstanceOf(JMSException.class);
        assertThatThrownBy(() -> session.createSharedDurableConsumer(topic, name))
                .isInstanceOf(JMSException.class);
        session.createSharedDurableConsumer(topic, name, "a = 1");
    }

    @Test
    @DisplayName("8.3.4: a shared durable subscription outlives all its consumers and is ended by unsubscribing only")
    void sharedDurableOutlives() throws JMSException {
        session.createSharedDurableConsumer(topic, name).close();
        publish("meanwhile");

        MessageConsumer again = session.createSharedDurableConsumer(topic, name);
        assertThat(next(again)).isEqualTo("meanwhile");
        assertThatThrownBy(() -> session.unsubscribe(name)).isInstanceOf(JMSException.class);
        again.close();
        session.unsubscribe(name);
        assertThatThrownBy(() -> session.unsubscribe(name)).isInstanceOf(InvalidDestinationException.class);
    }

    @Test
    @DisplayName("[S-1] 8.3.1: subscriptions shared and shared durable of one name are two")
    void sharedAndSharedDurableAreTwo() throws JMSException {
        MessageConsumer shared = session.createSharedConsumer(topic, name);
        MessageConsumer durable = session.createSharedDurableConsumer(topic, name);
        publish("both");

        assertThat(next(shared)).isEqualTo("both");
        assertThat(next(durable)).isEqualTo("both");
    }

    @Test
    @DisplayName("8.3.1: an unshared non-durable subscription hears from when it was made until it is closed")
    void unsharedNonDurable() throws JMSException {
        publish("too early");
        MessageConsumer consumer = session.createConsumer(topic);
        publish("in time");

        assertThat(next(consumer)).isEqualTo("in time");
        consumer.close();
        publish("too late");
        assertThat(session.createConsumer(topic).receiveNoWait()).isNull();
    }

    @Test
    @DisplayName("[S-11] 8.3: what a subscription's selector does not want is never collected")
    void selectorCollects() throws JMSException {
        session.createDurableConsumer(topic, name, "wanted", false).close();
        for (int i = 0; i < 4; i++) {
            Message message = session.createTextMessage("m" + i);
            message.setBooleanProperty("wanted", i % 2 == 0);
            session.createProducer(topic).send(message);
        }

        MessageConsumer consumer = session.createDurableConsumer(topic, name, "wanted", false);

        assertThat(next(consumer)).isEqualTo("m0");
        assertThat(next(consumer)).isEqualTo("m2");
        assertThat(consumer.receiveNoWait()).isNull();
    }
}
