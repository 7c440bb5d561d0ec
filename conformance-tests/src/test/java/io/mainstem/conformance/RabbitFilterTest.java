package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.amqp.AmqpException;
import com.rabbitmq.client.amqp.ConsumerBuilder;
import com.rabbitmq.client.amqp.Message;
import com.rabbitmq.client.amqp.Publisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Filters and outcomes with annotations of RabbitMQ's AMQP 1.0 Java client [mapping 5.4, 7]. */
@WithBroker
final class RabbitFilterTest {
    private final Rabbit rabbit;

    RabbitFilterTest(BrokerAddress broker) {
        rabbit = new Rabbit(broker);
    }

    @AfterEach
    void close() {
        rabbit.close();
    }

    @Test
    @DisplayName("[F-1] a SQL filter is honoured and echoed: the client gets what matches, the rest stays")
    void sqlFilter() throws Exception {
        String queue = threeOrders();

        BlockingQueue<Rabbit.Received> large = consume(queue, filter -> filter.sql("amount > 10 AND region = 'eu'"));

        Rabbit.Received only = Rabbit.next(large);
        assertThat(only.body()).isEqualTo("large eu");
        only.context().accept();
        assertThat(rabbit.management().queueInfo(queue).messageCount()).isEqualTo(2);
    }

    @Test
    @DisplayName("[mapping 7] a SQL filter sees the sections of a message by their names")
    void sqlFilterOfSections() throws Exception {
        String queue = threeOrders();

        BlockingQueue<Rabbit.Received> news =
                consume(queue, filter -> filter.sql("p.subject LIKE 'order.%' AND a.amount BETWEEN 1 AND 5"));

        assertThat(Rabbit.next(news).body()).isEqualTo("small eu");
    }

    @Test
    @DisplayName("[mapping 7] a properties filter: exact, by prefix and by suffix")
    void propertiesFilter() throws Exception {
        String queue = threeOrders();

        assertThat(Rabbit.next(consume(queue, filter -> filter.subject("order.2")))
                        .body())
                .isEqualTo("large eu");
        assertThat(Rabbit.next(consume(queue, filter -> filter.subject("&p:news.")))
                        .body())
                .isEqualTo("large us");
        assertThat(Rabbit.next(consume(queue, filter -> filter.subject("&s:.1")))
                        .body())
                .isEqualTo("small eu");
    }

    @Test
    @DisplayName("[mapping 7] an application-properties filter: all of its fields must match")
    void applicationPropertiesFilter() throws Exception {
        String queue = threeOrders();

        BlockingQueue<Rabbit.Received> received =
                consume(queue, filter -> filter.property("region", "eu").property("amount", 3));

        assertThat(Rabbit.next(received).body()).isEqualTo("small eu");
    }

    @Test
    @DisplayName("[mapping 7] properties and application-properties filters together: both must match")
    void bothFilters() throws Exception {
        String queue = threeOrders();

        BlockingQueue<Rabbit.Received> received =
                consume(queue, filter -> filter.subject("&p:order.").property("amount", 30));

        assertThat(Rabbit.next(received).body()).isEqualTo("large eu");
    }

    @Test
    @DisplayName("[F-1] a SQL filter that is none is refused, and the connection goes on")
    void invalidSqlFilter() throws Exception {
        String queue = threeOrders();

        assertThatThrownBy(() -> consume(queue, filter -> filter.sql("amount >")))
                .isInstanceOf(AmqpException.class);

        assertThat(Rabbit.next(rabbit.consume(queue)).body()).isEqualTo("small eu");
    }

    @Test
    @DisplayName("[mapping 5.4] streams are not offered: their filters are not echoed, so that the client says so")
    void streamFilters() throws Exception {
        String queue = threeOrders();

        assertThatThrownBy(() ->
                        rabbit
                                .connection()
                                .consumerBuilder()
                                .queue(queue)
                                .messageHandler((context, message) -> {})
                                .stream()
                                .offset(ConsumerBuilder.StreamOffsetSpecification.FIRST)
                                .builder()
                                .build())
                .isInstanceOf(RuntimeException.class);
        assertThatThrownBy(() -> rabbit.management().queue(Rabbit.uniqueName("stream")).stream()
                        .queue()
                        .declare())
                .isInstanceOf(AmqpException.class)
                .hasMessageContaining("x-queue-type")
                .hasMessageContaining("stream")
                .hasMessageContaining("classic or quorum");
    }

