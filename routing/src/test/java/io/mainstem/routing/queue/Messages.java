package io.mainstem.routing.queue;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
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

    /** The text counts as its body, so that sections can be put in front of it again and again. */
    Message body(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8), new SectionOffsets(-1, -1, -1, 0, -1, 0x75));
    }

    Message bytes(byte[] payload) {
        return bytes(payload, SectionOffsets.NONE);
    }

    private Message bytes(byte[] payload, SectionOffsets offsets) {
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
                offsets,
                List.of());
        return new Message(envelope, List.of(payload));
    }

    static String text(Delivery delivery) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        delivery.message().sections().forEach(all::writeBytes);
        byte[] bytes = all.toByteArray();
        int from = delivery.message().envelope().offsets().messageAnnotations() < 0 ? 0 : annotationsEnd(bytes);
        return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
    }

    /** Behind a section that stands first: descriptor, code, size. */
    private static int annotationsEnd(byte[] bytes) {
        boolean narrow = (bytes[3] & 0xFF) == 0xC1;
        return narrow ? 5 + (bytes[4] & 0xFF) : 8 + ByteBuffer.wrap(bytes).getInt(4);
    }
}
