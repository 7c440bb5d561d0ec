package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.amqp.Consumer;
import com.rabbitmq.client.amqp.Message;
import com.rabbitmq.client.amqp.Publisher;
import com.rabbitmq.client.amqp.Requester;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages of RabbitMQ's AMQP 1.0 Java client: outcomes both ways [mapping 5.4]. */
@WithBroker
final class RabbitMessagingTest {
    private final Rabbit rabbit;

    RabbitMessagingTest(BrokerAddress broker) {
        rabbit = new Rabbit(broker);
    }

    @AfterEach
    void close() {
        rabbit.close();
    }

    @Test
    @DisplayName("accept removes the message")
    void accept() throws Exception {
        String queue = declared(Map.of());
        publishTo(queue, "a", "b");
        BlockingQueue<Rabbit.Received> received = rabbit.consume(queue);

        for (String body : new String[] {"a", "b"}) {
            Rabbit.Received next = Rabbit.next(received);
            assertThat(next.body()).isEqualTo(body);
            next.context().accept();
        }

        assertThat(rabbit.management().queuePurge(queue).messageCount()).isZero();
    }

    @Test
    @DisplayName("discard dead-letters, with and without annotations")
    void discard() throws Exception {
        String dead = declared(Map.of());
        String queue = declared(Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
        publishTo(queue, "bad");
        BlockingQueue<Rabbit.Received> received = rabbit.consume(queue);

        Rabbit.next(received).context().discard();

        assertThat(Rabbit.next(rabbit.consume(dead)).body()).isEqualTo("bad");
    }

    @Test
    @DisplayName("requeue returns it, redelivered; only as failed is it counted")
    void requeue() throws Exception {
        String queue = declared(Map.of());
        publishTo(queue, "again");
        BlockingQueue<Rabbit.Received> received = rabbit.consume(queue);

        Rabbit.next(received).context().requeue();
        Rabbit.Received second = Rabbit.next(received);
        assertThat(second.body()).isEqualTo("again");
        second.context().requeue(Map.of("x-opt-note", "seen"), true);
        Rabbit.Received third = Rabbit.next(received);

        assertThat(third.body()).isEqualTo("again");
        third.context().accept();
    }

    @Test
    @DisplayName("the relay publisher: each message names its own address")
    void relay() throws Exception {
        String one = declared(Map.of());
        String two = declared(Map.of());
        Publisher publisher = rabbit.connection().publisherBuilder().build();

        assertThat(Rabbit.publish(publisher, to(publisher, one)).status()).isEqualTo(Publisher.Status.ACCEPTED);
        assertThat(Rabbit.publish(publisher, to(publisher, two)).status()).isEqualTo(Publisher.Status.ACCEPTED);
        Publisher.Context missing = Rabbit.publish(publisher, to(publisher, Rabbit.uniqueName("missing")));

        assertThat(missing.status()).isNotEqualTo(Publisher.Status.ACCEPTED);
        assertThat(rabbit.management().queueInfo(one).messageCount()).isEqualTo(1);
        assertThat(rabbit.management().queueInfo(two).messageCount()).isEqualTo(1);
    }

    @Test
    @DisplayName("a paused consumer gets nothing until it goes on; unsettled messages return when it closes")
    void pauseAndClose() throws Exception {
        String queue = declared(Map.of());
        BlockingQueue<Rabbit.Received> received = new LinkedBlockingQueue<>();
        Consumer consumer = rabbit.connection()
                .consumerBuilder()
                .queue(queue)
                .messageHandler((context, message) -> received.add(new Rabbit.Received(context, message)))
                .build();
        consumer.pause();
        publishTo(queue, "later");
        assertThat(received.poll(200, TimeUnit.MILLISECONDS)).isNull();

        consumer.unpause();
        assertThat(Rabbit.next(received).body()).isEqualTo("later");
        consumer.close();

        assertThat(Rabbit.next(rabbit.consume(queue)).body()).isEqualTo("later");
    }

    @Test
    @DisplayName("deleting its queue closes the consumer with amqp:resource-deleted")
    void queueDeleted() throws Exception {
        String queue = declared(Map.of());
        CompletableFuture<Throwable> closed = new CompletableFuture<>();
        rabbit.connection()
                .consumerBuilder()
                .queue(queue)
                .messageHandler((context, message) -> context.accept())
                .listeners(change -> {
                    if (change.currentState() == com.rabbitmq.client.amqp.Resource.State.CLOSED) {
                        closed.complete(change.failureCause());
                    }
                })
                .build();

        rabbit.management().queueDelete(queue);

        assertThat(closed.get(Rabbit.WAIT_MS, TimeUnit.MILLISECONDS)).hasMessageContaining("deleted");
    }

    @Test
    @DisplayName("direct reply-to: a request finds its way back through a volatile queue of the requester's")
    void directReplyTo() throws Exception {
        String requests = declared(Map.of());
        List<String> replyTo = new CopyOnWriteArrayList<>();
        rabbit.connection()
                .responderBuilder()
                .requestQueue(requests)
                .handler((context, request) -> {
                    replyTo.add(request.replyTo());
                    return context.message("pong".getBytes(StandardCharsets.UTF_8));
                })
                .build();
        Requester requester = rabbit.connection()
                .requesterBuilder()
                .requestAddress()
                .queue(requests)
                .requester()
                .build();

        Message reply = requester
                .publish(requester.message("ping".getBytes(StandardCharsets.UTF_8)))
                .get(Rabbit.WAIT_MS, TimeUnit.MILLISECONDS);

        assertThat(new String(reply.body(), StandardCharsets.UTF_8)).isEqualTo("pong");
        assertThat(replyTo.get(0)).startsWith("/queues/");
    }

    private static Message to(Publisher publisher, String queue) {
        return publisher
                .message("m".getBytes(StandardCharsets.UTF_8))
                .toAddress()
                .queue(queue)
                .message();
    }

    private String declared(Map<String, Object> arguments) {
        return rabbit.management()
                .queue(Rabbit.uniqueName("queue"))
                .arguments(arguments)
                .declare()
                .name();
    }

    private void publishTo(String queue, String... bodies) throws Exception {
        try (Publisher publisher =
                rabbit.connection().publisherBuilder().queue(queue).build()) {
            for (String body : bodies) {
                assertThat(rabbit.publish(publisher, body)).isEqualTo(Publisher.Status.ACCEPTED);
            }
        }
    }
}
