package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What each acknowledge mode without a transaction means to the next consumer. */
@WithBroker
final class JmsAcknowledgeTest {
    /** Qpid's own mode: each message is acknowledged alone. */
    private static final int INDIVIDUAL_ACKNOWLEDGE = 101;

    private final BrokerAddress broker;

    JmsAcknowledgeTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @ParameterizedTest
    @ValueSource(ints = {JMSContext.AUTO_ACKNOWLEDGE, JMSContext.DUPS_OK_ACKNOWLEDGE})
    void whatWasReceivedIsGone(int mode) {
        String name = queueOf("1", "2", "3");

        try (JMSContext context = Jms.context(broker, mode)) {
            Jms.receiveBodies(context.createConsumer(context.createQueue(name)), 2);
        }

        assertThat(restOf(name)).extracting(Received::body).containsExactly("3");
    }

    @Test
    void clientAcknowledgeTakesAllThatTheSessionReceived() throws Exception {
        String name = queueOf("1", "2", "3");

        try (JMSContext context = Jms.context(broker, JMSContext.CLIENT_ACKNOWLEDGE)) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(name));
            consumer.receive(Jms.RECEIVE_MS);
            consumer.receive(Jms.RECEIVE_MS).acknowledge();
        }

        assertThat(restOf(name)).extracting(Received::body).containsExactly("3");
    }

    @Test
    void individualAcknowledgeTakesOneMessage() throws Exception {
        String name = queueOf("1", "2", "3");

        try (JMSContext context = Jms.context(broker, INDIVIDUAL_ACKNOWLEDGE)) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(name));
            consumer.receive(Jms.RECEIVE_MS);
            consumer.receive(Jms.RECEIVE_MS).acknowledge();
        }

        assertThat(restOf(name)).extracting(Received::body).containsExactly("1", "3");
    }

    @Test
    @DisplayName("what was delivered but not acknowledged comes again in place, counted [J-3]")
    void unacknowledgedMessagesAreRedelivered() {
        String name = queueOf("1", "2", "3");

        try (JMSContext context = Jms.context(broker, JMSContext.CLIENT_ACKNOWLEDGE)) {
            Jms.receiveBodies(context.createConsumer(context.createQueue(name)), 2);
        }

        assertThat(restOf(name))
                .containsExactly(new Received("1", true, 2), new Received("2", true, 2), new Received("3", false, 1));
    }

    @Test
    @DisplayName("a session that ends in order gives back what it never delivered, uncounted")
    void prefetchedMessagesThatNobodySawAreNotCounted() {
        String name = queueOf("1", "2", "3");

        try (JMSContext context = Jms.context(broker, "jms.prefetchPolicy.all=1000")) {
            Jms.receiveBodies(context.createConsumer(context.createQueue(name)), 1);
        }

        assertThat(restOf(name)).containsExactly(new Received("2", false, 1), new Received("3", false, 1));
    }

    @Test
    void recoverShowsTheMessagesAgain() {
        String name = queueOf("1", "2");

        try (JMSContext context = Jms.context(broker, JMSContext.CLIENT_ACKNOWLEDGE)) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(name));
            Jms.receiveBodies(consumer, 2);
            context.recover();

            assertThat(receive(consumer)).isEqualTo(new Received("1", true, 2));
            assertThat(receive(consumer)).isEqualTo(new Received("2", true, 2));
            context.acknowledge();
        }

        assertThat(restOf(name)).isEmpty();
    }

    @Test
    void aListenerThatThrowsGetsTheMessageAgain() {
        String name = queueOf("1");
        List<Received> seen = new CopyOnWriteArrayList<>();

        try (JMSContext context = Jms.context(broker)) {
            context.createConsumer(context.createQueue(name)).setMessageListener(message -> {
                seen.add(Received.of(message));
                if (seen.size() == 1) {
                    throw new IllegalStateException("not now");
                }
            });
            await().atMost(Duration.ofMinutes(1)).until(() -> seen.size() == 2);
            // Once the next one is there, the one before is acknowledged.
            try (JMSContext other = Jms.context(broker)) {
                other.createProducer().send(other.createQueue(name), "2");
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> seen.size() == 3);
        }

        assertThat(seen).extracting(Received::body).containsExactly("1", "1", "2");
        assertThat(restOf(name)).extracting(Received::body).doesNotContain("1");
    }

    private String queueOf(String... bodies) {
        String name = Jms.uniqueName("queue");
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(name);
            for (String body : bodies) {
                context.createProducer().send(queue, body);
            }
        }
        return name;
    }

    private List<Received> restOf(String queue) {
        List<Received> rest = new ArrayList<>();
        try (JMSContext context = Jms.context(broker, "jms.prefetchPolicy.all=0")) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(queue));
            for (Message message = consumer.receiveNoWait(); message != null; message = consumer.receiveNoWait()) {
                rest.add(Received.of(message));
            }
        }
        return rest;
    }

    private static Received receive(JMSConsumer consumer) {
        return Received.of(consumer.receive(Jms.RECEIVE_MS));
    }

    private record Received(String body, boolean redelivered, int count) {
        static Received of(Message message) {
            try {
                return new Received(
                        message.getBody(String.class),
                        message.getJMSRedelivered(),
                        message.getIntProperty("JMSXDeliveryCount"));
            } catch (JMSException e) {
                throw new AssertionError(e);
            }
        }
    }
}
