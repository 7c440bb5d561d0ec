package io.mainstem.routing.queue;

import java.util.List;

/** A range of a consumer's unsettled deliveries that is taken out piece by piece. Thread: shard only. */
final class TakenDeliveries {
    private final UnsettledDeliveries from;
    private final long last;
    private long first;
    private boolean done;

    TakenDeliveries(UnsettledDeliveries from, long first, long last) {
        this.from = from;
        this.first = first;
        this.last = last;
    }

    /** Some more of them, in id order. */
    List<UnsettledDeliveries.Numbered> next(TurnBudget budget) {
        int max = Math.max(1, budget.left());
        List<UnsettledDeliveries.Numbered> taken = from.takeRange(first, last, max);
        budget.spend(Math.max(1, taken.size()));
        if (taken.size() < max) {
            done = true;
        } else {
            first = taken.get(max - 1).deliveryId() + 1;
        }
        return taken;
    }

    /** True once there are no more. */
    boolean done() {
        return done;
    }
}
