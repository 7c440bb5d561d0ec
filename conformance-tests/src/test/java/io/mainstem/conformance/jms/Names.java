package io.mainstem.conformance.jms;

import java.util.UUID;

/** Names that no other test uses. */
final class Names {
    /** Longer than any answer should take; the end of a test that would hang. */
    static final long WAIT_MS = 60_000;

    /** Long enough that what must not come would have come. */
    static final long SILENCE_MS = 250;

    private Names() {}

    static String unique(String kind) {
        return "jms." + kind + '.' + UUID.randomUUID();
    }
}
