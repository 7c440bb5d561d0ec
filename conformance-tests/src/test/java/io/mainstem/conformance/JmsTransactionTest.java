package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Transacted sessions by Qpid JMS (mapping 4.12, 4.13; Jakarta Messaging 6.2.7). */
@WithBroker
final class JmsTransactionTest {
    private final BrokerAddress broker;

    JmsTransactionTest(BrokerAddress broker) {
        this.broker = broker;
    }

    private JMSContext transacted(String... options) {
        return Jms.context(broker, JMSContext.SESSION_TRANSACTED, options);
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

    private static List<Received> receive(JMSConsumer consumer, int count) {
        List<Received> received = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            received.add(Received.of(consumer.receive(Jms.RECEIVE_MS)));
        }
        return received;
    }

    @Test
    void sentMessagesAppearWithTheCommit() {
        String name = queueOf();
        try (JMSContext context = transacted()) {
            context.createProducer().send(context.createQueue(name), "1");
            context.createProducer().send(context.createQueue(name), "2");
            assertThat(restOf(name)).isEmpty();

            context.commit();
        }

        assertThat(restOf(name)).extracting(Received::body).containsExactly("1", "2");
    }

    @Test
    void rollbackForgetsWhatWasSent() {
        String name = queueOf();
        try (JMSContext context = transacted()) {
            context.createProducer().send(context.createQueue(name), "never");
            context.rollback();
            context.createProducer().send(context.createQueue(name), "kept");
            context.commit();
        }

        assertThat(restOf(name)).extracting(Received::body).containsExactly("kept");
    }

    @Test
    @DisplayName("[4.13] rollback: what was received comes again, in order, counted; what was only prefetched is not")
    void rollbackRedeliversInOrder() {
        String name = queueOf("1", "2", "3", "4", "5");
        try (JMSContext context = transacted()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(name));
            receive(consumer, 3);

            context.rollback();

            assertThat(receive(consumer, 5))
                    .containsExactly(
                            new Received("1", true, 2),
                            new Received("2", true, 2),
                            new Received("3", true, 2),
                            new Received("4", false, 1),
                            new Received("5", false, 1));
            context.commit();
        }
        assertThat(restOf(name)).isEmpty();
    }

    @Test
    void everyRollbackCounts() {
        String name = queueOf("1");
        try (JMSContext context = transacted()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(name));
            for (int count = 1; count <= 3; count++) {
                assertThat(receive(consumer, 1)).containsExactly(new Received("1", count > 1, count));
                context.rollback();
            }
            assertThat(receive(consumer, 1)).containsExactly(new Received("1", true, 4));
            context.commit();
        }
    }

    @Test
    void receivingAndSendingInOneTransaction() {
        String in = queueOf("1", "2");
        String out = queueOf();
        try (JMSContext context = transacted()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(in));
            context.createProducer().send(context.createQueue(out), consumer.receiveBody(String.class, Jms.RECEIVE_MS));
            context.rollback();
            context.createProducer().send(context.createQueue(out), consumer.receiveBody(String.class, Jms.RECEIVE_MS));
            context.commit();
        }

        assertThat(restOf(in)).extracting(Received::body).containsExactly("2");
        assertThat(restOf(out)).extracting(Received::body).containsExactly("1");
    }

    @Test
    void listenerOfATransactedSession() {
        String in = queueOf("1", "2", "3");
        String out = queueOf();
        List<Received> seen = new CopyOnWriteArrayList<>();
        AtomicInteger ended = new AtomicInteger();
        try (JMSContext context = transacted()) {
            context.createConsumer(context.createQueue(in)).setMessageListener(message -> {
                Received received = Received.of(message);
                seen.add(received);
                context.createProducer().send(context.createQueue(out), received.body());
                if (seen.size() == 1) {
                    context.rollback();
                } else {
                    context.commit();
                }
                ended.incrementAndGet();
            });
            await().atMost(Duration.ofMinutes(1)).until(() -> ended.get() == 4);
        }

        assertThat(seen)
                .containsExactly(
                        new Received("1", false, 1),
                        new Received("1", true, 2),
                        new Received("2", false, 1),
                        new Received("3", false, 1));
        assertThat(restOf(in)).isEmpty();
        assertThat(restOf(out)).extracting(Received::body).containsExactly("1", "2", "3");
    }

    @Test
    @DisplayName("closing a consumer changes nothing about the transaction")
    void commitAfterTheConsumerWasClosed() {
        String name = queueOf("1", "2");
        try (JMSContext context = transacted()) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(name));
            receive(consumer, 1);
            consumer.close();
            context.commit();
        }

        assertThat(restOf(name)).extracting(Received::body).containsExactly("2");
    }

    @Test
    @DisplayName("closing the session rolls back")
    void closeRollsBack() {
        String in = queueOf("1");
        String out = queueOf();
        try (JMSContext context = transacted()) {
            receive(context.createConsumer(context.createQueue(in)), 1);
            context.createProducer().send(context.createQueue(out), "never");
        }

        assertThat(restOf(in)).containsExactly(new Received("1", true, 2));
        assertThat(restOf(out)).isEmpty();
    }

    @Test
    void otherSessionsOfTheConnectionAreNotPartOfIt() throws Exception {
        String name = queueOf("1", "2");
        try (JMSContext context = transacted("jms.prefetchPolicy.all=0");
                JMSContext client = context.createContext(JMSContext.CLIENT_ACKNOWLEDGE)) {
            JMSConsumer inTransaction = context.createConsumer(context.createQueue(name));
            receive(inTransaction, 1);
            JMSConsumer acknowledging = client.createConsumer(client.createQueue(name));
            acknowledging.receive(Jms.RECEIVE_MS).acknowledge();

            context.rollback();
        }

        assertThat(restOf(name)).extracting(Received::body).containsExactly("1");
    }

    @Test
    @DisplayName("a message that nobody takes makes the commit fail, and all is undone")
    void refusedMessageFailsTheCommit() {
        String name = queueOf();
        try (JMSContext context = transacted("jms.forceAsyncSend=true")) {
            context.createProducer().send(context.createQueue(name), "undone");
            context.createProducer().send(context.createQueue("/exchanges/amq.direct/nowhere"), "lost");

            assertThatThrownBy(context::commit).hasStackTraceContaining("TransactionRolledBackException");
        }

        assertThat(restOf(name)).isEmpty();
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
