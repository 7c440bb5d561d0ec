package io.mainstem.routing;

/** How an exchange compares keys, [A-2]. Names are those of AMQP 0-9-1 in lower case. */
public enum ExchangeType {
    DIRECT,
    FANOUT,
    TOPIC,
    HEADERS
}
