package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import jakarta.jms.TextMessage;

/** Temporary destinations and what they are for (Jakarta Messaging 6.2.2). */
final class TemporaryTest {
    @AllClients
    @Clause({"6.2.2", "4.1.4"})
    void requestsAreAnsweredOverATemporaryQueue(JmsClient client) throws Exception {
        try (Connection asking = client.factory().createConnection();
                Connection answering = client.factory().createConnection()) {
            asking.start();
            answering.start();
            Session session = asking.createSession();
            Queue service = session.createQueue(Names.unique("service"));
            Session server = answering.createSession();
            MessageProducer replies = server.createProducer(null);
            server.createConsumer(service).setMessageListener(request -> {
                try {
                    Message reply = server.createTextMessage("re: " + ((TextMessage) request).getText());
                    reply.setJMSCorrelationID(request.getJMSMessageID());
                    replies.send(request.getJMSReplyTo(), reply);
                } catch (JMSException e) {
                    throw new java.lang.IllegalStateException(e);
                }
            });
            TemporaryQueue answers = session.createTemporaryQueue();
            MessageConsumer consumer = session.createConsumer(answers);
            Message request = session.createTextMessage("hello");
            request.setJMSReplyTo(answers);
            session.createProducer(service).send(request);
            Message answer = consumer.receive(Names.WAIT_MS);
            assertThat(((TextMessage) answer).getText()).isEqualTo("re: hello");
            assertThat(answer.getJMSCorrelationID()).isEqualTo(request.getJMSMessageID());
            assertThat(answer.getJMSDestination()).isEqualTo(answers);
        }
    }

    @AllClients
    @Clause({"6.2.2", "TemporaryQueue.delete", "TemporaryTopic.delete"})
    void onlyItsConnectionConsumesAndItGoesWithDeleteOrTheConnection(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection();
                Connection other = client.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Session sameConnection = connection.createSession();
            Session foreign = other.createSession();
            TemporaryQueue queue = session.createTemporaryQueue();
            TemporaryTopic topic = session.createTemporaryTopic();
            assertThatThrownBy(() -> foreign.createConsumer(queue)).isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> foreign.createConsumer(topic)).isInstanceOf(JMSException.class);
            MessageConsumer consumer = sameConnection.createConsumer(queue);
            foreign.createProducer(queue).send(foreign.createTextMessage("from outside"));
            assertThat(QueueTest.bodies(consumer, 1)).containsExactly("from outside");
            MessageConsumer listening = session.createConsumer(topic);
            foreign.createProducer(topic).send(foreign.createTextMessage("news"));
            assertThat(QueueTest.bodies(listening, 1)).containsExactly("news");
            assertThatThrownBy(queue::delete).isInstanceOf(JMSException.class);
            assertThatThrownBy(topic::delete).isInstanceOf(JMSException.class);
            consumer.close();
            listening.close();
            queue.delete();
            topic.delete();
            assertThatThrownBy(() -> session.createProducer(queue).send(session.createTextMessage("gone")))
                    .isInstanceOf(JMSException.class);
        }
    }
}
