package io.mainstem.routing.access;

import java.util.Locale;

/** What rules are about. */
public enum ObjectKind {
    QUEUE,
    EXCHANGE,
    /** A topic name or filter: a routing key of {@code amq.topic}. */
    TOPIC,
    /** The broker itself: what an administrator does, such as closing other users' connections. */
    BROKER;

    /** As in rules and texts. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
