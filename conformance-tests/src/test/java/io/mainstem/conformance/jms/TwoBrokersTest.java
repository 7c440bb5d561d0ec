package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.conformance.BrokerProcess;
import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Failover to another broker, and to the same one after {@code kill -9}. */
final class TwoBrokersTest {
    private EmbeddedBroker second;

    @BeforeEach
    void start() {
        second = EmbeddedBroker.builder().set("amqp.sessions-max", "2").start();
    }

    @AfterEach
    void stop() {
        second.close();
    }

    private static Connection failover(String brokers) throws JMSException {
        Connection connection = new MainstemConnectionFactory(
                        "failover:(" + brokers + ")?failover.maxReconnectDelay=50")
                .createConnection();
        connection.start();
        return connection;
    }

    /** What a client of the second broker finds. */
    private String found(String queue) throws Exception {
        try (Connection connection = new MainstemConnectionFactory(second.uri().toString()).createConnection()) {
            connection.start();
            Session session = connection.createSession();
            return QueueTest.bodies(session.createConsumer(session.createQueue(queue)), 1)
                    .get(0);
        }
    }

    @Test
    @DisplayName("The broker dies: the client goes on at the next one of its URI")
    void theNextBrokerOfTheUri() throws Exception {
        EmbeddedBroker first = EmbeddedBroker.builder().start();
        try (Connection connection = failover(first.uri() + "," + second.uri())) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("orders"));

            first.crash();
            producer.send(session.createTextMessage("after"));

            assertThat(found("orders")).isEqualTo("after");
        } finally {
            first.close();
        }
    }

    @Test
    @DisplayName("failover-server-list: the client goes on at a broker that only the first one had named")
    void aBrokerThatTheFirstOneNamed() throws Exception {
        EmbeddedBroker first = EmbeddedBroker.builder()
                .set("amqp.failover-servers", "127.0.0.1:" + second.port())
                .start();
        try (Connection connection = failover(first.uri().toString())) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("orders"));

            first.crash();
            producer.send(session.createTextMessage("after"));

            assertThat(found("orders")).isEqualTo("after");
        } finally {
            first.close();
        }
    }

    @Test
    @DisplayName(
            "A session that the next broker refuses fails with the reason, a waiting receive too; the others go on")
    void aSessionThatTheNextBrokerRefuses() throws Exception {
        EmbeddedBroker first = EmbeddedBroker.builder().start();
        try (Connection connection = failover(first.uri() + "," + second.uri())) {
            Session session = connection.createSession();
            MessageProducer producer = session.createProducer(session.createQueue("orders"));
            connection.createSession();
            Session tooMany = connection.createSession();
            MessageConsumer consumer = tooMany.createConsumer(tooMany.createQueue("others"));
            CompletableFuture<Object> waiting = CompletableFuture.supplyAsync(() -> {
                try {
                    return String.valueOf(consumer.receive());
                } catch (JMSException e) {
                    return e;
                }
            });

            first.crash();

            assertThat(waiting.get(20, TimeUnit.SECONDS)).isInstanceOf(JMSException.class);
            assertThatThrownBy(() -> tooMany.createProducer(tooMany.createQueue("others")))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("session");
            producer.send(session.createTextMessage("after"));
            assertThat(found("orders")).isEqualTo("after");
        } finally {
            first.close();
        }
    }

    @Test
    @DisplayName("kill -9 in the middle of sending, and back at the same port: every message is there once, in order")
    void theSameBrokerAfterKill9(@TempDir Path folder) throws Exception {
        int count = 300;
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("broker"));
                Connection connection = failover(broker.address().uri())) {
            Session session = connection.createSession();
            Queue queue = session.createQueue("orders");
            MessageProducer producer = session.createProducer(queue);
            CompletableFuture<Void> killed = new CompletableFuture<>();
            for (int i = 0; i < count; i++) {
                if (i == count / 3) {
                    killed = CompletableFuture.runAsync(() -> {
                        broker.kill9();
                        broker.restartOnSamePort();
                    });
                }
                producer.send(session.createTextMessage("m" + i));
            }
            killed.get(60, TimeUnit.SECONDS);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(QueueTest.bodies(consumer, count))
                    .isEqualTo(IntStream.range(0, count).mapToObj(i -> "m" + i).toList());
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }
}
