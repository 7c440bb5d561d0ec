package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import org.junit.jupiter.api.AfterEach;

/** What the API documentation says of the names of subscriptions, sentence by sentence. */
final class SubscriptionApiTest {
    private Connection connection;
    private Session session;
    private Topic topic;
    private Topic other;

    private void open(JmsClient client) throws JMSException {
        connection = client.factory().createConnection();
        connection.setClientID(Names.unique("client"));
        connection.start();
        session = connection.createSession();
        topic = session.createTopic(Names.unique("subscription"));
        other = session.createTopic(Names.unique("subscription"));
    }

    @AfterEach
    void close() throws JMSException {
        connection.close();
    }

    private static void publish(Session session, Topic topic, String text) throws JMSException {
        try (MessageProducer producer = session.createProducer(topic)) {
            TextMessage message = session.createTextMessage(text);
            message.setStringProperty("text", text);
            producer.send(message);
        }
    }

    @AllClients
    @Clause({
        "Session.createDurableConsumer: JMSException while another consumer is active",
        "Session.createDurableSubscriber: JMSException while another consumer is active",
        "Session.createDurableConsumer: JMSException if a shared durable subscription has the name",
        "Session.createDurableSubscriber: JMSException if a shared durable subscription has the name",
        "Session.createSharedDurableConsumer: JMSException if an unshared durable subscription has the name",
        "Session.unsubscribe: refused while a consumer is active"
    })
    void namesOfDurableSubscriptionsAreForOneKind(JmsClient client) throws Exception {
        open(client);
        try (MessageConsumer unshared = session.createDurableConsumer(topic, "unshared");
                MessageConsumer shared = session.createSharedDurableConsumer(topic, "shared")) {
            Refused.allWith(
                    JMSException.class,
                    () -> session.createDurableConsumer(topic, "unshared"),
                    () -> session.createDurableSubscriber(topic, "unshared"),
                    () -> session.createDurableConsumer(topic, "unshared", null, true),
                    () -> session.createDurableConsumer(topic, "shared"),
                    () -> session.createDurableSubscriber(topic, "shared"),
                    () -> session.createSharedDurableConsumer(topic, "unshared"),
                    () -> session.createSharedDurableConsumer(topic, "unshared", "a = 1"),
                    () -> session.unsubscribe("unshared"),
                    () -> session.unsubscribe("shared"));
            publish(session, topic, "x");
            assertThat(unshared.receive(Names.WAIT_MS)).isNotNull();
            assertThat(shared.receive(Names.WAIT_MS)).isNotNull();
        }
        session.unsubscribe("unshared");
        session.unsubscribe("shared");
    }

    @AllClients
    @Clause({
        "Session.createDurableConsumer: JMSException if a shared durable subscription has the name, without consumers, too",
        "Session.createDurableSubscriber: JMSException if a shared durable subscription has the name, without consumers, too",
        "Session.createSharedDurableConsumer: JMSException if an unshared durable subscription has the name, without"
                + " consumers, too"
    })
    void aDurableSubscriptionKeepsItsKind(JmsClient client) throws Exception {
        open(client);
        session.createDurableConsumer(topic, "unshared").close();
        session.createSharedDurableConsumer(topic, "shared").close();
        publish(session, topic, "x");

        Refused.allWith(
                JMSException.class,
                () -> session.createDurableConsumer(topic, "shared"),
                () -> session.createDurableSubscriber(other, "shared"),
                () -> session.createDurableConsumer(topic, "shared", "a = 1", false),
                () -> session.createSharedDurableConsumer(topic, "unshared"),
                () -> session.createSharedDurableConsumer(other, "unshared", "a = 1"));

        try (MessageConsumer unshared = session.createDurableConsumer(topic, "unshared");
                MessageConsumer shared = session.createSharedDurableConsumer(topic, "shared")) {
            assertThat(unshared.receive(Names.WAIT_MS)).isNotNull();
            assertThat(shared.receive(Names.WAIT_MS)).isNotNull();
        }
        session.unsubscribe("unshared");
        session.createSharedDurableConsumer(topic, "unshared").close();
        session.unsubscribe("unshared");
        session.unsubscribe("shared");
    }

