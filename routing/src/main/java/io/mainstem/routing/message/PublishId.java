package io.mainstem.routing.message;

/**
 * Which message a publisher says this is: one that is stored already is answered as stored and not stored again
 * ([L-9], ADR 0027). Not part of the stored message. Thread: any; immutable.
 */
public sealed interface PublishId {
    /** Of a producer id or a name. */
    int CHARACTERS_MAX = 255;

    /**
     * One of the messages of a producer, wherever it sends them.
     *
     * @param producer unique among the user's producers, 1 to {@link #CHARACTERS_MAX} characters
     * @param sequence not below 0, in about the order they are sent; may have gaps
     */
    record Sequence(String producer, long sequence) implements PublishId {
        public Sequence {
            check("producer id", producer);
            if (sequence < 0) {
                throw new IllegalArgumentException("sequence: " + sequence + " (expected: >= 0)");
            }
        }
    }

    /**
     * A name the publisher has for it, unique among the user's messages to one address.
     *
     * @param name 1 to {@link #CHARACTERS_MAX} characters
     */
    record Name(String name) implements PublishId {
        public Name {
            check("dedup id", name);
        }
    }

    private static void check(String what, String text) {
        if (text.isEmpty() || text.length() > CHARACTERS_MAX) {
            throw new IllegalArgumentException(
                    what + ": " + text.length() + " characters (expected: 1 to " + CHARACTERS_MAX + ")");
        }
    }
}
