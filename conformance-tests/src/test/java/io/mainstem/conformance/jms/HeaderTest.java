package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Header fields, and what may be done to a message after it was sent or received (Jakarta Messaging 3.4, 3.9, 3.10). */
final class HeaderTest {
    private Connection connection;
    private Session session;
    private Queue queue;
    private MessageProducer producer;
    private MessageConsumer consumer;

    private void open(JmsClient client) throws JMSException {
        connection = client.factory().createConnection();
        connection.start();
        session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        queue = session.createQueue(Names.unique("header"));
        producer = session.createProducer(queue);
        consumer = session.createConsumer(queue);
    }

    @AfterEach
    void close() throws JMSException {
        connection.close();
    }

    private Message passed(Message message) throws JMSException {
        producer.send(message);
        return consumer.receive(Names.WAIT_MS);
    }

    @AllClients
    @Clause({"3.4.5", "3.4.8", "7.6", "Message.setJMSCorrelationID", "Message.setJMSType"})
    void correlationIdAndTypeAreTheClients(JmsClient client) throws Exception {
        open(client);
        Message message = session.createMessage();
        message.setJMSCorrelationID("order 7");
        message.setJMSType("quote");
        Message received = passed(message);
        assertThat(received.getJMSCorrelationID()).isEqualTo("order 7");
        assertThat(received.getJMSType()).isEqualTo("quote");

        Message bare = passed(session.createMessage());
        assertThat(bare.getJMSCorrelationID()).isNull();
        assertThat(bare.getJMSType()).isNull();
        assertThat(bare.getJMSReplyTo()).isNull();

        Message related = session.createMessage();
        related.setJMSCorrelationID(bare.getJMSMessageID());
        assertThat(passed(related).getJMSCorrelationID()).isEqualTo(bare.getJMSMessageID());
    }

    @AllClients
    @Clause({"3.4.5", "Message.setJMSCorrelationIDAsBytes"})
    void aCorrelationIdMayBeBytes(JmsClient client) throws Exception {
        open(client);
        byte[] bytes = "\u0000\u0001native".getBytes(StandardCharsets.ISO_8859_1);
        Message message = session.createMessage();
        message.setJMSCorrelationIDAsBytes(bytes);
        assertThat(passed(message).getJMSCorrelationIDAsBytes()).isEqualTo(bytes);
    }

    @AllClients
    @Clause({"3.4.6", "Message.setJMSReplyTo"})
    void replyToMayBeEveryKindOfDestination(JmsClient client) throws Exception {
        open(client);
        for (Destination reply : List.of(
                session.createQueue("answers"),
                session.createTopic("answers"),
                session.createTemporaryQueue(),
                session.createTemporaryTopic())) {
            Message message = session.createMessage();
            message.setJMSReplyTo(reply);
            assertThat(passed(message).getJMSReplyTo()).isEqualTo(reply);
        }
    }

    @AllClients
    @Clause({"3.4.7", "3.5.11", "Message.getJMSRedelivered"})
    void theFirstDeliveryIsNumberOneAndNotMarked(JmsClient client) throws Exception {
        open(client);
        Message message = session.createMessage();
        message.setJMSRedelivered(true);
        Message received = passed(message);
        assertThat(received.getJMSRedelivered()).isFalse();
        assertThat(received.getIntProperty("JMSXDeliveryCount")).isEqualTo(1);
        session.recover();
        Message again = consumer.receive(Names.WAIT_MS);
        assertThat(again.getJMSRedelivered()).isTrue();
        assertThat(again.getIntProperty("JMSXDeliveryCount")).isEqualTo(2);
    }

    @AllClients
    @Clause("3.4.3")
    void messageIdsAreUniqueAndHaveTheirPrefix(JmsClient client) throws Exception {
        open(client);
        Message message = session.createMessage();
        producer.send(message);
        String first = message.getJMSMessageID();
        producer.send(message);
        assertThat(first).startsWith("ID:").isNotEqualTo(message.getJMSMessageID());
        assertThat(consumer.receive(Names.WAIT_MS).getJMSMessageID()).isEqualTo(first);
        assertThat(consumer.receive(Names.WAIT_MS).getJMSMessageID()).isEqualTo(message.getJMSMessageID());
    }

