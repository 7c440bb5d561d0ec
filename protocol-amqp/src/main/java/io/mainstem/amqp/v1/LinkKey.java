package io.mainstem.amqp.v1;

/**
 * What tells a link from all others (AMQP 1.0 part 2, 2.6.1).
 *
 * @param container the peer's container-id
 * @param inbound the peer sends
 */
record LinkKey(String virtualHost, String container, String name, boolean inbound) {}
