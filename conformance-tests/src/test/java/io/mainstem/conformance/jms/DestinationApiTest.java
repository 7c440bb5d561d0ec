package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueReceiver;
import jakarta.jms.QueueRequestor;
import jakarta.jms.QueueSender;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.Topic;
import jakarta.jms.TopicConnection;
import jakarta.jms.TopicPublisher;
import jakarta.jms.TopicRequestor;
import jakarta.jms.TopicSession;
import jakarta.jms.TopicSubscriber;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of destinations and of the interfaces of one domain, sentence by sentence. */
final class DestinationApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    @AllClients
    @Clause({
        "Queue.getQueueName: the name",
        "Queue.toString: tells the name",
        "Topic.getTopicName: the name",
        "Topic.toString: tells the name",
        "Session.createQueue: encapsulates the name",
        "Session.createTopic: encapsulates the name"
    })
    void destinationsHaveNames(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue("a.queue");
        Topic topic = session.createTopic("a.topic");
        assertThat(queue.getQueueName()).isEqualTo("a.queue");
        assertThat(queue.toString()).contains("a.queue");
        assertThat(topic.getTopicName()).isEqualTo("a.topic");
        assertThat(topic.toString()).contains("a.topic");
        assertThat(queue).isEqualTo(session.createQueue("a.queue")).isNotEqualTo(topic);
        assertThat(topic).isEqualTo(session.createTopic("a.topic"));
    }

    @AllClients
    @Clause({
        "TemporaryQueue: consumed by its connection only",
        "TemporaryQueue.delete: JMSException while a consumer uses it",
        "TemporaryTopic: consumed by its connection only",
        "TemporaryTopic.delete: JMSException while a consumer uses it",
        "Session.createTemporaryQueue: another each time",
        "Session.createTemporaryTopic: another each time"
    })
    void temporaryDestinationsBelongToTheirConnection(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        TemporaryQueue queue = session.createTemporaryQueue();
        TemporaryTopic topic = session.createTemporaryTopic();
        assertThat(queue).isNotEqualTo(session.createTemporaryQueue());
        assertThat(topic).isNotEqualTo(session.createTemporaryTopic());
        try (Connection other = client.factory().createConnection();
                MessageConsumer ofQueue = session.createConsumer(queue);
                MessageConsumer ofTopic = session.createConsumer(topic)) {
            Session stranger = other.createSession();
            Refused.allWith(
                    JMSException.class,
                    () -> stranger.createConsumer(queue),
                    () -> stranger.createConsumer(topic),
                    queue::delete,
                    topic::delete);
            stranger.createProducer(queue).send(stranger.createMessage());
            assertThat(ofQueue.receive(Names.WAIT_MS)).isNotNull();
            stranger.createProducer(topic).send(stranger.createMessage());
            assertThat(ofTopic.receive(Names.WAIT_MS)).isNotNull();
        }
        queue.delete();
        topic.delete();
    }

    @AllClients
    @Clause({
        "QueueSender.getQueue: as given at creation",
        "QueueReceiver.getQueue: as given at creation",
        "QueueSender.send: UnsupportedOperationException if the form does not fit the creation",
        "QueueSender.send: InvalidDestinationException for an invalid queue",
        "QueueSender.send: the headers hold what the call said",
        "QueueReceiver: messages that are not selected stay on the queue",
        "QueueSession.createReceiver: InvalidDestinationException for an invalid queue"
    })
    void queuesOnly(JmsClient client) throws Exception {
        QueueConnection connection = (QueueConnection) OPEN.connection(client);
        try (QueueSession session = connection.createQueueSession(false, Session.AUTO_ACKNOWLEDGE)) {
            Queue queue = session.createQueue(Names.unique("domain"));
            QueueSender bound = session.createSender(queue);
            QueueSender open = session.createSender(null);
            assertThat(bound.getQueue()).isEqualTo(queue);
            assertThat(open.getQueue()).isNull();
            Message message = session.createTextMessage("x");
            Refused.allWith(
                    UnsupportedOperationException.class,
                    () -> open.send(message),
                    () -> open.send(message, DeliveryMode.PERSISTENT, 4, 0),
                    () -> bound.send(queue, message),
                    () -> bound.send(queue, message, DeliveryMode.PERSISTENT, 4, 0));
            Refused.allWith(
                    InvalidDestinationException.class,
                    () -> open.send((Queue) null, message),
                    () -> open.send((Queue) null, message, DeliveryMode.PERSISTENT, 4, 0),
                    () -> session.createReceiver(null),
                    () -> session.createReceiver(null, "a = 1"));
            open.send(queue, message, DeliveryMode.NON_PERSISTENT, 7, 0);
            assertThat(message.getJMSPriority()).isEqualTo(7);
            QueueReceiver selecting = session.createReceiver(queue, "JMSPriority = 1");
            assertThat(selecting.receiveNoWait()).isNull();
            assertThat(selecting.getQueue()).isEqualTo(queue);
            selecting.close();
            assertThat(session.createReceiver(queue).receive(Names.WAIT_MS).getJMSPriority())
                    .isEqualTo(7);
        }
    }

    @AllClients
    @Clause({
        "TopicPublisher.getTopic: as given at creation",
        "TopicSubscriber.getTopic: as given at creation",
        "TopicSubscriber.getNoLocal: as given, false by default",
        "TopicPublisher.publish: UnsupportedOperationException if the form does not fit the creation",
        "TopicPublisher.publish: InvalidDestinationException for an invalid topic",
        "TopicPublisher.publish: functionally the same as send",
        "TopicSession.createSubscriber: InvalidDestinationException for an invalid topic"
    })
    void topicsOnly(JmsClient client) throws Exception {
        TopicConnection connection = (TopicConnection) OPEN.connection(client);
        try (TopicSession session = connection.createTopicSession(false, Session.AUTO_ACKNOWLEDGE)) {
            Topic topic = session.createTopic(Names.unique("domain"));
            TopicPublisher bound = session.createPublisher(topic);
            TopicPublisher open = session.createPublisher(null);
            TopicSubscriber subscriber = session.createSubscriber(topic);
            assertThat(bound.getTopic()).isEqualTo(topic);
            assertThat(open.getTopic()).isNull();
            assertThat(subscriber.getTopic()).isEqualTo(topic);
            assertThat(subscriber.getNoLocal()).isFalse();
            assertThat(session.createSubscriber(topic, null, true).getNoLocal()).isTrue();
            Message message = session.createTextMessage("x");
            Refused.allWith(
                    UnsupportedOperationException.class,
                    () -> open.publish(message),
                    () -> open.publish(message, DeliveryMode.PERSISTENT, 4, 0),
                    () -> bound.publish(topic, message),
                    () -> bound.publish(topic, message, DeliveryMode.PERSISTENT, 4, 0));
            Refused.allWith(
                    InvalidDestinationException.class,
                    () -> open.publish((Topic) null, message),
                    () -> open.publish((Topic) null, message, DeliveryMode.PERSISTENT, 4, 0),
                    () -> session.createSubscriber(null),
                    () -> session.createSubscriber(null, "a = 1", false));
            bound.publish(message);
            bound.send(message);
            assertThat(subscriber.receive(Names.WAIT_MS)).isNotNull();
            assertThat(subscriber.receive(Names.WAIT_MS)).isNotNull();
        }
    }

    @AllClients
    @Clause({
        "QueueRequestor: InvalidDestinationException for an invalid queue",
        "TopicRequestor: InvalidDestinationException for an invalid topic"
    })
    void requestorsNeedADestination(JmsClient client) throws Exception {
        QueueConnection queues = (QueueConnection) OPEN.connection(client);
        TopicConnection topics = (TopicConnection) OPEN.connection(client);
        try (QueueSession ofQueues = queues.createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
                TopicSession ofTopics = topics.createTopicSession(false, Session.AUTO_ACKNOWLEDGE)) {
            Refused.allWith(
                    InvalidDestinationException.class,
                    () -> new QueueRequestor(ofQueues, null),
                    () -> new TopicRequestor(ofTopics, null));
        }
    }
}
