package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.amqp.Management;
import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What queues do with messages by themselves, as clients see it over sockets; only the clock of the test moves time. */
final class QueueRulesTest {
    private final EmbeddedBroker broker = EmbeddedBroker.builder().start();
    private final Rabbit rabbit =
            new Rabbit(new BrokerAddress(broker.uri().getHost(), broker.uri().getPort()));
    private final Management management = rabbit.management();

    @AfterEach
    void close() {
        rabbit.close();
        broker.close();
    }

    private JMSContext context() {
        return new MainstemConnectionFactory(broker.uri().toString()).createContext(JMSContext.CLIENT_ACKNOWLEDGE);
    }

    private static Message next(JMSConsumer consumer) {
        Message message = consumer.receive(Jms.RECEIVE_MS);
        assertThat(message).as("a message within a minute").isNotNull();
        return message;
    }

    private static String body(Message message) throws JMSException {
        return message.getBody(String.class);
    }

    @Test
    @DisplayName(
            "[issue 6, ordered retry per key] a failing group waits with its later messages behind it, others flow")
    void orderedRetry() throws JMSException {
        management.queue("orders").argument("x-redelivery-delay", 3_600_000L).declare();
        try (JMSContext context = context()) {
            Queue orders = context.createQueue("orders");
            for (String text : List.of("a1", "a2", "b1", "b2")) {
                context.createProducer()
                        .setProperty("JMSXGroupID", text.substring(0, 1))
                        .send(orders, text);
            }
            JMSConsumer consumer = context.createConsumer(orders);
            assertThat(body(next(consumer))).isEqualTo("a1");
            context.recover();

            for (String text : List.of("b1", "b2")) {
                Message other = next(consumer);
                assertThat(body(other)).isEqualTo(text);
                other.acknowledge();
            }
            assertThat(consumer.receiveNoWait()).as("a2 waits behind a1").isNull();

            broker.advanceClock(Duration.ofHours(1));

            Message again = next(consumer);
            assertThat(body(again)).isEqualTo("a1");
            assertThat(again.getJMSRedelivered()).isTrue();
            again.acknowledge();
            assertThat(body(next(consumer))).isEqualTo("a2");
        }
    }

    @Test
    @DisplayName(
            "[T-4] a message expires in the middle of its queue, where nobody consumes, and is dead-lettered at once")
    void expiryAnywhere() {
        management.queue("dead").declare();
        management
                .queue("orders")
                .argument("x-dead-letter-exchange", "")
                .argument("x-dead-letter-routing-key", "dead")
                .declare();
        try (JMSContext context = context()) {
            Queue orders = context.createQueue("orders");
            JMSProducer producer = context.createProducer();
            producer.send(orders, "before");
            producer.setTimeToLive(60_000).send(orders, "for a minute");
            producer.setTimeToLive(0).send(orders, "behind");
            JMSConsumer dead = context.createConsumer(context.createQueue("dead"));

            broker.advanceClock(Duration.ofMinutes(1));

            assertThat(Jms.receiveBodies(dead, 1)).containsExactly("for a minute");
            assertThat(management.queueInfo("orders").messageCount()).isEqualTo(2);
            assertThat(Jms.receiveBodies(context.createConsumer(orders), 2)).containsExactly("before", "behind");
        }
    }

    @Test
    @DisplayName("[issue 6, purge and delete] many messages go, what comes then and what is in other queues does not")
    void purgeAndDelete() {
        int many = 5000;
        List<String> kept = IntStream.range(0, 100).mapToObj(Integer::toString).toList();
        management.queue("full").declare();
        management.queue("other").declare();
        try (JMSContext context = context()) {
            Queue full = context.createQueue("full");
            Queue other = context.createQueue("other");
            JMSProducer producer = context.createProducer();
            fill(context, full, many);
            kept.forEach(text -> producer.send(other, text));

            assertThat(management.queuePurge("full").messageCount()).isEqualTo(many);
            producer.send(full, "behind the purge");
            assertThat(Jms.receiveBodies(context.createConsumer(full), 1)).containsExactly("behind the purge");
            fill(context, full, many);
            management.queueDelete("full");

            management.queue("full").declare();
            assertThat(management.queueInfo("full").messageCount()).isZero();
            assertThat(Jms.receiveBodies(context.createConsumer(other), 100)).isEqualTo(new ArrayList<>(kept));
        }
    }

    private void fill(JMSContext context, Queue queue, int count) {
        try (JMSContext transacted = context.createContext(JMSContext.SESSION_TRANSACTED)) {
            JMSProducer producer = transacted.createProducer();
            for (int number = 1; number <= count; number++) {
                producer.send(queue, "m" + number);
                if (number % 500 == 0) {
                    transacted.commit();
                }
            }
        }
    }
}
