package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import java.util.List;

/**
 * What one session has asked for, in its order. A request that takes long goes on turn by turn, and those behind it wait; so
 * they see all of what it has done. Thread: shard only.
 */
final class WorkQueue {
    private final WorkTurns turns;
    /** Parts of the request that was begun last, not done yet. */
    private final ArrayDeque<LongWork> begun = new ArrayDeque<>(0);

    private final ArrayDeque<Runnable> asked = new ArrayDeque<>();
    /** Kept by {@link WorkTurns}: waits for its turn. */
    boolean waiting;

    WorkQueue(WorkTurns turns) {
        this.turns = turns;
    }

    /** To be done in this order, behind everything before. */
    void add(List<Runnable> requests) {
        asked.addAll(requests);
        turns.enter(this);
    }

    /** Does it, now as far as there is time, and before any further request. */
    void begin(LongWork work) {
        if (!begun.isEmpty() || !work.goOn(turns.budget())) {
            begun.add(work);
            turns.enter(this);
        }
    }

    /** Goes on; true if there is more. */
    boolean goOn(TurnBudget budget) {
        LongWork first = begun.peek();
        if (first != null) {
            if (first.goOn(budget)) {
                begun.remove();
            }
        } else {
            Runnable request = asked.poll();
            if (request != null) {
                budget.spend(1);
                request.run();
            }
        }
        return !begun.isEmpty() || !asked.isEmpty();
    }
}
