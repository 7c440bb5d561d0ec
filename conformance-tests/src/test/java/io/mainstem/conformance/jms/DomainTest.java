package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.IllegalStateException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueConnectionFactory;
import jakarta.jms.QueueReceiver;
import jakarta.jms.QueueRequestor;
import jakarta.jms.QueueSender;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import jakarta.jms.TopicConnection;
import jakarta.jms.TopicConnectionFactory;
import jakarta.jms.TopicPublisher;
import jakarta.jms.TopicRequestor;
import jakarta.jms.TopicSession;
import jakarta.jms.TopicSubscriber;
import java.util.List;
import javax.naming.Referenceable;

/** The APIs of one domain each (Jakarta Messaging 4.1.7, 4.2.10, 5, 9.2). */
final class DomainTest {
    private interface Call {
        void run() throws JMSException;
    }

    private static QueueConnection queues(JmsClient client) throws JMSException {
        QueueConnection connection = ((QueueConnectionFactory) client.factory()).createQueueConnection();
        connection.start();
        return connection;
    }

    private static TopicConnection topics(JmsClient client) throws JMSException {
        TopicConnection connection = ((TopicConnectionFactory) client.factory()).createTopicConnection();
        connection.start();
        return connection;
    }

    private static void assertIllegal(List<Call> calls) {
        for (int i = 0; i < calls.size(); i++) {
            assertThatThrownBy(calls.get(i)::run).as("call %s", i).isInstanceOf(IllegalStateException.class);
        }
    }

    @AllClients
    @Clause({"9.2", "QueueSession"})
    void aQueueSessionHasNothingOfTopics(JmsClient client) throws Exception {
        try (QueueConnection connection = queues(client)) {
            QueueSession session = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic topic = connection.createSession().createTopic("t");
            assertIllegal(List.of(
                    () -> session.createDurableSubscriber(topic, "n"),
                    () -> session.createDurableSubscriber(topic, "n", null, false),
                    () -> session.createDurableConsumer(topic, "n"),
                    () -> session.createDurableConsumer(topic, "n", null, false),
                    () -> session.createSharedConsumer(topic, "n"),
                    () -> session.createSharedConsumer(topic, "n", null),
                    () -> session.createSharedDurableConsumer(topic, "n"),
                    () -> session.createSharedDurableConsumer(topic, "n", null),
                    session::createTemporaryTopic,
                    () -> session.createTopic("t"),
                    () -> session.unsubscribe("n")));
        }
    }

    @OurClients
    @Clause({"9.2", "QueueConnection"})
    void aQueueConnectionHasNoConsumersOfTopics(JmsClient client) throws Exception {
        try (QueueConnection connection = queues(client)) {
            Topic topic = connection.createSession().createTopic("t");
            assertIllegal(List.of(
                    () -> connection.createSharedConnectionConsumer(topic, "n", null, null, 1),
                    () -> connection.createDurableConnectionConsumer(topic, "n", null, null, 1),
                    () -> connection.createSharedDurableConnectionConsumer(topic, "n", null, null, 1)));
        }
    }

    @AllClients
    @Clause({"9.2", "TopicSession"})
    void aTopicSessionHasNothingOfQueues(JmsClient client) throws Exception {
        try (TopicConnection connection = topics(client)) {
            TopicSession session = connection.createTopicSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = connection.createSession().createQueue("q");
            assertIllegal(List.of(
                    () -> session.createBrowser(queue),
                    () -> session.createBrowser(queue, null),
                    () -> session.createQueue("q"),
                    session::createTemporaryQueue));
        }
    }

    private static MessageListener replier(Session session) throws JMSException {
        MessageProducer replies = session.createProducer(null);
        return request -> {
            try {
                replies.send(
                        request.getJMSReplyTo(), session.createTextMessage("re: " + request.getBody(String.class)));
            } catch (JMSException e) {
                throw new java.lang.IllegalStateException(e);
            }
        };
    }