    @AllClients
    @Clause({"3.4.9", "7.8", "MessageProducer.setTimeToLive"})
    void expirationIsCountedFromTheSendAndNotFromTheCommit(JmsClient client) throws Exception {
        open(client);
        Session transacted = connection.createSession(Session.SESSION_TRANSACTED);
        MessageProducer late = transacted.createProducer(queue);
        late.setTimeToLive(60_000);
        Message message = transacted.createMessage();
        late.send(message);
        assertThat(message.getJMSExpiration()).isEqualTo(message.getJMSTimestamp() + 60_000);
        transacted.commit();
        assertThat(consumer.receive(Names.WAIT_MS).getJMSExpiration()).isEqualTo(message.getJMSExpiration());

        late.setTimeToLive(0);
        late.send(message);
        transacted.commit();
        assertThat(message.getJMSExpiration()).isZero();
        assertThat(consumer.receive(Names.WAIT_MS).getJMSExpiration()).isZero();
    }

    @AllClients
    @Clause({"3.4.13", "7.9", "MessageProducer.setDeliveryDelay", "Message.getJMSDeliveryTime"})
    void deliveryTimeIsTheSendAndTheDelay(JmsClient client) throws Exception {
        open(client);
        producer.setDeliveryDelay(50);
        assertThat(producer.getDeliveryDelay()).isEqualTo(50);
        Message message = session.createMessage();
        Message received = passed(message);
        assertThat(message.getJMSDeliveryTime()).isCloseTo(message.getJMSTimestamp() + 50, within(1L));
        assertThat(received.getJMSDeliveryTime()).isEqualTo(message.getJMSDeliveryTime());
        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(received.getJMSDeliveryTime());

        producer.setDeliveryDelay(0);
        passed(message);
        assertThat(message.getJMSDeliveryTime()).isCloseTo(message.getJMSTimestamp(), within(1L));
    }

    @AllClients
    @Clause({"7.4", "MessageProducer.send", "MessageProducer.setPriority", "MessageProducer.setDeliveryMode"})
    void whatTheSendCallSaysGoesOverTheProducer(JmsClient client) throws Exception {
        open(client);
        assertThat(producer.getDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
        assertThat(producer.getPriority()).isEqualTo(Message.DEFAULT_PRIORITY);
        assertThat(producer.getTimeToLive()).isZero();
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        producer.setPriority(9);
        producer.setTimeToLive(60_000);
        Message byProducer = passed(session.createMessage());
        assertThat(byProducer.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
        assertThat(byProducer.getJMSPriority()).isEqualTo(9);
        assertThat(byProducer.getJMSExpiration()).isPositive();
        producer.send(session.createMessage(), DeliveryMode.PERSISTENT, 2, 0);
        Message byCall = consumer.receive(Names.WAIT_MS);
        assertThat(byCall.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
        assertThat(byCall.getJMSPriority()).isEqualTo(2);
        assertThat(byCall.getJMSExpiration()).isZero();
    }

    @AllClients
    @Clause("3.9")
    void theSenderMayChangeAndSendTheMessageAgain(JmsClient client) throws Exception {
        open(client);
        TextMessage message = session.createTextMessage("one");
        message.setStringProperty("p", "one");
        producer.send(message);
        message.setText("two");
        message.setStringProperty("p", "two");
        producer.send(message);
        for (String expected : List.of("one", "two")) {
            TextMessage received = (TextMessage) consumer.receive(Names.WAIT_MS);
            assertThat(received.getText()).isEqualTo(expected);
            assertThat(received.getStringProperty("p")).isEqualTo(expected);
        }
    }

    @AllClients
    @Clause({"3.10", "3.5.3", "3.5.7", "3.11.1", "3.11.2", "Message.clearProperties", "Message.clearBody"})
    void aReceivedMessageIsReadOnlyUntilCleared(JmsClient client) throws Exception {
        open(client);
        TextMessage message = session.createTextMessage("body");
        message.setIntProperty("n", 1);
        TextMessage received = (TextMessage) passed(message);
        received.setJMSType("header fields can be changed");
        assertThatThrownBy(() -> received.setIntProperty("n", 2)).isInstanceOf(MessageNotWriteableException.class);
        assertThatThrownBy(() -> received.setText("x")).isInstanceOf(MessageNotWriteableException.class);
        received.clearProperties();
        assertThat(received.propertyExists("n")).isFalse();
        assertThat(received.getText()).isEqualTo("body");
        received.setIntProperty("n", 2);
        assertThatThrownBy(() -> received.setText("x")).isInstanceOf(MessageNotWriteableException.class);
        received.clearBody();
        assertThat(received.getText()).isNull();
        assertThat(received.getIntProperty("n")).isEqualTo(2);
        received.setText("x");

        session.recover();
        TextMessage again = (TextMessage) consumer.receive(Names.WAIT_MS);
        assertThat(again.getText()).isEqualTo("body");
        assertThat(again.getIntProperty("n")).isEqualTo(1);
        assertThat(again.getJMSType()).isNull();
    }
}
