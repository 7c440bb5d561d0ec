package io.mainstem.routing;

import org.jspecify.annotations.Nullable;

/**
 * A message that waits for its time. Immutable.
 *
 * @param id by which it can be cancelled; the same after every restart, and never used again
 * @param deliverAtMs when it enters its queues, epoch ms
 * @param messageId as its publisher has set it, as text; null = it has none
 * @param user whose it is, if the publisher said so
 * @param bytes its sections take
 */
public record DelayedMessage(
        String id,
        long deliverAtMs,
        String exchange,
        String routingKey,
        @Nullable String messageId,
        @Nullable String user,
        long bytes) {}
