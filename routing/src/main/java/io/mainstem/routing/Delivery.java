package io.mainstem.routing;

import io.mainstem.routing.message.Message;

/**
 * One message on its way to one consumer. Immutable.
 *
 * @param deliveryId names it in {@link ConsumerHandle#settle}; dense per consumer, from 0
 * @param failed earlier failed deliveries (AMQP delivery-count)
 * @param acquired true if it may have been handed to a consumer before (first-acquirer = not acquired)
 * @param unseen if it was: all who had it have said that no application has seen it
 * @param position of a stored message in its lane: the same after every restart and redelivery, and dense; -1 for a
 *     message that lives in memory only
 * @param grantedQos highest QoS that the MQTT subscriptions granted which brought it here, as they were then [S-7]; -1 if
 *     it came otherwise
 * @param lateAtMs from when on it must not be sent any more because it has expired in its queue, epoch ms; 0 = never
 */
public record Delivery(
        long deliveryId,
        Message message,
        int failed,
        boolean acquired,
        boolean unseen,
        long position,
        int grantedQos,
        long lateAtMs) {
    /** One that no MQTT subscription has brought, and that does not expire. */
    public Delivery(long deliveryId, Message message, int failed, boolean acquired, long position) {
        this(deliveryId, message, failed, acquired, false, position, -1, 0);
    }

    /**
     * True if it has expired while it waited to be sent [T-4]: a head does not send it, but releases it, so that its queue
     * deals with it as with any other that has expired.
     */
    public boolean late(long nowMs) {
        return lateAtMs != 0 && lateAtMs <= nowMs;
    }
}
