package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Starting, stopping and closing connections, sessions, consumers and producers. */
@WithBroker
final class JmsLifecycleTest {
    private final BrokerAddress broker;
    private Connection connection;
    private Session session;
    private Queue queue;

    JmsLifecycleTest(BrokerAddress broker) {
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

    @Test
    @DisplayName("Jakarta Messaging 6.1.5: a stopped connection delivers nothing, and everything once it starts again")
    void stopAndStart() throws JMSException {
        MessageConsumer consumer = session.createConsumer(queue);
        MessageProducer producer = session.createProducer(queue);
        producer.send(session.createTextMessage("before"));
        assertThat(consumer.receive(Jms.RECEIVE_MS).getBody(String.class)).isEqualTo("before");

        connection.stop();
        producer.send(session.createTextMessage("meanwhile"));
        assertThat(consumer.receive(200)).isNull();
        assertThat(consumer.receiveNoWait()).isNull();

        connection.start();
        assertThat(consumer.receive(Jms.RECEIVE_MS).getBody(String.class)).isEqualTo("meanwhile");
    }

    @Test
    @DisplayName(
            "Jakarta Messaging 6.1.5: when stop has returned no listener is running, and none is called until start")
    void stopWaitsForListeners() throws JMSException {
        List<String> heard = new CopyOnWriteArrayList<>();
        MessageConsumer consumer = session.createConsumer(queue);
        consumer.setMessageListener(message -> heard.add(bodyOf(message)));
        send("1");
        await().atMost(Duration.ofMinutes(1)).until(() -> heard.contains("1"));

        connection.stop();
        send("2");
        try (JMSContext other = Jms.context(broker)) {
            Queue unrelated = other.createQueue(Jms.uniqueName("queue"));
            other.createProducer().send(unrelated, "round trip");
            Jms.receiveBodies(other.createConsumer(unrelated), 1);
        }
        assertThat(heard).containsExactly("1");

        connection.start();
        await().atMost(Duration.ofMinutes(1)).until(() -> heard.contains("2"));
    }

    @Test
    @DisplayName("Jakarta Messaging 8.2: a receive that waits ends with null when its consumer is closed")
    void closeWakesReceive() throws Exception {
        MessageConsumer consumer = session.createConsumer(queue);
        CompletableFuture<Message> receiving = new CompletableFuture<>();
        Thread receiver = new Thread(() -> {
            try {
                receiving.complete(consumer.receive());
            } catch (JMSException closed) {
                receiving.completeExceptionally(closed);
            }
        });
        receiver.start();
        await().atMost(Duration.ofMinutes(1)).until(() -> receiver.getState() == Thread.State.WAITING);

        consumer.close();

        assertThat(receiving.get(Jms.RECEIVE_MS, TimeUnit.MILLISECONDS)).isNull();
    }

    @Test
    @DisplayName("Jakarta Messaging 6.2.15: what belongs to a closed session is closed; only closing again is allowed")
    void closedSession() throws JMSException {
        MessageConsumer consumer = session.createConsumer(queue);
        MessageProducer producer = session.createProducer(queue);

        session.close();
        session.close();

        assertThatThrownBy(() -> consumer.receive(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> producer.send(queue, null)).isInstanceOf(JMSException.class);
        assertThatThrownBy(() -> session.createConsumer(queue)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("Jakarta Messaging 6.1.8: closing a connection twice is closing it once; it is of no use then")
    void closedConnection() throws JMSException {
        connection.close();
        connection.close();

        assertThatThrownBy(() -> connection.createSession()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(connection::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("Jakarta Messaging 6.1.2: a client identifier is set before the connection is used, and once")
    void clientIdentifier() throws JMSException {
        assertThatThrownBy(() -> connection.setClientID("too late")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("Jakarta Messaging 6.1.6: the connection's metadata tell the versions and the JMSX properties")
    void metadata() throws JMSException {
        assertThat(connection.getMetaData().getJMSMajorVersion()).isGreaterThanOrEqualTo(2);
        Enumeration<?> names = connection.getMetaData().getJMSXPropertyNames();
        assertThat(Collections.list(names).stream().map(String::valueOf))
                .contains("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount");
    }

    @Test
    @DisplayName("Jakarta Messaging 8.7: a consumer is asked for messages or called with them, not both")
    void listenerOrReceive() throws JMSException {
        MessageConsumer consumer = session.createConsumer(queue);
        consumer.setMessageListener(message -> {});

        assertThatThrownBy(() -> consumer.receive(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(consumer::receiveNoWait).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("Jakarta Messaging 6.2.7: one session calls its listeners one after the other")
    void listenersAreSerial() throws JMSException {
        Queue second = session.createQueue(Jms.uniqueName("queue"));
        List<String> events = new CopyOnWriteArrayList<>();
        for (Queue each : List.of(queue, second)) {
            session.createConsumer(each).setMessageListener(message -> {
                events.add("in");
                events.add("out");
            });
        }
        try (Connection other = Jms.connection(broker)) {
            Session sending = other.createSession();
            for (int i = 0; i < 20; i++) {
                sending.createProducer(i % 2 == 0 ? queue : second).send(sending.createMessage());
            }
        }

        await().atMost(Duration.ofMinutes(1)).until(() -> events.size() == 40);
        for (int i = 0; i < 40; i += 2) {
            assertThat(events.subList(i, i + 2)).containsExactly("in", "out");
        }
    }

    @Test
    @DisplayName("Jakarta Messaging 8.2: a closed consumer's messages go to the others of its queue")
    void closedConsumersMessages() throws JMSException {
        MessageConsumer first = session.createConsumer(queue);
        send("1", "2", "3");
        assertThat(first.receive(Jms.RECEIVE_MS).getBody(String.class)).isEqualTo("1");

        first.close();

        MessageConsumer second = session.createConsumer(queue);
        assertThat(second.receive(Jms.RECEIVE_MS).getBody(String.class)).isEqualTo("2");
        Message third = second.receive(Jms.RECEIVE_MS);
        assertThat(third.getBody(String.class)).isEqualTo("3");
        assertThat(third.getJMSRedelivered()).isFalse();
    }

    private static String bodyOf(Message message) {
        try {
            return message.getBody(String.class);
        } catch (JMSException e) {
            throw new AssertionError(e);
        }
    }

    private void send(String... bodies) throws JMSException {
        try (Connection other = Jms.connection(broker)) {
            Session sending = other.createSession();
            MessageProducer producer = sending.createProducer(queue);
            for (String body : bodies) {
                producer.send(sending.createTextMessage(body));
            }
        }
    }
}