    @Test
    @DisplayName("[mapping 5.4] delayedRetry: the message comes again then, not before; counted only if it failed")
    void delayedRetry() throws Exception {
        String queue = threeOrders();
        BlockingQueue<Rabbit.Received> received = consume(queue, filter -> filter.subject("order.1"));
        Rabbit.Received first = Rabbit.next(received);
        long before = System.currentTimeMillis();

        first.context().delayedRetry(Duration.ofMillis(400), true);

        Rabbit.Received again = Rabbit.next(received);
        assertThat(again.body()).isEqualTo("small eu");
        assertThat(System.currentTimeMillis() - before).isGreaterThanOrEqualTo(400);
        again.context().accept();
        assertThat(rabbit.management().queueInfo(queue).messageCount()).isEqualTo(2);
    }

    @Test
    @DisplayName("[mapping 5.4] discard with annotations: undeliverable here, it goes to the dead letters")
    void discardWithAnnotations() throws Exception {
        String dead = Rabbit.uniqueName("dead");
        rabbit.management().queue(dead).declare();
        String queue = Rabbit.uniqueName("queue");
        rabbit.management()
                .queue(queue)
                .exclusive(true)
                .deadLetterExchange("")
                .deadLetterRoutingKey(dead)
                .argument("x-exclusion-timeout", 200L)
                .declare();
        publish(queue, "wrong", message -> {});

        Rabbit.next(rabbit.consume(queue)).context().discard(Map.of("x-opt-why", "wrong"));

        assertThat(Rabbit.next(rabbit.consume(dead)).body()).isEqualTo("wrong");
    }

    @Test
    @DisplayName("[mapping 5.4] a queue that is full rejects; the client learns it from the outcome")
    void rejected() throws Exception {
        String queue = Rabbit.uniqueName("queue");
        rabbit.management()
                .queue(queue)
                .maxLength(1)
                .overflowStrategy(com.rabbitmq.client.amqp.Management.OverflowStrategy.REJECT_PUBLISH)
                .declare();
        Publisher publisher =
                rabbit.connection().publisherBuilder().queue(queue).build();
        assertThat(rabbit.publish(publisher, "fits")).isEqualTo(Publisher.Status.ACCEPTED);

        Publisher.Context refused =
                Rabbit.publish(publisher, publisher.message("too much".getBytes(StandardCharsets.UTF_8)));

        assertThat(refused.status()).isEqualTo(Publisher.Status.REJECTED);
    }

    @Test
    @DisplayName("[mapping 5.4] its queue deleted, a publisher is closed with amqp:resource-deleted")
    void deletedUnderPublisher() throws Exception {
        String queue = Rabbit.uniqueName("queue");
        rabbit.management().queue(queue).declare();
        BlockingQueue<Throwable> closed = new LinkedBlockingQueue<>();
        Publisher publisher = rabbit.connection()
                .publisherBuilder()
                .queue(queue)
                .listeners(context -> {
                    if (context.failureCause() != null) {
                        closed.add(context.failureCause());
                    }
                })
                .build();
        rabbit.management().queueDelete(queue);

        assertThat(rabbit.publish(publisher, "too late")).isNotEqualTo(Publisher.Status.ACCEPTED);

        assertThat(closed.poll(Rabbit.WAIT_MS, java.util.concurrent.TimeUnit.MILLISECONDS))
                .isInstanceOf(AmqpException.AmqpEntityDoesNotExistException.class);
    }

    /** A queue with three messages: small eu, large eu, large us. */
    private String threeOrders() throws Exception {
        String queue = Rabbit.uniqueName("orders");
        rabbit.management().queue(queue).declare();
        publish(
                queue,
                "small eu",
                message -> message.subject("order.1").property("region", "eu").property("amount", 3));
        publish(
                queue,
                "large eu",
                message -> message.subject("order.2").property("region", "eu").property("amount", 30));
        publish(
                queue,
                "large us",
                message -> message.subject("news.3").property("region", "us").property("amount", 40));
        return queue;
    }

    private void publish(String queue, String body, Consumer<Message> change) throws Exception {
        try (Publisher publisher =
                rabbit.connection().publisherBuilder().queue(queue).build()) {
            Message message = publisher.message(body.getBytes(StandardCharsets.UTF_8));
            change.accept(message);
            assertThat(Rabbit.publish(publisher, message).status()).isEqualTo(Publisher.Status.ACCEPTED);
        }
    }

    private BlockingQueue<Rabbit.Received> consume(
            String queue, UnaryOperator<ConsumerBuilder.StreamFilterOptions> filter) {
        BlockingQueue<Rabbit.Received> received = new LinkedBlockingQueue<>();
        ConsumerBuilder builder = rabbit.connection()
                .consumerBuilder()
                .queue(queue)
                .messageHandler((context, message) -> received.add(new Rabbit.Received(context, message)));
        filter.apply(builder.stream().filter()).stream().builder().build();
        return received;
    }
}
