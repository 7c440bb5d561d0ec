package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.admin.BrokerUrl;
import io.mainstem.launcher.admin.ManagementClient;
import jakarta.jms.Destination;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A message of a JMS producer that goes nowhere costs that message, not the producer. */
final class UnroutableSendTest {
    private static final String ADDRESS = "/exchanges/logs/k";

    private final EmbeddedBroker broker = EmbeddedBroker.builder().start();
    private final MainstemConnectionFactory factory =
            new MainstemConnectionFactory(broker.uri().toString());

    @AfterEach
    void stop() {
        broker.close();
    }

    private void ask(String method, String path, Map<String, Object> body) {
        try (ManagementClient client =
                ManagementClient.connect(BrokerUrl.parse(broker.uri().toString()), null, null)) {
            client.ask(method, path, body);
        }
    }

    private void bind() {
        ask("PUT", "/queues/q", Map.of());
        ask(
                "POST",
                "/bindings",
                Map.of("source", "logs", "destination_queue", "q", "binding_key", "k", "arguments", Map.of()));
    }

    @Test
    @DisplayName("a producer sends again once something is bound; the same of the one without a destination")
    void aProducerGoesOn() throws JMSException {
        ask("PUT", "/exchanges/logs", Map.of("type", "direct"));
        try (var connection = factory.createConnection();
                Session session = connection.createSession()) {
            Destination logs = session.createTopic(ADDRESS);
            MessageProducer fixed = session.createProducer(logs);
            MessageProducer anonymous = session.createProducer(null);
            assertThatThrownBy(() -> fixed.send(session.createTextMessage("1"))).hasMessageContaining("MS-0713");
            assertThatThrownBy(() -> anonymous.send(logs, session.createTextMessage("2")))
                    .hasMessageContaining("MS-0713");

            bind();
            fixed.send(session.createTextMessage("3"));
            anonymous.send(logs, session.createTextMessage("4"));
        }
        try (JMSContext context = factory.createContext()) {
            var consumer = context.createConsumer(context.createQueue("q"));
            assertThat(consumer.receiveBody(String.class, 60_000)).isEqualTo("3");
            assertThat(consumer.receiveBody(String.class, 60_000)).isEqualTo("4");
        }
    }

    @Test
    @DisplayName("a producer of a context goes on, too")
    void aContextGoesOn() {
        ask("PUT", "/exchanges/logs", Map.of("type", "direct"));
        try (JMSContext context = factory.createContext()) {
            var producer = context.createProducer();
            var logs = context.createTopic(ADDRESS);
            assertThatThrownBy(() -> producer.send(logs, "1"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("MS-0713");

            bind();
            producer.send(logs, "2");

            assertThat(context.createConsumer(context.createQueue("q")).receiveBody(String.class, 60_000))
                    .isEqualTo("2");
        }
    }
}
