package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.InvalidDestinationRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.Topic;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Shared, durable and global subscriptions of Jakarta Messaging by Qpid JMS [mapping 2.1, 4.5, 4.6]. */
@WithBroker
final class JmsSubscriptionTest {
    private static final int MESSAGES = 20;

    private final BrokerAddress broker;

    JmsSubscriptionTest(BrokerAddress broker) {
        this.broker = broker;
    }

    private JMSContext client() {
        return Jms.context(broker, "jms.clientID=client-" + UUID.randomUUID(), "jms.prefetchPolicy.all=1");
    }

    /** A connection whose client identifier nobody has set. */
    private JMSContext anonymous() {
        return Jms.context(broker, "jms.prefetchPolicy.all=1");
    }

    private static void publish(JMSContext context, Topic topic) {
        for (int i = 0; i < MESSAGES; i++) {
            context.createProducer().send(topic, "m" + i);
        }
    }

    /** Both together get each message once. */
    private static void assertShared(JMSConsumer one, JMSConsumer two) {
        Set<String> bodies = new HashSet<>();
        int ones = 0;
        int twos = 0;
        while (bodies.size() < MESSAGES) {
            String body = one.receiveBody(String.class, 50);
            if (body != null) {
                assertThat(bodies.add(body)).isTrue();
                ones++;
            }
            body = two.receiveBody(String.class, 50);
            if (body != null) {
                assertThat(bodies.add(body)).isTrue();
                twos++;
            }
        }
        assertThat(ones).isPositive();
        assertThat(twos).isPositive();
    }

    @Test
    @DisplayName("4.5: consumers of a shared subscription share its messages")
    void sharedNonDurable() {
        try (JMSContext context = client()) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            JMSConsumer one = context.createSharedConsumer(topic, "shared");
            JMSConsumer two = context.createSharedConsumer(topic, "shared");
            JMSConsumer other = context.createSharedConsumer(topic, "another");
            publish(context, topic);

            assertShared(one, two);
            assertThat(Jms.receiveBodies(other, MESSAGES)).hasSize(MESSAGES);
        }
    }

    @Test
    @DisplayName("4.5: without a client identifier a shared subscription is one for all connections")
    void sharedGlobal() {
        try (JMSContext one = anonymous();
                JMSContext two = anonymous()) {
            String name = Jms.uniqueName("shared");
            Topic topic = one.createTopic(Jms.uniqueName("topic"));
            JMSConsumer ones = one.createSharedConsumer(topic, name);
            JMSConsumer twos = two.createSharedConsumer(topic, name);
            publish(one, topic);

            assertShared(ones, twos);
        }
    }

    @Test
    @DisplayName("4.5: a shared non-durable subscription ends with its last consumer")
    void sharedNonDurableEnds() {
        try (JMSContext context = client()) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            JMSConsumer one = context.createSharedConsumer(topic, "shared");
            JMSConsumer two = context.createSharedConsumer(topic, "shared");
            one.close();
            context.createProducer().send(topic, "for two");
            assertThat(Jms.receiveBodies(two, 1)).containsExactly("for two");
            two.close();
            context.createProducer().send(topic, "for nobody");

            JMSConsumer fresh = context.createSharedConsumer(topic, "shared");

            assertThat(fresh.receiveNoWait()).isNull();
        }
    }

    @Test
    @DisplayName("4.5: a shared durable subscription collects while no consumer is there, and is shared over sessions")
    void sharedDurable() {
        try (JMSContext context = client();
                JMSContext second = context.createContext(JMSContext.AUTO_ACKNOWLEDGE)) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            context.createSharedDurableConsumer(topic, "shared").close();
            publish(context, topic);

            JMSConsumer one = context.createSharedDurableConsumer(topic, "shared");
            JMSConsumer two = second.createSharedDurableConsumer(topic, "shared");

            assertShared(one, two);
            one.close();
            two.close();
            context.unsubscribe("shared");
        }
    }

    @Test
    @DisplayName("4.6: a global durable subscription is found and ended by another connection")
    void globalDurableUnsubscribed() {
        String name = Jms.uniqueName("global");
        try (JMSContext one = anonymous();
                JMSContext two = anonymous()) {
            Topic topic = one.createTopic(Jms.uniqueName("topic"));
            one.createSharedDurableConsumer(topic, name).close();
            one.createProducer().send(topic, "kept");
            assertThat(Jms.receiveBodies(two.createSharedDurableConsumer(topic, name), 1))
                    .containsExactly("kept");
            assertThatThrownBy(() -> one.unsubscribe(name))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("has consumers");
        }
        try (JMSContext three = anonymous()) {
            three.unsubscribe(name);
            assertThatThrownBy(() -> three.unsubscribe(name)).isInstanceOf(InvalidDestinationRuntimeException.class);
        }
    }

    @Test
    @DisplayName("4.6: unsubscribing while a consumer is there is refused and changes nothing")
    void unsubscribeInUse() {
        try (JMSContext context = client()) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            JMSConsumer consumer = context.createDurableConsumer(topic, "sub");

            assertThatThrownBy(() -> context.unsubscribe("sub")).isInstanceOf(JMSRuntimeException.class);

            context.createProducer().send(topic, "still heard");
            assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("still heard");
            consumer.close();
            context.unsubscribe("sub");
        }
    }

    @Test
    @DisplayName("[S-1], ADR 0061 (8.3.3, 8.3.4): a durable subscription is shared or not until it is unsubscribed")
    void oneSlot() {
        String clientId = "client-" + UUID.randomUUID();
        try (JMSContext context = Jms.context(broker, "jms.clientID=" + clientId)) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            JMSConsumer shared = context.createSharedDurableConsumer(topic, "sub");
            assertThatThrownBy(() -> context.createDurableConsumer(topic, "sub"))
                    .isInstanceOf(JMSRuntimeException.class);
            shared.close();
            context.createProducer().send(topic, "kept");

            assertThatThrownBy(() -> context.createDurableConsumer(topic, "sub"))
                    .isInstanceOf(JMSRuntimeException.class)
                    .hasMessageContaining("MS-0393");
            JMSConsumer again = context.createSharedDurableConsumer(topic, "sub");
            assertThat(Jms.receiveBodies(again, 1)).containsExactly("kept");
            again.close();
            context.unsubscribe("sub");

            JMSConsumer unshared = context.createDurableConsumer(topic, "sub");
            assertThatThrownBy(() -> context.createSharedDurableConsumer(topic, "sub"))
                    .isInstanceOf(JMSRuntimeException.class);
            unshared.close();
            context.unsubscribe("sub");
        }
    }

    @Test
    @DisplayName("[S-2]: a shared subscription with consumers is not heard under another topic")
    void otherTopicInUse() {
        try (JMSContext context = client()) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            Topic other = context.createTopic(Jms.uniqueName("other"));
            JMSConsumer consumer = context.createSharedConsumer(topic, "shared");

            assertThatThrownBy(() -> context.createSharedConsumer(other, "shared"))
                    .isInstanceOf(JMSRuntimeException.class);

            context.createProducer().send(topic, "heard");
            assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("heard");
        }
    }
}
