package io.mainstem.routing.selector;

/** What a selector's text is written in. Names are on disk, as arguments of bindings. */
public enum Dialect {
    /** Message selectors of Jakarta Messaging 3.1, section 3.8.1, with {@code "quoted names"} and {@code m.} names. */
    JMS,
    /** SQL of the OASIS AMQP Filter Expressions, section 6. */
    SQL
}
