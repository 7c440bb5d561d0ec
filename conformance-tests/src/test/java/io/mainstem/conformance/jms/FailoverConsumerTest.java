package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import jakarta.jms.TransactionRolledBackException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What consumers see of a connection that is lost and made again. */
final class FailoverConsumerTest {
    private CutProxy proxy;
    private Connection connection;
    private Connection direct;
    private Session other;

    @BeforeEach
    void connect() throws Exception {
        proxy = new CutProxy(TestBroker.shared().port());
        connection = new MainstemConnectionFactory(
                        "failover:(amqp://127.0.0.1:" + proxy.port() + ")?failover.maxReconnectDelay=50")
                .createConnection();
        connection.start();
        direct = JmsClient.MAINSTEM_AMQP.factory().createConnection();
        direct.start();
        other = direct.createSession();
    }

    @AfterEach
    void disconnect() throws Exception {
        connection.close();
        direct.close();
        proxy.close();
    }

    private void send(Destination destination, String text) throws JMSException {
        try (MessageProducer producer = other.createProducer(destination)) {
            producer.send(other.createTextMessage(text));
        }
    }

    private static String text(Message message) throws JMSException {
        return ((TextMessage) message).getText();
    }

    @Test
    @DisplayName("A listener goes on: what is sent after the loss arrives, and what it had done does not come again")
    void listenersGoOn() throws Exception {
        Session session = connection.createSession();
        Queue queue = session.createQueue(Names.unique("failover"));
        Set<String> seen = ConcurrentHashMap.newKeySet();
        session.createConsumer(queue).setMessageListener(message -> {
            try {
                seen.add(text(message) + (message.getJMSRedelivered() ? " again" : ""));
            } catch (JMSException e) {
                throw new java.lang.IllegalStateException(e);
            }
        });
        send(queue, "before");
        await().atMost(30, TimeUnit.SECONDS).until(() -> seen.contains("before"));

        proxy.cut();
        send(queue, "after");

        await().atMost(30, TimeUnit.SECONDS).until(() -> seen.stream().anyMatch(text -> text.startsWith("after")));
    }

    @Test
    @DisplayName("A receive call that waits goes on waiting, and gets what is sent after the loss")
    void aBlockedReceiveGoesOn() throws Exception {
        Session session = connection.createSession();
        Queue queue = session.createQueue(Names.unique("failover"));
        MessageConsumer consumer = session.createConsumer(queue);
        CompletableFuture<String> received = CompletableFuture.supplyAsync(() -> {
            try {
                return text(consumer.receive());
            } catch (JMSException e) {
                return e.toString();
            }
        });

        proxy.cut();
        send(queue, "after");

        assertThat(received.get(20, TimeUnit.SECONDS)).isEqualTo("after");
    }

    @Test
    @DisplayName("What was prefetched and not seen is the broker's again: it comes once")
    void whatWasPrefetchedComesOnce() throws Exception {
        Session session = connection.createSession();
        Queue queue = session.createQueue(Names.unique("failover"));
        for (int i = 0; i < 20; i++) {
            send(queue, "m" + i);
        }
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(QueueTest.bodies(consumer, 1)).containsExactly("m0");
        MessageConsumer elsewhere = other.createConsumer(queue);
        proxy.refuse(true);
        proxy.cut();

        assertThat(QueueTest.bodies(elsewhere, 1)).isNotEmpty(); // The broker has them back.
        await().atMost(30, TimeUnit.SECONDS)
                .untilAsserted(() -> assertThat(consumer.receiveNoWait()).isNull());
        elsewhere.close();
        proxy.refuse(false);
        assertThat(QueueTest.bodies(consumer, 18)).hasSize(18).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("What comes in a transaction that the loss has ended comes again after its end")
    void messagesOfALostTransactionComeAgain() throws Exception {
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue(Names.unique("failover"));
        send(queue, "work");
        MessageConsumer consumer = session.createConsumer(queue);
        assertThat(text(consumer.receive(Names.WAIT_MS))).isEqualTo("work");

        proxy.cut();

        assertThat(text(consumer.receive(Names.WAIT_MS))).isEqualTo("work");
        assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class);
        Message again = consumer.receive(Names.WAIT_MS);
        assertThat(text(again)).isEqualTo("work");
        assertThat(again.getJMSRedelivered()).isTrue();
        session.commit();
        assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
    }

    @Test
    @DisplayName("CLIENT_ACKNOWLEDGE: an acknowledge after the loss is for what came after it; the rest comes again")
    void acknowledgeIsForWhatCameAfterTheLoss() throws Exception {
        Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
        Queue queue = session.createQueue(Names.unique("failover"));
        send(queue, "work");
        MessageConsumer consumer = session.createConsumer(queue);
        Message before = consumer.receive(Names.WAIT_MS);
        proxy.cut();
        Message again = consumer.receive(Names.WAIT_MS);
        assertThat(text(again)).isEqualTo("work");
        assertThat(again.getJMSRedelivered()).isTrue();

        before.acknowledge();

        session.recover();
        assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
    }

    @Test
    @DisplayName("Temporary destinations are made again with their names: answers to requests from before arrive")
    void temporaryDestinationsKeepTheirNames() throws Exception {
        Session session = connection.createSession();
        Queue queue = session.createTemporaryQueue();
        Topic topic = session.createTemporaryTopic();
        MessageConsumer answers = session.createConsumer(queue);
        MessageConsumer news = session.createConsumer(topic);

        proxy.cut();

        await().atMost(30, TimeUnit.SECONDS)
                .ignoreExceptionsInstanceOf(InvalidDestinationException.class)
                .until(() -> {
                    send(queue, "answer");
                    return true;
                });
        assertThat(QueueTest.bodies(answers, 1)).containsExactly("answer");
        await().atMost(30, TimeUnit.SECONDS)
                .ignoreExceptionsInstanceOf(InvalidDestinationException.class)
                .until(() -> {
                    send(topic, "news");
                    return news.receive(100) != null;
                });
        session.createConsumer(queue).close();
    }
}
