package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a producer sets, what the broker makes of it, and how asynchronous sends end. */
@WithBroker
final class JmsSendTest {
    private final BrokerAddress broker;
    private Connection connection;
    private Session session;
    private Queue queue;

    JmsSendTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @BeforeEach
    void connect() throws JMSException {
        connection = Jms.connection(broker);
        session = connection.createSession();
        queue = session.createQueue(Jms.uniqueName("queue"));
    }

    @AfterEach
    void close() throws JMSException {
        connection.close();
    }

    private Message receive() throws JMSException {
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            Message received = consumer.receive(Jms.RECEIVE_MS);
            assertThat(received).isNotNull();
            return received;
        }
    }

    @Test
    @DisplayName(
            "[M-4] Jakarta Messaging 3.4.9: a message with a time to live tells when it expires; one without never does")
    void timeToLive() throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        producer.setTimeToLive(60_000);
        long before = System.currentTimeMillis();
        producer.send(session.createMessage());
        long after = System.currentTimeMillis();

        assertThat(receive().getJMSExpiration()).isBetween(before + 60_000, after + 60_000);

        producer.setTimeToLive(0);
        producer.send(session.createMessage());
        assertThat(receive().getJMSExpiration()).isZero();
    }

    @Test
    @DisplayName("[M-5] a time to live beyond 32 bits of milliseconds is kept")
    void longTimeToLive() throws JMSException {
        long fiftyDays = 50L * 24 * 3_600_000;
        MessageProducer producer = session.createProducer(queue);
        producer.setTimeToLive(fiftyDays);
        long before = System.currentTimeMillis();
        producer.send(session.createMessage());
        long after = System.currentTimeMillis();

        assertThat(receive().getJMSExpiration()).isBetween(before + fiftyDays, after + fiftyDays);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
    @DisplayName("Jakarta Messaging 3.4.10: every priority arrives as it was set")
    void priority(int priority) throws JMSException {
        session.createProducer(queue).send(session.createMessage(), DeliveryMode.NON_PERSISTENT, priority, 0);

        Message received = receive();
        assertThat(received.getJMSPriority()).isEqualTo(priority);
        assertThat(received.getJMSDeliveryMode()).isEqualTo(DeliveryMode.NON_PERSISTENT);
    }

    @Test
    @DisplayName("Jakarta Messaging 3.4.12: what a client sets in the headers of send is overwritten by the producer's")
    void headersOfSend() throws JMSException {
        Message message = session.createMessage();
        message.setJMSPriority(9);
        message.setJMSDeliveryMode(DeliveryMode.NON_PERSISTENT);
        message.setJMSMessageID("ID:of-my-own");

        session.createProducer(queue).send(message);

        Message received = receive();
        assertThat(received.getJMSPriority()).isEqualTo(Message.DEFAULT_PRIORITY);
        assertThat(received.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
        assertThat(received.getJMSMessageID()).isNotEqualTo("ID:of-my-own").isEqualTo(message.getJMSMessageID());
    }

    @Test
    @DisplayName("Jakarta Messaging 7.5, 7.6: message ids and timestamps can be left out")
    void withoutIdAndTimestamp() throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        producer.setDisableMessageID(true);
        producer.setDisableMessageTimestamp(true);

        producer.send(session.createMessage());

        Message received = receive();
        assertThat(received.getJMSMessageID()).isNull();
        assertThat(received.getJMSTimestamp()).isZero();
    }

    @Test
    @DisplayName("Jakarta Messaging 3.4.1, 3.4.6: destination and reply-to arrive as what they were, queue or topic")
    void destinations() throws JMSException {
        Topic replies = session.createTopic(Jms.uniqueName("topic"));
        Message message = session.createMessage();
        message.setJMSReplyTo(replies);
        session.createProducer(queue).send(message);

        Message received = receive();

        assertThat(received.getJMSDestination()).isInstanceOf(Queue.class).isEqualTo(queue);
        assertThat(received.getJMSReplyTo()).isInstanceOf(Topic.class).isEqualTo(replies);
    }

    @Test
    @DisplayName("[A-9] a producer without destination sends each message where it says")
    void unidentifiedProducer() throws JMSException {
        MessageProducer producer = session.createProducer(null);
        producer.send(queue, session.createTextMessage("by name"));

        assertThat(receive().getBody(String.class)).isEqualTo("by name");
        assertThatThrownBy(() -> producer.send(session.createMessage()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> producer.send((Destination) null, session.createMessage()))
                .isInstanceOf(InvalidDestinationException.class);
    }

    @Test
    @DisplayName("Jakarta Messaging 3.4.13: a delivery delay shows in the delivery time; without one it is the send's")
    void deliveryTime() throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryDelay(300);
        long before = System.currentTimeMillis();
        producer.send(session.createMessage());
        long after = System.currentTimeMillis();

        Message received = receive();

        assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(before + 300);
        assertThat(received.getJMSDeliveryTime()).isBetween(before + 300, after + 300);
    }

    // ---- asynchronous ----------------------------------------------------------------------------------------

    private static final class Completions implements CompletionListener {
        private final BlockingQueue<Object> ended = new LinkedBlockingQueue<>();

        @Override
        public void onCompletion(Message message) {
            ended.add(message);
        }

        @Override
        public void onException(Message message, Exception exception) {
            ended.add(exception);
        }

        Object next() throws InterruptedException {
            Object next = ended.poll(Jms.RECEIVE_MS, TimeUnit.MILLISECONDS);
            assertThat(next).as("completion").isNotNull();
            return next;
        }
    }

    @Test
    @DisplayName("Jakarta Messaging 7.3: asynchronous sends complete once each, in order, when the broker has them")
    void asyncInOrder() throws Exception {
        Completions completions = new Completions();
        MessageProducer producer = session.createProducer(queue);
        List<Message> sent = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            Message message = session.createTextMessage("m" + i);
            sent.add(message);
            producer.send(message, completions);
        }

        for (Message message : sent) {
            assertThat(completions.next()).isSameAs(message);
        }
        try (JMSContext other = Jms.context(broker)) {
            assertThat(Jms.receiveBodies(other.createConsumer(queue), 500))
                    .startsWith("m0", "m1")
                    .endsWith("m499");
        }
    }

    @Test
    @DisplayName("Jakarta Messaging 7.3.3: closing a session waits for its asynchronous sends")
    void closeWaits() throws Exception {
        Completions completions = new Completions();
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < 100; i++) {
            producer.send(session.createTextMessage("m" + i), completions);
        }

        session.close();

        assertThat(completions.ended).hasSize(100).allMatch(Message.class::isInstance);
    }

    @Test
    @DisplayName("Jakarta Messaging 7.3.2: an asynchronous send that is refused ends in onException, the others do not")
    void refusedAsync() throws Exception {
        Completions completions = new Completions();
        MessageProducer relay = session.createProducer(null);
        relay.send(queue, session.createTextMessage("fine"), completions);
        assertThat(completions.next()).isInstanceOf(Message.class);

        relay.send(session.createQueue("/queues/missing"), session.createTextMessage("lost"), completions);

        assertThat(completions.next())
                .isInstanceOf(JMSException.class)
                .asString()
                .contains("no queue 'missing'");
        relay.send(queue, session.createTextMessage("fine again"), completions);
        assertThat(completions.next()).isInstanceOf(Message.class);
    }
}
