package io.mainstem.jms.message;

import io.mainstem.jms.destination.MainstemDestination;
import org.jspecify.annotations.Nullable;

/**
 * What the send call decides about a message (Jakarta Messaging 3.4): these values replace whatever the message holds.
 *
 * @param destination where it goes
 * @param deliveryMode {@code DeliveryMode.PERSISTENT} or {@code NON_PERSISTENT}
 * @param priority 0 to 9
 * @param timestampMs time of the send call, or 0 if time stamps are switched off
 * @param messageId begins with {@code ID:}, or null if ids are switched off
 * @param timeToLiveMs 0 for ever
 * @param expirationMs send time + time to live, or 0 for ever
 * @param deliveryTimeMs send time + delivery delay; the send time if there is no delay
 * @param delayed whether there is a delay: only then {@code x-opt-delivery-time} goes with the message
 * @param producer who sends and the how-manieth message, so that a message sent again after a reconnect is stored once;
 *     null if not wanted
 */
public record SendHeaders(
        MainstemDestination destination,
        int deliveryMode,
        int priority,
        long timestampMs,
        @Nullable String messageId,
        long timeToLiveMs,
        long expirationMs,
        long deliveryTimeMs,
        boolean delayed,
        @Nullable ProducerSequence producer) {
    /**
     * Goes as the message annotations {@code x-opt-producer-id} (string) and {@code x-opt-producer-seq} (long).
     *
     * @param id unique to one producer for ever
     * @param sequence 0, 1, 2 ...
     */
    public record ProducerSequence(String id, long sequence) {}
}
