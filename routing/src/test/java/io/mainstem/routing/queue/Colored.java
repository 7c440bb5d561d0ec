package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.AmqpValueWriter;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionScanner;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages to one queue with the application properties {@code color} and {@code n}, and maybe a group. */
record Colored(
        String exchange,
        String queue,
        boolean durable,
        int priority,
        long expireAtMs,
        @Nullable String group) {
    static Colored to(String queue) {
        return new Colored("", queue, true, -1, 0, null);
    }

    /** Published to an exchange instead; what was the queue is the key. */
    Colored through(String newExchange) {
        return new Colored(newExchange, queue, durable, priority, expireAtMs, group);
    }

    Colored nonDurable() {
        return new Colored(exchange, queue, false, priority, expireAtMs, group);
    }

    Colored withPriority(int newPriority) {
        return new Colored(exchange, queue, durable, newPriority, expireAtMs, group);
    }

    Colored expiringAt(long epochMs) {
        return new Colored(exchange, queue, durable, priority, epochMs, group);
    }

    Colored ofGroup(String newGroup) {
        return new Colored(exchange, queue, durable, priority, expireAtMs, newGroup);
    }

    Message of(String color, long n) {
        ByteArrayOutputStream encoded = new ByteArrayOutputStream();
        if (group != null) {
            encoded.writeBytes(new AmqpValueWriter()
                    .descriptor(0x73)
                    .value(Arrays.asList(null, null, null, null, null, null, null, null, null, null, group))
                    .toByteArray());
        }
        AmqpValueWriter entries =
                new AmqpValueWriter().value("color").value(color).value("n").value(n);
        encoded.writeBytes(
                new AmqpValueWriter().descriptor(0x74).map(2, entries).toByteArray());
        SectionScanner.BareMessage bare = SectionScanner.split(List.of(encoded.toByteArray()));
        Envelope envelope = new Envelope(
                exchange,
                List.of(queue),
                durable,
                priority,
                TestBroker.START_MS,
                -1,
                expireAtMs,
                0,
                "publisher",
                null,
                Envelope.Origin.AMQP_1_0,
                0,
                false,
                bare.offsets(),
                List.of());
        return new Message(envelope, bare.sections());
    }

    static long n(Delivery delivery) {
        Message message = delivery.message();
        Object n = AmqpValueReader.applicationProperties(
                        message.sections(), message.envelope().offsets())
                .get("n");
        return n instanceof Long number ? number : -1;
    }

    /** The consumer gets these next, in this order, and nothing else for now; some may have to be read back first. */
    static void assertNext(TestConsumer consumer, long... numbers) {
        List<Long> found = new ArrayList<>();
        for (int count = 0; count < numbers.length; count++) {
            found.add(n(consumer.next()));
        }
        assertThat(found).containsExactly(Arrays.stream(numbers).boxed().toArray(Long[]::new));
        assertThat(consumer.texts()).isEmpty();
    }
}
