package io.mainstem.routing.queue;

import java.util.PriorityQueue;
import java.util.function.Consumer;

/**
 * When the head of a queue nobody consumes from expires. Thread: shard only.
 *
 * <p>A queue is entered at most once for each time that lies before the one it is entered for already.
 */
final class ExpiryTimer {
    private final PriorityQueue<Due> due = new PriorityQueue<>((a, b) -> Long.compare(a.atMs, b.atMs));

    void enter(MessageQueue queue, long atMs) {
        if (queue.expiryDueMs == 0 || atMs < queue.expiryDueMs) {
            queue.expiryDueMs = atMs;
            due.add(new Due(atMs, queue));
        }
    }

    /** Hands over the queues whose time has come. */
    void fire(long nowMs, Consumer<MessageQueue> to) {
        Due first = due.peek();
        while (first != null && first.atMs <= nowMs) {
            due.poll();
            if (first.queue.expiryDueMs == first.atMs) {
                first.queue.expiryDueMs = 0;
                to.accept(first.queue);
            }
            first = due.peek();
        }
    }

    /** Epoch ms of the next one, or {@link Long#MAX_VALUE}. */
    long nextMs() {
        Due first = due.peek();
        return first == null ? Long.MAX_VALUE : first.atMs;
    }

    private record Due(long atMs, MessageQueue queue) {}
}
