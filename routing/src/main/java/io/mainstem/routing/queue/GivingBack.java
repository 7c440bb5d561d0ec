package io.mainstem.routing.queue;

import java.util.Collection;
import java.util.List;

/**
 * Messages that go back to where they came from. If it takes more than one turn, their queues hand out nothing meanwhile:
 * newer messages would overtake them [T-5]. Thread: shard only.
 *
 * @param <T> what stands for a message
 */
final class GivingBack<T> implements LongWork {
    private final Outcomes outcomes;
    private final Collection<MessageQueue> queues;
    private final List<T> messages;
    private final java.util.function.Consumer<T> how;
    private final Runnable whenDone;
    private int next;
    private boolean begun;

    GivingBack(
            Outcomes outcomes,
            Collection<MessageQueue> queues,
            List<T> messages,
            java.util.function.Consumer<T> how,
            Runnable whenDone) {
        this.outcomes = outcomes;
        this.queues = queues;
        this.messages = messages;
        this.how = how;
        this.whenDone = whenDone;
    }

    @Override
    public boolean goOn(TurnBudget budget) {
        int end = Math.min(messages.size(), next + Math.max(1, budget.left()));
        budget.spend(end - next);
        while (next < end) {
            how.accept(messages.get(next++));
        }
        if (next < messages.size()) {
            if (!begun) {
                begun = true;
                queues.forEach(MessageQueue::hold);
            }
            return false;
        }
        if (begun) {
            queues.forEach(outcomes::goOn);
        }
        whenDone.run();
        return true;
    }
}
