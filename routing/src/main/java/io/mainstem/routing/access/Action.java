package io.mainstem.routing.access;

import java.util.Locale;

/** What somebody wants to do with an object. */
public enum Action {
    /** Declare and delete. */
    CONFIGURE,
    /** Publish to; bind a queue or exchange as destination. */
    WRITE,
    /** Consume from, purge; bind an exchange or topic as source. */
    READ;

    /** As in rules and texts. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
