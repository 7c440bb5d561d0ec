package io.mainstem.routing.queue;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * When the head of a queue nobody consumes from expires. A queue is entered once, for the earliest time it was entered
 * for: messages that expire the sooner the later they come do not make it grow. Thread: shard only.
 */
final class ExpiryTimer {
    private static final Comparator<MessageQueue> EARLIEST_FIRST =
            Comparator.<MessageQueue>comparingLong(queue -> queue.expiryDueMs).thenComparingInt(MessageQueue::id);

    /** By a time that is only changed while the queue is not in it. */
    private final TreeSet<MessageQueue> due = new TreeSet<>(EARLIEST_FIRST);

    void enter(MessageQueue queue, long atMs) {
        if (queue.expiryDueMs == 0 || atMs < queue.expiryDueMs) {
            due.remove(queue);
            queue.expiryDueMs = atMs;
            due.add(queue);
        }
    }

    /** Hands over queues whose time has come, so many at most; returns how many. */
    int fire(long nowMs, int max, Consumer<MessageQueue> to) {
        int fired = 0;
        for (; fired < max && !due.isEmpty() && due.first().expiryDueMs <= nowMs; fired++) {
            MessageQueue queue = due.first();
            due.remove(queue);
            queue.expiryDueMs = 0;
            to.accept(queue);
        }
        return fired;
    }

    /** Epoch ms of the next one, or {@link Long#MAX_VALUE}. */
    long nextMs() {
        return due.isEmpty() ? Long.MAX_VALUE : due.first().expiryDueMs;
    }

    /** How many queues are entered. */
    int size() {
        return due.size();
    }
}
