package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Publish and subscribe (Jakarta Messaging 4.2 and 8.3). */
final class SubscriptionTest {
    private static void publish(Session session, Topic topic, String... texts) throws JMSException {
        MessageProducer producer = session.createProducer(topic);
        for (String text : texts) {
            producer.send(session.createTextMessage(text));
        }
        producer.close();
    }

    private static Connection started(JmsClient client, String clientId) throws JMSException {
        Connection connection = client.factory().createConnection();
        if (clientId != null) {
            connection.setClientID(clientId);
        }
        connection.start();
        return connection;
    }

    @AllClients
    @Clause({"8.3.1", "4.2.2"})
    void anUnsharedSubscriptionGetsWhatIsPublishedWhileItExists(JmsClient client) throws Exception {
        try (Connection connection = started(client, null)) {
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("topic"));
            publish(session, topic, "before");
            MessageConsumer one = session.createConsumer(topic);
            MessageConsumer two = session.createConsumer(topic);
            publish(session, topic, "during");
            assertThat(QueueTest.bodies(one, 1)).containsExactly("during");
            assertThat(QueueTest.bodies(two, 1)).containsExactly("during");
            one.close();
            publish(session, topic, "after");
            MessageConsumer three = session.createConsumer(topic);
            assertThat(three.receive(Names.SILENCE_MS)).isNull();
            assertThat(QueueTest.bodies(two, 1)).containsExactly("after");
        }
    }

    @AllClients
    @Clause({"8.3.3", "Session.createDurableConsumer", "Session.unsubscribe"})
    void aDurableSubscriptionKeepsWhatComesWithoutAConsumer(JmsClient client) throws Exception {
        String id = Names.unique("client");
        String name = Names.unique("topic");
        try (Connection connection = started(client, id)) {
            Session session = connection.createSession();
            Topic topic = session.createTopic(name);
            MessageConsumer first = session.createDurableConsumer(topic, "sub");
            publish(session, topic, "one");
            assertThat(QueueTest.bodies(first, 1)).containsExactly("one");
            first.close();
            publish(session, topic, "two", "three");
        }
        try (Connection again = started(client, id)) {
            Session session = again.createSession();
            Topic topic = session.createTopic(name);
            MessageConsumer second = session.createDurableSubscriber(topic, "sub");
            assertThat(QueueTest.bodies(second, 2)).containsExactly("two", "three");
            assertThatThrownBy(() -> session.unsubscribe("sub")).isInstanceOf(JMSException.class);
            second.close();
            session.unsubscribe("sub");
            assertThatThrownBy(() -> session.unsubscribe("sub")).isInstanceOf(InvalidDestinationException.class);
            publish(session, topic, "lost");
            MessageConsumer anew = session.createDurableConsumer(topic, "sub");
            assertThat(anew.receive(Names.SILENCE_MS)).isNull();
            anew.close();
            session.unsubscribe("sub");
        }
    }

    @OurClients
    @Clause({"8.3.3", "Session.createDurableConsumer"})
    void anUnsharedDurableSubscriptionNeedsAClientIdentifierAndHasOneConsumer(JmsClient client) throws Exception {
        try (Connection anonymous = started(client, null);
                Connection connection = started(client, Names.unique("client"))) {
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("topic"));
            Session without = anonymous.createSession();
            assertThatThrownBy(() -> without.createDurableConsumer(topic, "sub"))
                    .isInstanceOf(IllegalStateException.class);
            MessageConsumer only = session.createDurableConsumer(topic, "sub");
            assertThatThrownBy(() -> session.createDurableConsumer(topic, "sub"))
                    .isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> session.createSharedDurableConsumer(topic, "sub"))
                    .isInstanceOf(JMSException.class);
            only.close();
            MessageConsumer shared = session.createSharedDurableConsumer(topic, "other");
            assertThatThrownBy(() -> session.createDurableConsumer(topic, "other"))
                    .isInstanceOf(JMSException.class);
            shared.close();
            session.unsubscribe("sub");
            session.unsubscribe("other");
        }
    }

    @AllClients
    @Clause("8.3.3")
    void anInactiveDurableSubscriptionWithAnotherTopicOrSelectorBeginsAnew(JmsClient client) throws Exception {
        try (Connection connection = started(client, Names.unique("client"))) {
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("topic"));
            session.createDurableConsumer(topic, "sub").close();
            publish(session, topic, "old");
            MessageConsumer changed = session.createDurableConsumer(topic, "sub", "a = 1", false);
            assertThat(changed.receive(Names.SILENCE_MS)).isNull();
            changed.close();
            session.unsubscribe("sub");
        }
    }

    @AllClients
    @Clause({"8.3.2", "8.3.4"})
    void sharedSubscriptionsGiveEachMessageToOneConsumer(JmsClient client) throws Exception {
        for (boolean durable : new boolean[] {false, true}) {
            String name = Names.unique("shared").replace('.', '_');
            try (Connection one = started(client, null);
                    Connection two = started(client, null)) {
                Session first = one.createSession();
                Session second = two.createSession();
                Topic topic = first.createTopic(Names.unique("topic"));
                List<MessageConsumer> consumers = new ArrayList<>();
                for (Session session : List.of(first, first, second)) {
                    consumers.add(
                            durable
                                    ? session.createSharedDurableConsumer(topic, name)
                                    : session.createSharedConsumer(topic, name));
                }
                for (int i = 0; i < 9; i++) {
                    publish(first, topic, "m" + i);
                }
                int received = 0;
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Names.WAIT_MS);
                while (received < 9 && System.nanoTime() < end) {
                    for (MessageConsumer consumer : consumers) {
                        received += consumer.receive(20) == null ? 0 : 1;
                    }
                }
                assertThat(received).isEqualTo(9);
                for (MessageConsumer consumer : consumers) {
                    assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
                }
                assertThatThrownBy(() -> {
                            if (durable) {
                                second.createSharedDurableConsumer(topic, name, "x = 1");
                            } else {
                                second.createSharedConsumer(topic, name, "x = 1");
                            }
                        })
                        .isInstanceOf(JMSException.class);
                for (MessageConsumer consumer : consumers) {
                    consumer.close();
                }
                if (durable) {
                    publish(first, topic, "kept");
                    MessageConsumer again = second.createSharedDurableConsumer(topic, name);
                    assertThat(QueueTest.bodies(again, 1)).containsExactly("kept");
                    again.close();
                    first.unsubscribe(name);
                }
            }
        }
    }

    @OurClients
    @Clause("8.3.2")
    void aSharedNonDurableSubscriptionIsApartFromADurableOneOfTheSameName(JmsClient client) throws Exception {
        try (Connection connection = started(client, null)) {
            Session session = connection.createSession();
            Topic topic = session.createTopic(Names.unique("topic"));
            String name = Names.unique("same").replace('.', '_');
            MessageConsumer durable = session.createSharedDurableConsumer(topic, name);
            MessageConsumer volatileOne = session.createSharedConsumer(topic, name);
            publish(session, topic, "both");
            assertThat(QueueTest.bodies(durable, 1)).containsExactly("both");
            assertThat(QueueTest.bodies(volatileOne, 1)).containsExactly("both");
            durable.close();
            session.unsubscribe(name);
        }
    }

    @AllClients
    @Clause({"Session.createConsumer", "8.3.3"})
    void noLocalLeavesOutTheConnectionsOwnMessages(JmsClient client) throws Exception {
        try (Connection connection = started(client, Names.unique("client"));
                Connection other = started(client, null)) {
            Session session = connection.createSession();
            Session otherSession = other.createSession();
            Topic topic = session.createTopic(Names.unique("topic"));
            MessageConsumer plain = session.createConsumer(topic, null, true);
            MessageConsumer durable = session.createDurableConsumer(topic, "sub", null, true);
            publish(session, topic, "own");
            publish(otherSession, topic, "foreign");
            assertThat(QueueTest.bodies(plain, 1)).containsExactly("foreign");
            assertThat(QueueTest.bodies(durable, 1)).containsExactly("foreign");
            durable.close();
            session.unsubscribe("sub");
        }
    }

    @AllClients
    @Clause({"3.8.1", "8.1"})
    void selectorsAreCheckedAtCreationAndChoose(JmsClient client) throws Exception {
        try (Connection connection = started(client, null)) {
            Session session = connection.createSession();
            var queue = session.createQueue(Names.unique("queue"));
            Topic topic = session.createTopic(Names.unique("topic"));
            assertThatThrownBy(() -> session.createConsumer(queue, "a = "))
                    .isInstanceOf(InvalidSelectorException.class);
            assertThatThrownBy(() -> session.createConsumer(topic, "LIKE x"))
                    .isInstanceOf(InvalidSelectorException.class);
            assertThatThrownBy(() -> session.createBrowser(queue, "a in ()"))
                    .isInstanceOf(InvalidSelectorException.class);
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 4; i++) {
                var message = session.createTextMessage("m" + i);
                message.setIntProperty("n", i);
                producer.send(message);
            }
            assertThat(session.createConsumer(queue, "n = 2").getMessageSelector())
                    .isEqualTo("n = 2");
            assertThat(QueueTest.bodies(session.createConsumer(queue, "n = 3"), 1))
                    .containsExactly("m3");
            assertThat(session.createConsumer(queue, "").getMessageSelector()).isNull();
        }
    }
}
