package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TemporaryTopic;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Temporary destinations of Qpid JMS: they belong to one connection and go with it [J-7]. */
@WithBroker
final class JmsTemporaryTest {
    private final BrokerAddress broker;

    JmsTemporaryTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @Test
    void requestAndReply() throws Exception {
        try (JMSContext client = Jms.context(broker);
                JMSContext server = Jms.context(broker)) {
            Queue requests = client.createQueue(Jms.uniqueName("requests"));
            TemporaryQueue replies = client.createTemporaryQueue();
            JMSConsumer replyConsumer = client.createConsumer(replies);
            JMSConsumer requestConsumer = server.createConsumer(requests);

            client.createProducer()
                    .setJMSReplyTo(replies)
                    .setJMSCorrelationID("c")
                    .send(requests, "ping");
            Message request = requestConsumer.receive(Jms.RECEIVE_MS);
            server.createProducer()
                    .setJMSCorrelationID(request.getJMSCorrelationID())
                    .send(request.getJMSReplyTo(), "pong");

            Message reply = replyConsumer.receive(Jms.RECEIVE_MS);
            assertThat(reply.getBody(String.class)).isEqualTo("pong");
            assertThat(reply.getJMSCorrelationID()).isEqualTo("c");
        }
    }

    @Test
    void aTemporaryTopicReachesEverySession() throws Exception {
        try (Connection connection = Jms.connection(broker);
                JMSContext other = Jms.context(broker)) {
            Session one = connection.createSession();
            Session two = connection.createSession();
            TemporaryTopic topic = one.createTemporaryTopic();
            MessageConsumer first = one.createConsumer(topic);
            MessageConsumer second = two.createConsumer(topic);

            other.createProducer().send(topic, "for both");

            assertThat(first.receive(Jms.RECEIVE_MS).getBody(String.class)).isEqualTo("for both");
            assertThat(second.receive(Jms.RECEIVE_MS).getBody(String.class)).isEqualTo("for both");
        }
    }

    @Test
    @DisplayName("another connection may send to it, not consume from it; here the broker says so, not the client")
    void otherConnectionsMayNotConsume() {
        try (JMSContext owner = Jms.context(broker);
                JMSContext other = Jms.context(broker)) {
            String name = nameOf(owner.createTemporaryQueue());

            assertThatThrownBy(() -> other.createConsumer(other.createQueue(name)))
                    .isInstanceOf(JMSRuntimeException.class);
        }
    }

    @Test
    void sendingAfterDeletionFails() throws Exception {
        try (Connection connection = Jms.connection(broker);
                JMSContext other = Jms.context(broker)) {
            Session session = connection.createSession();
            TemporaryQueue queue = session.createTemporaryQueue();
            other.createProducer().send(queue, "while it lives");
            queue.delete();

            assertThatThrownBy(() -> other.createProducer().send(queue, "too late"))
                    .isInstanceOf(JMSRuntimeException.class);
            assertThatThrownBy(() -> session.createConsumer(queue)).isInstanceOf(JMSException.class);
        }
    }

    @Test
    void itGoesWithItsConnection() throws Exception {
        TemporaryQueue queue;
        try (JMSContext owner = Jms.context(broker)) {
            queue = owner.createTemporaryQueue();
        }
        try (JMSContext other = Jms.context(broker)) {
            Destination gone = queue;
            assertThatThrownBy(() -> other.createProducer().send(gone, "too late"))
                    .isInstanceOf(JMSRuntimeException.class);
        }
    }

    private static String nameOf(TemporaryQueue queue) {
        try {
            return queue.getQueueName();
        } catch (JMSException e) {
            throw new AssertionError(e);
        }
    }
}
