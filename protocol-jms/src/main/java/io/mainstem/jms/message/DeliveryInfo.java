package io.mainstem.jms.message;

import io.mainstem.jms.destination.MainstemDestination;

/**
 * What a delivery adds to a message.
 *
 * @param consumer the destination of the consumer: {@code JMSDestination} of a message whose {@code to} is absent
 * @param deliveryCount {@code JMSXDeliveryCount}, 1 for the first time
 * @param redelivered {@code JMSRedelivered}; true whenever the count is above 1
 * @param acknowledger what {@code Message.acknowledge()} calls
 */
public record DeliveryInfo(
        MainstemDestination consumer, int deliveryCount, boolean redelivered, Acknowledger acknowledger) {}
