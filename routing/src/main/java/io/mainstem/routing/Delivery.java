package io.mainstem.routing;

import io.mainstem.routing.message.Message;

/**
 * One message on its way to one consumer. Immutable.
 *
 * @param deliveryId names it in {@link ConsumerHandle#settle}; dense per consumer, from 0
 * @param failed earlier failed deliveries (AMQP delivery-count)
 * @param acquired true if it may have been handed to a consumer before (first-acquirer = not acquired)
 * @param position of a stored message in its lane: the same after every restart and redelivery, and dense; -1 for a
 *     message that lives in memory only
 * @param grantedQos highest QoS that the MQTT subscriptions granted which brought it here, as they were then [S-7]; -1 if
 *     it came otherwise
 */
public record Delivery(long deliveryId, Message message, int failed, boolean acquired, long position, int grantedQos) {
    /** One that no MQTT subscription has brought. */
    public Delivery(long deliveryId, Message message, int failed, boolean acquired, long position) {
        this(deliveryId, message, failed, acquired, position, -1);
    }
}
