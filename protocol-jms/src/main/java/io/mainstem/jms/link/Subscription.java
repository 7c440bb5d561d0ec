package io.mainstem.jms.link;

/**
 * Names a subscription on a topic.
 *
 * @param name as the application gave it; never empty
 * @param durable outlives its consumers
 * @param shared may have several consumers
 * @param global not part of a client identifier: the connection has none
 */
public record Subscription(String name, boolean durable, boolean shared, boolean global) {}
