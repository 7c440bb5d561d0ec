package io.mainstem.routing.queue;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Messages whose payload is a text. */
record Messages(
        String exchange, String key, boolean durable, int priority, long arrivalMs, long ttlMs, long deliverAtMs) {
    static Messages to(String exchange, String key) {
        return new Messages(exchange, key, true, -1, 1_000_000, -1, 0);
    }

    static Message durable(String queue, String text) {
        return to("", queue).text(text);
    }

    static Message nonDurable(String queue, String text) {
        return to("", queue).nonDurable().text(text);
    }

    Messages nonDurable() {
        return new Messages(exchange, key, false, priority, arrivalMs, ttlMs, deliverAtMs);
    }

    Messages withPriority(int newPriority) {
        return new Messages(exchange, key, durable, newPriority, arrivalMs, ttlMs, deliverAtMs);
    }

    Messages arrived(long newArrivalMs) {
        return new Messages(exchange, key, durable, priority, newArrivalMs, ttlMs, deliverAtMs);
    }

    Messages withTtl(long newTtlMs) {
        return new Messages(exchange, key, durable, priority, arrivalMs, newTtlMs, deliverAtMs);
    }

    Messages deliverAt(long newDeliverAtMs) {
        return new Messages(exchange, key, durable, priority, arrivalMs, ttlMs, newDeliverAtMs);
    }

    Message text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    Message bytes(byte[] payload) {
        Envelope envelope = new Envelope(
                exchange,
                List.of(key),
                durable,
                priority,
                arrivalMs,
                ttlMs,
                ttlMs < 0 ? 0 : arrivalMs + ttlMs,
                deliverAtMs,
                "publisher",
                null,
                Envelope.Origin.AMQP_1_0,
                0,
                false,
                SectionOffsets.NONE,
                List.of());
        return new Message(envelope, List.of(payload));
    }

    static String text(Delivery delivery) {
        StringBuilder text = new StringBuilder();
        for (byte[] piece : delivery.message().sections()) {
            text.append(new String(piece, StandardCharsets.UTF_8));
        }
        return text.toString();
    }
}
