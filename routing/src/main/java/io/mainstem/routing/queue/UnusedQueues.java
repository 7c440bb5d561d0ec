package io.mainstem.routing.queue;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * Queues with {@code x-expires} that nobody consumes from, by when they go. The time begins anew with each last
 * consumer that leaves, with each declaration, and with a start of the broker. Thread: shard only.
 */
final class UnusedQueues {
    private final PriorityQueue<Due> due = new PriorityQueue<>((a, b) -> Long.compare(a.atMs, b.atMs));

    private record Due(long atMs, MessageQueue queue) {}

    /** The queue is unused from now on; nothing happens if it never expires. */
    void unusedSince(MessageQueue queue, long nowMs) {
        long expiresMs = queue.options().expiresMs();
        if (expiresMs >= 0) {
            queue.unusedDueMs = nowMs + expiresMs;
            due.add(new Due(queue.unusedDueMs, queue));
        }
    }

    /** Hands over the queues whose time has come while nobody consumed from them. */
    void fire(long nowMs, Consumer<MessageQueue> to) {
        for (Due first = due.peek(); first != null && first.atMs <= nowMs; first = due.peek()) {
            due.poll();
            // An entry that is not the queue's last one was overtaken by later use.
            if (first.queue.unusedDueMs == first.atMs && !first.queue.deleted() && !first.queue.hasConsumers()) {
                to.accept(first.queue);
            }
        }
    }
}
