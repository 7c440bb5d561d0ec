package io.mainstem.routing.queue;

import io.mainstem.routing.Outcome;

/**
 * One outcome for a range of a consumer's deliveries. If it takes more than one turn, the queue hands out nothing meanwhile:
 * newer messages would overtake those that are still to be given back [T-5]. Thread: shard only.
 */
final class Settling implements LongWork {
    private final Outcomes outcomes;
    private final Consumer consumer;
    private final TakenDeliveries range;
    private final Outcome outcome;
    private boolean begun;

    Settling(Outcomes outcomes, Consumer consumer, long first, long last, Outcome outcome) {
        this.outcomes = outcomes;
        this.consumer = consumer;
        this.range = new TakenDeliveries(consumer.unsettled(), first, last);
        this.outcome = outcome;
    }

    @Override
    public boolean goOn(TurnBudget budget) {
        for (UnsettledDeliveries.Numbered each : range.next(budget)) {
            outcomes.apply(consumer, each.held(), outcome);
        }
        if (!range.done() && !begun) {
            begun = true;
            consumer.queue().hold();
        } else if (range.done() && begun) {
            outcomes.goOn(consumer.queue());
        }
        return range.done();
    }
}
