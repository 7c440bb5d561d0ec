package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.InvalidClientIDRuntimeException;
import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.InvalidSelectorRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Queue;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the broker does not do, it refuses by the standard's error, and the connection goes on. */
@WithBroker
final class JmsRefusalTest {
    private final BrokerAddress broker;
    private JMSContext context;

    JmsRefusalTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @BeforeEach
    void connect() {
        context = Jms.context(broker, "jms.clientID=refused-" + UUID.randomUUID());
    }

    @AfterEach
    void theConnectionWorksAfterARefusal() {
        try (JMSContext same = context) {
            Queue queue = same.createQueue(Jms.uniqueName("queue"));
            JMSConsumer consumer = same.createConsumer(queue);
            same.createProducer().send(queue, "goes on");
            assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("goes on");
        }
    }

    @Test
    @DisplayName("Jakarta Messaging 3.8.1: a selector that is none is refused when the consumer is created")
    void invalidSelectors() {
        assertThatThrownBy(() -> context.createConsumer(context.createQueue(Jms.uniqueName("queue")), "a = "))
                .isInstanceOf(InvalidSelectorRuntimeException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/queues/not-there", "/exchanges/not-there/key"})
    void missingNodes(String address) {
        assertThatThrownBy(() -> context.createConsumer(context.createQueue(address)))
                .isInstanceOf(InvalidDestinationRuntimeException.class)
                .hasMessageContaining("not-there");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/queues/a b", "/queues/%zz", "/queues/", "/exchanges/"})
    void malformedAddresses(String address) {
        assertThatThrownBy(() -> context.createConsumer(context.createQueue(address)))
                .isInstanceOf(JMSRuntimeException.class)
                .hasMessageContaining("amqp:invalid-field");
    }

    @Test
    @DisplayName("sending to a topic name with a wildcard word [A-12]")
    void publishingToAPattern() {
        assertThatThrownBy(() -> context.createProducer().send(context.createTopic("a.*"), "x"))
                .isInstanceOf(JMSRuntimeException.class);
    }

    @Test
    @DisplayName("a client id in use [mapping 4.2]")
    void duplicateClientId() {
        String clientId = "twice-" + UUID.randomUUID();
        try (JMSContext first = Jms.context(broker, "jms.clientID=" + clientId)) {
            first.start();
            assertThatThrownBy(() ->
                            Jms.context(broker, "jms.clientID=" + clientId).start())
                    .isInstanceOf(InvalidClientIDRuntimeException.class);
        }
    }

    @Test
    void unsubscribingAnUnknownName() {
        assertThatThrownBy(() -> context.unsubscribe("never-seen"))
                .isInstanceOf(InvalidDestinationRuntimeException.class);
    }

    @Test
    void unsubscribingWhileConsumed() throws JMSException {
        JMSConsumer consumer = context.createDurableConsumer(context.createTopic(Jms.uniqueName("topic")), "busy");
        assertThatThrownBy(() -> context.unsubscribe("busy")).isInstanceOf(JMSRuntimeException.class);
        consumer.close();
        context.unsubscribe("busy");
    }
}
