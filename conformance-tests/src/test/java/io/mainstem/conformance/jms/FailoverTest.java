package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.TransactionRolledBackException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A lost connection, with failover and without. */
final class FailoverTest {
    private CutProxy proxy;

    @BeforeEach
    void begin() throws Exception {
        proxy = new CutProxy(TestBroker.shared().port());
    }

    @AfterEach
    void end() throws Exception {
        proxy.close();
    }

    private Connection failover() throws JMSException {
        Connection connection = new MainstemConnectionFactory(
                        "failover:(amqp://127.0.0.1:" + proxy.port() + ")?failover.maxReconnectDelay=50")
                .createConnection();
        connection.start();
        return connection;
    }

    private static List<String> numbered(int count) {
        return IntStream.range(0, count).mapToObj(i -> "m" + i).toList();
    }

    @Test
    void whatIsSentOverCutConnectionsIsStoredOnceAndInOrder() throws Exception {
        try (Connection connection = failover();
                Connection direct = JmsClient.MAINSTEM_AMQP.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("failover"));
            MessageProducer producer = session.createProducer(queue);
            for (int i = 0; i < 600; i++) {
                if (i % 100 == 50) {
                    CompletableFuture<Void> cut = CompletableFuture.runAsync(proxy::cut);
                    producer.send(session.createTextMessage("m" + i));
                    cut.get(60, TimeUnit.SECONDS);
                } else {
                    producer.send(session.createTextMessage("m" + i));
                }
            }
            direct.start();
            MessageConsumer consumer = direct.createSession().createConsumer(queue);
            assertThat(QueueTest.bodies(consumer, 600)).isEqualTo(numbered(600));
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
        }
    }

    @Test
    void consumersGoOnAndWhatWasNotAcknowledgedComesAgain() throws Exception {
        try (Connection connection = failover();
                Connection direct = JmsClient.MAINSTEM_AMQP.factory().createConnection()) {
            Session filling = direct.createSession();
            Queue queue = filling.createQueue(Names.unique("failover"));
            MessageProducer producer = filling.createProducer(queue);
            for (String body : numbered(20)) {
                producer.send(filling.createTextMessage(body));
            }
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(QueueTest.bodies(consumer, 5)).isEqualTo(numbered(5));
            proxy.cut();
            List<String> again = new ArrayList<>();
            Message last = null;
            while (again.size() < 20) {
                last = consumer.receive(Names.WAIT_MS);
                assertThat(last).isNotNull();
                String body = ((TextMessage) last).getText();
                if (body.equals("m0")) {
                    again.clear(); // What was prefetched before the cut was still delivered.
                }
                again.add(body);
            }
            assertThat(again).isEqualTo(numbered(20));
            last.acknowledge();
        }
    }

    @Test
    @DisplayName("A send whose answer is lost says that it is in doubt, and what to do; each cause stands once")
    void aSendWhoseAnswerIsLostIsInDoubt() throws Exception {
        try (Connection connection =
                new MainstemConnectionFactory("amqp://127.0.0.1:" + proxy.port()).createConnection()) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue(Names.unique("doubt")));
            CompletableFuture<Exception> told = new CompletableFuture<>();
            proxy.mute(true);
            producer.send(session.createTextMessage("x"), new CompletionListener() {
                @Override
                public void onCompletion(Message message) {
                    told.complete(new IllegalStateException("there was no answer"));
                }

                @Override
                public void onException(Message message, Exception failure) {
                    told.complete(failure);
                }
            });
            proxy.cut();
            Exception failure = told.get(60, TimeUnit.SECONDS);
            assertThat(failure)
                    .isInstanceOf(JMSException.class)
                    .hasMessageStartingWith("MS-0704 the connection to amqp://127.0.0.1:" + proxy.port())
                    .hasMessageContaining("the message to jms.doubt.")
                    .hasMessageContaining("is in doubt: it may be stored or not; fix: connect again and look");
            List<String> texts = new ArrayList<>();
            for (Throwable each = failure; each != null; each = each.getCause()) {
                texts.add(each.toString());
            }
            assertThat(texts).doesNotHaveDuplicates();
        }
    }

    @Test
    void aTransactionThatWasCutIsRolledBackAndTheNextOneWorks() throws Exception {
        try (Connection connection = failover()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            Queue queue = session.createQueue(Names.unique("failover"));
            MessageProducer producer = session.createProducer(queue);
            producer.send(session.createTextMessage("lost"));
            proxy.refuse(true);
            proxy.cut();
            assertThatThrownBy(session::commit).isInstanceOf(TransactionRolledBackException.class);
            proxy.refuse(false);
            producer.send(session.createTextMessage("kept"));
            session.commit();
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(QueueTest.bodies(consumer, 1)).containsExactly("kept");
            session.commit();
        }
    }

    @Test
    void withoutFailoverEveryWaitingCallEndsAndTheListenerIsToldOnce() throws Exception {
        try (Connection connection =
                new MainstemConnectionFactory("amqp://127.0.0.1:" + proxy.port()).createConnection()) {
            connection.start();
            CompletableFuture<JMSException> told = new CompletableFuture<>();
            connection.setExceptionListener(told::complete);
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("lost"));
            MessageConsumer consumer = session.createConsumer(queue);
            CompletableFuture<Throwable> received = CompletableFuture.supplyAsync(() -> {
                try {
                    return new AssertionError("received " + consumer.receive());
                } catch (JMSException e) {
                    return e;
                }
            });
            proxy.cut();
            assertThat(told.get(60, TimeUnit.SECONDS)).hasMessageContaining("MS-0704");
            assertThat(received.get(60, TimeUnit.SECONDS)).isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> session.createProducer(queue)).isInstanceOf(JMSException.class);
        }
    }

    @Test
    void nobodyThereIsToldInTime() {
        assertThatThrownBy(() -> new MainstemConnectionFactory(
                                "failover:(amqp://127.0.0.1:1)?failover.startupMaxReconnectAttempts=2")
                        .createConnection())
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("MS-0702");
        assertThatThrownBy(() -> new MainstemConnectionFactory("amqp://no-such-host.invalid").createConnection())
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("no-such-host.invalid");
    }
}