    @AllClients
    @Clause({"4.1.7", "QueueRequestor", "QueueSender", "QueueReceiver"})
    void aQueueRequestorGetsItsAnswer(JmsClient client) throws Exception {
        try (QueueConnection connection = queues(client)) {
            QueueSession serving = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = serving.createQueue(Names.unique("service"));
            QueueReceiver receiver = serving.createReceiver(queue);
            assertThat(receiver.getQueue()).isEqualTo(queue);
            receiver.setMessageListener(replier(serving));
            QueueSession asking = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
            QueueSender sender = asking.createSender(queue);
            assertThat(sender.getQueue()).isEqualTo(queue);
            QueueRequestor requestor = new QueueRequestor(asking, queue);
            Message answer = requestor.request(asking.createTextMessage("hello"));
            assertThat(answer.getBody(String.class)).isEqualTo("re: hello");
            requestor.close();
        }
    }

    @AllClients
    @Clause({"4.2.10", "TopicRequestor", "TopicPublisher", "TopicSubscriber"})
    void aTopicRequestorGetsItsAnswer(JmsClient client) throws Exception {
        try (TopicConnection connection = topics(client)) {
            TopicSession serving = connection.createTopicSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic topic = serving.createTopic(Names.unique("service"));
            TopicSubscriber subscriber = serving.createSubscriber(topic, null, true);
            assertThat(subscriber.getTopic()).isEqualTo(topic);
            assertThat(subscriber.getNoLocal()).isTrue();
            subscriber.close();
            serving.createSubscriber(topic).setMessageListener(replier(serving));
            TopicSession asking = connection.createTopicSession(false, Session.AUTO_ACKNOWLEDGE);
            TopicPublisher publisher = asking.createPublisher(topic);
            assertThat(publisher.getTopic()).isEqualTo(topic);
            TopicRequestor requestor = new TopicRequestor(asking, topic);
            Message answer = requestor.request(asking.createTextMessage("hello"));
            assertThat(answer.getBody(String.class)).isEqualTo("re: hello");
            requestor.close();
        }
    }

    @AllClients
    @Clause({"TopicPublisher.publish", "QueueSender.send"})
    void theMethodsOfTheDomainsSend(JmsClient client) throws Exception {
        try (TopicConnection connection = topics(client)) {
            TopicSession session = connection.createTopicSession(false, Session.AUTO_ACKNOWLEDGE);
            Topic topic = session.createTopic(Names.unique("domain"));
            TopicSubscriber subscriber = session.createSubscriber(topic);
            session.createPublisher(topic).publish(session.createTextMessage("1"));
            session.createPublisher(null).publish(topic, session.createTextMessage("2"));
            session.createPublisher(null).publish(topic, session.createTextMessage("3"), DeliveryMode.PERSISTENT, 4, 0);
            assertThat(QueueTest.bodies(subscriber, 3)).containsExactly("1", "2", "3");
        }
        try (QueueConnection connection = queues(client)) {
            QueueSession session = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = session.createQueue(Names.unique("domain"));
            session.createSender(queue).send(session.createTextMessage("1"));
            session.createSender(null).send(queue, session.createTextMessage("2"));
            session.createSender(null).send(queue, session.createTextMessage("3"), DeliveryMode.PERSISTENT, 4, 0);
            assertThat(QueueTest.bodies(session.createReceiver(queue, "JMSPriority = 4"), 3))
                    .containsExactly("1", "2", "3");
        }
    }

    @OurClients
    @Clause("5.1")
    void administeredObjectsCanBeKeptInADirectory(JmsClient client) throws Exception {
        try (QueueConnection connection = queues(client)) {
            Session session = connection.createSession();
            assertThat(List.of(new MainstemConnectionFactory(), session.createQueue("q"), session.createTopic("t")))
                    .allSatisfy(object -> assertThat(object)
                            .isInstanceOf(Referenceable.class)
                            .isInstanceOf(java.io.Serializable.class));
        }
    }
}
