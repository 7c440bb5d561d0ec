package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;

/**
 * Sessions that have asked for something, in turn, and as much in one iteration of the shard as its budget has: whoever asks
 * for much waits for it, nobody else does. Thread: shard only.
 */
final class WorkTurns {
    /** What one session may have done before it is the next one's turn. */
    private static final int STEPS_PER_TURN = 256;

    private final TurnBudget budget;
    private final TurnBudget turn = new TurnBudget(STEPS_PER_TURN);
    private final ArrayDeque<WorkQueue> waiting = new ArrayDeque<>();
    private boolean inTurn;

    /** @param budget of an iteration; the owner renews it */
    WorkTurns(TurnBudget budget) {
        this.budget = budget;
    }

    /** What whoever works now may still do. */
    TurnBudget budget() {
        return inTurn ? turn : budget;
    }

    void enter(WorkQueue queue) {
        if (!queue.waiting) {
            queue.waiting = true;
            waiting.addLast(queue);
        }
    }

    /** Work that no session waits behind. */
    void begin(LongWork work) {
        new WorkQueue(this).begin(work);
    }

    /** Goes on with what waits; true if there is more to do at once. */
    boolean run() {
        while (!budget.spent() && !waiting.isEmpty()) {
            WorkQueue next = waiting.remove();
            next.waiting = false;
            if (goOn(next)) {
                enter(next);
            }
        }
        return !waiting.isEmpty();
    }

    private boolean goOn(WorkQueue queue) {
        turn.renew(Math.min(budget.left(), STEPS_PER_TURN));
        int given = turn.left();
        inTurn = true;
        boolean more = true;
        while (more && !turn.spent()) {
            more = queue.goOn(turn);
        }
        inTurn = false;
        budget.spend(given - turn.left());
        return more;
    }

    /**
     * To the end, however long it takes: the shard stops.
     *
     * @param meanwhile asked between the turns: brings in what the log has done, for which some of the work waits; false = no
     *     more of that comes
     */
    void runAll(BooleanSupplier meanwhile) {
        do {
            budget.renew();
        } while (run() && meanwhile.getAsBoolean());
    }
}
