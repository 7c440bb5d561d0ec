package io.mainstem.amqp.v1;

/** Where an address leads. */
sealed interface Address {
    /** What a terminus capability or a message's {@code x-opt-jms-dest} says an address names. */
    enum Kind {
        QUEUE,
        TOPIC,
        TEMPORARY_QUEUE,
        TEMPORARY_TOPIC;

        /** By the byte on messages; null for other values. */
        static @org.jspecify.annotations.Nullable Kind ofByte(int code) {
            return code >= 0 && code < values().length ? values()[code] : null;
        }
    }

    /**
     * A queue, reached through the default exchange.
     *
     * @param autoCreate whether using it may make it
     */
    record QueueNode(String name, boolean autoCreate) implements Address {}

    /** A key, or for sources a binding key, of {@code amq.topic}. */
    record TopicNode(String key) implements Address {}

    /** An exchange and a routing key, or for sources a binding key. */
    record ExchangeNode(String exchange, String key) implements Address {}
}
