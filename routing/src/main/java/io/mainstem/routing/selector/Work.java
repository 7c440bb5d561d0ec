package io.mainstem.routing.selector;

/**
 * What one selector may cost with one message: characters and bytes it looks at. A comparison beyond that is unknown, as with
 * NULL, so that a long value does not stop all queues. Thread: one.
 */
final class Work {
    /** A millisecond or two. Whoever compares one text of this length once is not bounded by it. */
    static final int STEPS_MAX = 1 << 18;

    private int left = STEPS_MAX;
    private long spent;

    /** For another selector. */
    void begin() {
        left = STEPS_MAX;
    }

    /** False if there is not so much left: nothing may be done. */
    boolean spend(int steps) {
        if (steps > left) {
            return false;
        }
        left -= steps;
        spent += steps;
        return true;
    }

    /** Done once for all selectors of a message: it counts for the turn of its queue. */
    void read(int bytes) {
        spent += Math.max(0, bytes);
    }

    /** By all selectors together. */
    long spent() {
        return spent;
    }
}