    @OurClients
    @Clause({
        "JMSContext.createDurableConsumer: JMSRuntimeException if a shared durable subscription has the name",
        "JMSContext.createSharedDurableConsumer: JMSRuntimeException if an unshared durable subscription has the name"
    })
    void aContextRefusesTheOtherKind(JmsClient client) throws Exception {
        open(client);
        session.createDurableConsumer(topic, "unshared").close();
        session.createSharedDurableConsumer(topic, "shared").close();
        String id = connection.getClientID();
        connection.close();

        try (JMSContext context = client.factory().createContext()) {
            context.setClientID(id);
            assertThatThrownBy(() -> context.createDurableConsumer(topic, "shared"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("MS-0393");
            assertThatThrownBy(() -> context.createSharedDurableConsumer(topic, "unshared"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("MS-0393");
            context.unsubscribe("unshared");
            context.unsubscribe("shared");
        }
    }

    @OurClients
    @Clause({
        "Session.createSharedConsumer: JMSException for another topic or selector while a consumer is active",
        "Session.createSharedDurableConsumer: JMSException for another topic or selector while a consumer is active"
    })
    void anActiveSharedSubscriptionIsNotChanged(JmsClient client) throws Exception {
        open(client);
        try (MessageConsumer plain = session.createSharedConsumer(topic, "plain");
                MessageConsumer durable = session.createSharedDurableConsumer(topic, "durable")) {
            Refused.allWith(
                    JMSException.class,
                    () -> session.createSharedConsumer(other, "plain"),
                    () -> session.createSharedConsumer(topic, "plain", "a = 1"),
                    () -> session.createSharedDurableConsumer(other, "durable"),
                    () -> session.createSharedDurableConsumer(topic, "durable", "a = 1"));
            session.createSharedConsumer(topic, "plain").close();
            session.createSharedDurableConsumer(topic, "durable").close();
            publish(session, topic, "x");
            assertThat(plain.receive(Names.WAIT_MS)).isNotNull();
            assertThat(durable.receive(Names.WAIT_MS)).isNotNull();
        }
        session.unsubscribe("durable");
    }

    @AllClients
    @Clause("Session.createSharedDurableConsumer: another topic or selector begins anew when no consumer is active")
    void anInactiveSharedDurableSubscriptionBeginsAnew(JmsClient client) throws Exception {
        open(client);
        session.createSharedDurableConsumer(topic, "n").close();
        publish(session, topic, "old");
        session.createSharedDurableConsumer(topic, "n", "text = 'new'").close();
        publish(session, topic, "other");
        publish(session, topic, "new");
        try (MessageConsumer consumer = session.createSharedDurableConsumer(topic, "n", "text = 'new'")) {
            assertThat(consumer.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("new");
            assertThat(consumer.receiveNoWait()).isNull();
        }
        session.unsubscribe("n");
    }

    @OurClients
    @Clause("Session.createSharedConsumer: a subscription without consumers is deleted with its messages")
    void aSharedNonDurableSubscriptionEndsWithItsLastConsumer(JmsClient client) throws Exception {
        open(client);
        session.createSharedConsumer(topic, "n").close();
        publish(session, topic, "lost");
        try (MessageConsumer consumer = session.createSharedConsumer(topic, "n")) {
            publish(session, topic, "got");
            assertThat(consumer.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("got");
        }
    }

    @AllClients
    @Clause({
        "Session.unsubscribe: InvalidDestinationException for a name that is not there",
        "Session.unsubscribe: deletes the subscription with its messages"
    })
    void unsubscribing(JmsClient client) throws Exception {
        open(client);
        Refused.allWith(InvalidDestinationException.class, () -> session.unsubscribe("missing"));
        session.createDurableConsumer(topic, "n").close();
        publish(session, topic, "lost");
        session.unsubscribe("n");
        Refused.allWith(InvalidDestinationException.class, () -> session.unsubscribe("n"));
        try (MessageConsumer consumer = session.createDurableConsumer(topic, "n")) {
            publish(session, topic, "got");
            assertThat(consumer.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("got");
        }
        session.unsubscribe("n");
    }

    @OurClients
    @Clause({
        "Session.createDurableConsumer: InvalidDestinationException for a temporary topic",
        "Session.createSharedDurableConsumer: InvalidDestinationException for a temporary topic"
    })
    void temporaryTopicsHaveNoDurableSubscriptions(JmsClient client) throws Exception {
        open(client);
        Topic temporary = session.createTemporaryTopic();
        Refused.allWith(
                InvalidDestinationException.class,
                () -> session.createDurableConsumer(temporary, "n"),
                () -> session.createDurableSubscriber(temporary, "n"),
                () -> session.createSharedDurableConsumer(temporary, "n"));
    }

    @OurClients
    @Clause({
        "Session.createDurableConsumer: noLocal keeps out the messages of its own connection",
        "Session.createSharedConsumer: durable and shared non-durable subscriptions may have the same name"
    })
    void namesOfDurableAndSharedSubscriptionsAreApart(JmsClient client) throws Exception {
        open(client);
        try (MessageConsumer durable = session.createDurableConsumer(topic, "n", null, true);
                MessageConsumer shared = session.createSharedConsumer(topic, "n");
                Connection elsewhere = client.factory().createConnection()) {
            publish(session, topic, "own");
            publish(elsewhere.createSession(), topic, "other's");
            assertThat(durable.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("other's");
            assertThat(shared.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("own");
            assertThat(shared.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("other's");
        }
        session.unsubscribe("n");
    }
}
