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
 */
public record Delivery(long deliveryId, Message message, int failed, boolean acquired, long position) {}
