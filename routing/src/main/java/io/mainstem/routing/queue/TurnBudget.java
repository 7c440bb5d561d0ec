package io.mainstem.routing.queue;

/**
 * How much may still be done before the shard turns to something else. Work is counted, not timed: a message that is looked
 * at, handed over, settled or given back, a queue that is looked at, a request, is a step each. Thread: shard only.
 */
final class TurnBudget {
    private final int steps;
    private int left;

    /** @param steps of one iteration */
    TurnBudget(int steps) {
        this.steps = steps;
        this.left = steps;
    }

    /** An iteration begins. */
    void renew() {
        left = steps;
    }

    /** As {@link #renew()}, with another number of steps. */
    void renew(int itsSteps) {
        left = itsSteps;
    }

    void spend(int done) {
        left -= done;
    }

    boolean spent() {
        return left <= 0;
    }

    int left() {
        return left;
    }
}
