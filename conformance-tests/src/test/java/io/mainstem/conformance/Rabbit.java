package io.mainstem.conformance;

import com.rabbitmq.client.amqp.Connection;
import com.rabbitmq.client.amqp.Consumer;
import com.rabbitmq.client.amqp.Environment;
import com.rabbitmq.client.amqp.Management;
import com.rabbitmq.client.amqp.Message;
import com.rabbitmq.client.amqp.Publisher;
import com.rabbitmq.client.amqp.impl.AmqpEnvironmentBuilder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** RabbitMQ's AMQP 1.0 Java client on one connection, unmodified. Thread: the test's. */
final class Rabbit implements AutoCloseable {
    /** Longer than any answer should take; the end of a test that would hang. */
    static final long WAIT_MS = 60_000;

    private final Environment environment = new AmqpEnvironmentBuilder().build();
    private final Connection connection;

    /** A delivery and the means to answer it. */
    record Received(Consumer.Context context, Message message) {
        String body() {
            return new String(message.body(), StandardCharsets.UTF_8);
        }
    }

    Rabbit(BrokerAddress broker) {
        connection = environment
                .connectionBuilder()
                .host(broker.host())
                .port(broker.port())
                .recovery()
                .activated(false)
                .connectionBuilder()
                .build();
    }

    /** A name that no other test uses. */
    static String uniqueName(String kind) {
        return "rabbit." + kind + "." + UUID.randomUUID();
    }

    Connection connection() {
        return connection;
    }

    Management management() {
        return connection.management();
    }

    /** Publishes one message and tells what became of it. */
    static Publisher.Context publish(Publisher publisher, Message message) throws Exception {
        CompletableFuture<Publisher.Context> answer = new CompletableFuture<>();
        publisher.publish(message, answer::complete);
        return answer.get(WAIT_MS, TimeUnit.MILLISECONDS);
    }

    Publisher.Status publish(Publisher publisher, String body) throws Exception {
        return publish(publisher, publisher.message(body.getBytes(StandardCharsets.UTF_8)))
                .status();
    }

    /** What a consumer gets, in order; closed with the connection. */
    BlockingQueue<Received> consume(String queue) {
        BlockingQueue<Received> received = new LinkedBlockingQueue<>();
        connection
                .consumerBuilder()
                .queue(queue)
                .messageHandler((context, message) -> received.add(new Received(context, message)))
                .build();
        return received;
    }

    static Received next(BlockingQueue<Received> received) throws InterruptedException {
        Received next = received.poll(WAIT_MS, TimeUnit.MILLISECONDS);
        if (next == null) {
            throw new AssertionError("nothing received within " + WAIT_MS + " ms");
        }
        return next;
    }

    @Override
    public void close() {
        connection.close();
        environment.close();
    }
}
