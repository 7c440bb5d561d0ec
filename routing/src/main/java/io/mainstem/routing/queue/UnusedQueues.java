package io.mainstem.routing.queue;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Queues with {@code x-expires} that nobody consumes from, by when they go. The time begins anew with each last
 * consumer that leaves, with each declaration, and with a start of the broker. Thread: shard only.
 */
final class UnusedQueues {
    /** A deletion is a plan and a record. */
    private static final int STEPS_PER_QUEUE = 8;

    private final PriorityQueue<Due> due = new PriorityQueue<>((a, b) -> Long.compare(a.atMs, b.atMs));

    private record Due(long atMs, MessageQueue queue) {}

    /** The queue is unused from now on; nothing happens if it never expires. */
    void unusedSince(MessageQueue queue, long nowMs) {
        long expiresMs = queue.options().expiresMs();
        if (expiresMs < 0) {
            // A policy may have ended it: what was entered is told so when it fires.
            queue.unusedDueMs = queue.unusedDueMs == 0 ? 0 : Long.MAX_VALUE;
            return;
        }
        long dueMs = nowMs + expiresMs;
        boolean entered = queue.unusedDueMs != 0 && queue.unusedEnteredMs <= dueMs;
        queue.unusedDueMs = dueMs;
        if (!entered) {
            enter(queue, dueMs);
        }
    }

    private void enter(MessageQueue queue, long atMs) {
        queue.unusedEnteredMs = atMs;
        due.add(new Due(atMs, queue));
    }

    /** Hands over the queues whose time has come while nobody consumed from them; false if there are more. */
    boolean fire(long nowMs, TurnBudget budget, Consumer<MessageQueue> to) {
        for (Due first = due.peek(); first != null && first.atMs <= nowMs; first = due.peek()) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(STEPS_PER_QUEUE);
            due.poll();
            MessageQueue queue = first.queue;
            if (first.atMs != queue.unusedEnteredMs) {
                // A policy has made it earlier, and another entry counts.
                continue;
            }
            if (queue.deleted() || queue.hasConsumers() || queue.unusedDueMs == Long.MAX_VALUE) {
                queue.unusedDueMs = 0;
            } else if (queue.unusedDueMs > first.atMs) {
                // Used meanwhile. One entry a queue, however often consumers come and go.
                enter(queue, queue.unusedDueMs);
            } else {
                queue.unusedDueMs = 0;
                to.accept(queue);
            }
        }
        return true;
    }
}
