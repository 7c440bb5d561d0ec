package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotWriteableRuntimeException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import jakarta.jms.TopicConnection;
import jakarta.jms.TopicSession;

/** Sending (Jakarta Messaging 3.4 and 7). */
final class ProducerTest {
    @AllClients
    @Clause({"3.4.1", "3.4.2", "3.4.3", "3.4.4", "3.4.9", "3.4.10", "3.4.11"})
    void theSendCallSetsTheHeaders(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("headers"));
            MessageProducer producer = session.createProducer(queue);
            TextMessage message = session.createTextMessage("x");
            message.setJMSPriority(1);
            message.setJMSExpiration(17);
            message.setJMSMessageID("ID:mine");
            message.setJMSTimestamp(1);
            message.setJMSDeliveryMode(DeliveryMode.NON_PERSISTENT);
            long before = System.currentTimeMillis();
            producer.send(message, DeliveryMode.PERSISTENT, 7, 60_000);
            long after = System.currentTimeMillis();
            assertThat(message.getJMSDestination()).isEqualTo(queue);
            assertThat(message.getJMSMessageID()).startsWith("ID:").isNotEqualTo("ID:mine");
            Message received = session.createConsumer(queue).receive(Names.WAIT_MS);
            for (Message each : new Message[] {message, received}) {
                assertThat(each.getJMSPriority()).isEqualTo(7);
                assertThat(each.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
                assertThat(each.getJMSTimestamp()).isBetween(before, after);
                assertThat(each.getJMSExpiration()).isEqualTo(each.getJMSTimestamp() + 60_000);
                assertThat(each.getJMSMessageID()).isEqualTo(message.getJMSMessageID());
            }
            assertThat(received.getJMSDestination()).isEqualTo(queue);
            assertThat(received.getJMSDeliveryTime()).isEqualTo(message.getJMSDeliveryTime());
        }
    }

    @OurClients
    @Clause({"MessageProducer.setDisableMessageID", "MessageProducer.setDisableMessageTimestamp"})
    void idsAndTimestampsCanBeLeftOut(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("bare"));
            MessageProducer producer = session.createProducer(queue);
            producer.setDisableMessageID(true);
            producer.setDisableMessageTimestamp(true);
            producer.send(session.createTextMessage("x"));
            Message received = session.createConsumer(queue).receive(Names.WAIT_MS);
            assertThat(received.getJMSMessageID()).isNull();
            assertThat(received.getJMSTimestamp()).isZero();
            assertThat(received.getJMSExpiration()).isZero();
        }
    }

    @AllClients
    @Clause({"MessageProducer.send", "Session.createProducer", "MessageProducer"})
    void wrongCallsAreRefusedByTheirOwnExceptions(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("wrong"));
            Message message = session.createMessage();
            MessageProducer identified = session.createProducer(queue);
            MessageProducer anonymous = session.createProducer(null);
            assertThatThrownBy(() -> identified.send(queue, message)).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> anonymous.send(message)).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> anonymous.send((Destination) null, message))
                    .isInstanceOf(InvalidDestinationException.class);
            assertThatThrownBy(() -> identified.send(null)).isInstanceOf(MessageFormatException.class);
            assertThatThrownBy(() -> identified.setPriority(-1)).isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> identified.setPriority(10)).isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> identified.setDeliveryMode(-1)).isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> session.createConsumer(null)).isInstanceOf(InvalidDestinationException.class);
            assertThat(anonymous.getDestination()).isNull();
            assertThat(identified.getDestination()).isEqualTo(queue);
        }
    }

    @AllClients
    @Clause({"7.9", "MessageProducer.setDeliveryDelay"})
    void aDelayedMessageIsNotReceivedEarly(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("delay"));
            MessageProducer producer = session.createProducer(queue);
            producer.setDeliveryDelay(3000);
            producer.send(session.createTextMessage("later"));
            boolean seen = session.createBrowser(queue).getEnumeration().hasMoreElements();
            Message later = session.createConsumer(queue).receive(Names.WAIT_MS);
            assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(later.getJMSDeliveryTime());
            assertThat(later.getJMSDeliveryTime()).isEqualTo(later.getJMSTimestamp() + 3000);
            assertThat(seen).isFalse();
            producer.setDeliveryDelay(0);
            Message now = session.createTextMessage("now");
            producer.send(now);
            assertThat(now.getJMSDeliveryTime()).isEqualTo(now.getJMSTimestamp());
        }
    }

    @OurClients
    @Clause({"7.8", "7.9"})
    void theLongestTimesAreNoTimesOfThePast(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("longest"));
            MessageProducer producer = session.createProducer(queue);
            Message never = session.createTextMessage("never");
            producer.setDeliveryDelay(Long.MAX_VALUE);
            producer.send(never);
            Message forEver = session.createTextMessage("for ever");
            producer.setDeliveryDelay(0);
            producer.setTimeToLive(Long.MAX_VALUE);
            producer.send(forEver);

            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(((TextMessage) consumer.receive(Names.WAIT_MS)).getText())
                    .isEqualTo("for ever");
            assertThat(consumer.receiveNoWait()).isNull();
            assertThat(never.getJMSDeliveryTime()).isGreaterThan(never.getJMSTimestamp());
            assertThat(forEver.getJMSExpiration()).isGreaterThan(forEver.getJMSTimestamp());
        }
    }

    @AllClients
    @Clause({"3.4.9", "7.8"})
    void anExpiredMessageIsNotReceivedNotEvenFromThePrefetch(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("ttl"));
            MessageConsumer consumer = session.createConsumer(queue);
            MessageProducer producer = session.createProducer(queue);
            producer.setTimeToLive(100);
            producer.send(session.createTextMessage("short"));
            producer.setTimeToLive(0);
            producer.send(session.createTextMessage("long"));
            assertThat(session.createConsumer(session.createQueue(Names.unique("quiet")))
                            .receive(Names.SILENCE_MS))
                    .isNull();
            assertThat(QueueTest.bodies(consumer, 1)).containsExactly("long");
        }
    }

    @AllClients
    @Clause({"QueueSession", "TopicSession"})
    void sessionsOfOneDomainRefuseTheOther(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            QueueSession queues = ((QueueConnection) connection).createQueueSession(false, Session.AUTO_ACKNOWLEDGE);
            TopicSession topics = ((TopicConnection) connection).createTopicSession(false, Session.AUTO_ACKNOWLEDGE);
            Queue queue = queues.createQueue(Names.unique("domain"));
            Topic topic = topics.createTopic(Names.unique("domain"));
            assertThatThrownBy(() -> queues.createTopic("t")).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(queues::createTemporaryTopic).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> queues.createDurableSubscriber(topic, "s"))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> queues.unsubscribe("s")).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> topics.createQueue("q")).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> topics.createBrowser(queue)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(topics::createTemporaryQueue).isInstanceOf(IllegalStateException.class);
            connection.start();
            queues.createSender(null).send(queue, queues.createTextMessage("q"));
            assertThat(QueueTest.bodies(queues.createReceiver(queue), 1)).containsExactly("q");
            var subscriber = topics.createSubscriber(topic);
            topics.createPublisher(topic).publish(topics.createTextMessage("t"));
            assertThat(QueueTest.bodies(subscriber, 1)).containsExactly("t");
        }
    }

    @AllClients
    @Clause({"JMSProducer", "JMSContext"})
    void whatIsSetOnAJmsProducerGoesOverTheMessage(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("producer"));
            TextMessage message = context.createTextMessage("x");
            message.setStringProperty("a", "message");
            message.setStringProperty("b", "message");
            message.setJMSType("message");
            JMSProducer producer = context.createProducer()
                    .setProperty("a", "producer")
                    .setJMSType("producer")
                    .setJMSCorrelationID("c")
                    .setJMSReplyTo(queue)
                    .setPriority(8);
            producer.send(queue, message);
            JMSConsumer consumer = context.createConsumer(queue);
            Message received = consumer.receive(Names.WAIT_MS);
            assertThat(received.getStringProperty("a")).isEqualTo("producer");
            assertThat(received.getStringProperty("b")).isEqualTo("message");
            assertThat(received.getJMSType()).isEqualTo("producer");
            assertThat(received.getJMSCorrelationID()).isEqualTo("c");
            assertThat(received.getJMSReplyTo()).isEqualTo(queue);
            assertThat(received.getJMSPriority()).isEqualTo(8);
            assertThatThrownBy(() -> producer.send(queue, received))
                    .isInstanceOf(MessageNotWriteableRuntimeException.class);
            assertThatThrownBy(() -> producer.send(null, "x")).isInstanceOf(InvalidDestinationRuntimeException.class);
            assertThatThrownBy(() -> producer.setPriority(11)).isInstanceOf(JMSRuntimeException.class);
            producer.send(queue, (String) null);
            assertThat(consumer.receive(Names.WAIT_MS)).isInstanceOf(TextMessage.class);
        }
    }
}
