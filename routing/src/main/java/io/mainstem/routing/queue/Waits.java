package io.mainstem.routing.queue;

import java.util.PriorityQueue;

/**
 * What shall be done at some time: messages ready again after a delay, and such. In memory only: after a restart nothing
 * waits. Thread: shard only.
 */
final class Waits {
    private static final int WAITS_MAX = 200_000;

    private final PriorityQueue<Wait> waits = new PriorityQueue<>(
            (a, b) -> a.atMs != b.atMs ? Long.compare(a.atMs, b.atMs) : Long.compare(a.number, b.number));
    private long entered;

    /** False if too many wait already: then it was not entered. */
    boolean enter(long atMs, Runnable then) {
        if (waits.size() >= WAITS_MAX) {
            return false;
        }
        waits.add(new Wait(atMs, entered++, then));
        return true;
    }

    /** Does what is due, in order of time; true if there is more of it. */
    boolean run(long nowMs, TurnBudget budget) {
        for (Wait first = waits.peek(); first != null && first.atMs <= nowMs; first = waits.peek()) {
            if (budget.spent()) {
                return true;
            }
            budget.spend(1);
            waits.remove();
            first.then.run();
        }
        return false;
    }

    /** Epoch ms of the next one, or {@link Long#MAX_VALUE}. */
    long nextMs() {
        Wait first = waits.peek();
        return first == null ? Long.MAX_VALUE : first.atMs;
    }

    private record Wait(long atMs, long number, Runnable then) {}
}
