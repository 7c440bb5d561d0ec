package io.mainstem.routing.message;

import java.util.List;

/**
 * One line of dead-letter history: merged per (queue, reason) [T-3].
 *
 * @param reason rejected, expired, maxlen, delivery_limit, unmappable or too_large
 * @param count how often, >= 1
 * @param firstMs epoch ms of the first, {@code lastMs} of the latest
 * @param exchange the message had been published to, with its {@code keys}
 * @param ttlMs the message's ttl at that time, or -1
 * @param failed deliveries that had failed in that queue (AMQP delivery-count), rejections counted, all times together
 */
public record Death(
        String queue,
        String reason,
        int count,
        long firstMs,
        long lastMs,
        String exchange,
        List<String> keys,
        long ttlMs,
        int failed) {
    public Death {
        keys = List.copyOf(keys);
    }
}
