package io.mainstem.routing.message;

import io.mainstem.store.ScheduleLane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Broker record kept beside the sections [D-3]. Times are epoch ms; 0 = absent unless said otherwise.
 *
 * @param exchange published to; "" = default exchange
 * @param keys routing keys: first, then those of CC; never empty
 * @param durable [mapping 3.2] absent header means false
 * @param priority 0 to 255 as published, or -1 if absent
 * @param arrivalMs when the broker took it
 * @param ttlMs as published, or -1 if absent
 * @param expireAtMs arrival + ttl, else absolute-expiry-time, else 0 = never [M-4]
 * @param deliverAtMs not before, 0 = at once
 * @param publisherId client id or container id, for no-local
 * @param user authenticated user, or null
 * @param origin protocol it was published by
 * @param publisherQos MQTT QoS of the publish, 0 for other protocols
 * @param retain MQTT retain or {@code x-opt-retain} [S-10]
 * @param offsets where the sections begin
 * @param deaths dead-letter history, newest first [T-3]
 */
public record Envelope(
        String exchange,
        List<String> keys,
        boolean durable,
        int priority,
        long arrivalMs,
        long ttlMs,
        long expireAtMs,
        long deliverAtMs,
        String publisherId,
        @Nullable String user,
        Origin origin,
        int publisherQos,
        boolean retain,
        SectionOffsets offsets,
        List<Death> deaths) {

    /** Priority used for ordering when the message carries none [mapping 3.2]. */
    public static final int PRIORITY_DEFAULT = 4;

    /** Later times to be delivered at count as this one; far enough for a sum of two not to overflow. */
    public static final long DELIVER_AT_MS_MAX = ScheduleLane.DELIVER_AT_MS_MAX;

    /** Protocol of the publisher; codes are on disk. */
    public enum Origin {
        AMQP_1_0,
        AMQP_0_9_1,
        MQTT_3,
        MQTT_5,
        JMS_VM,
        BROKER
    }

    public Envelope {
        keys = List.copyOf(keys);
        deaths = List.copyOf(deaths);
    }

    /** First routing key. */
    public String routingKey() {
        return keys.get(0);
    }

    /** True if it has to wait before it may be delivered. */
    public boolean delayed() {
        return deliverAtMs > 0 && deliverAtMs > arrivalMs;
    }

    /** Deliveries that have failed in the queues that have given it up (AMQP delivery-count). */
    public int failedBefore() {
        long failed = 0;
        for (Death death : deaths) {
            failed += death.failed();
        }
        return (int) Math.min(Integer.MAX_VALUE, failed);
    }

    /** The same of a message whose sections begin elsewhere. */
    Envelope withOffsets(SectionOffsets other) {
        return new Envelope(
                exchange,
                keys,
                durable,
                priority,
                arrivalMs,
                ttlMs,
                expireAtMs,
                deliverAtMs,
                publisherId,
                user,
                origin,
                publisherQos,
                retain,
                other,
                deaths);
    }

    /** The copy that goes through a dead-letter exchange: new address and history, no expiry [T-3]. */
    public Envelope deadLettered(String toExchange, String toKey, List<Death> history) {
        return new Envelope(
                toExchange,
                List.of(toKey),
                durable,
                priority,
                arrivalMs,
                -1,
                0,
                0,
                publisherId,
                user,
                origin,
                publisherQos,
                retain,
                offsets,
                history);
    }
}
