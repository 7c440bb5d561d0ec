package io.mainstem.jms.message;

import io.mainstem.jms.destination.MainstemDestination;
import org.jspecify.annotations.Nullable;

/** The JMS headers of a message that arrived. */
record ReceivedHeaders(
        @Nullable String messageId,
        @Nullable String correlationId,
        MainstemDestination destination,
        @Nullable MainstemDestination replyTo,
        @Nullable String type,
        long timestampMs,
        long expirationMs,
        long deliveryTimeMs,
        boolean durable,
        int priority,
        DeliveryInfo arrival) {}
