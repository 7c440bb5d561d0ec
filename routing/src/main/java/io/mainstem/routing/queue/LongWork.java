package io.mainstem.routing.queue;

/** What may take longer than others should wait for: it is done piece by piece. Thread: shard only. */
@FunctionalInterface
interface LongWork {
    /** Does some of it, as long as the budget lasts, at least a little; true once there is nothing left of it. */
    boolean goOn(TurnBudget budget);
}
