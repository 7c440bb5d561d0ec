package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Publishes that change retained messages, numbered from before they are routed until they are on disk or have failed. Who
 * has been bound waits for those that may have been routed without that binding; all later ones see it.
 *
 * <p>Thread: any. Event loops begin, event loops and the shard end: the lock is held for a step on small heaps.
 */
final class RetainedUnderWay {
    private final AtomicLong begun = new AtomicLong();
    /** Over before some that began earlier. */
    private final PriorityQueue<Long> overAhead = new PriorityQueue<>();

    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>((a, b) -> Long.compare(a.number, b.number));
    /** This one and all before it are over. */
    private long over;

    private record Waiter(long number, CompletableFuture<Long> stage) {}

    /** One more is about to be routed; {@link #end} follows once. */
    long begin() {
        return begun.incrementAndGet();
    }

    void end(long number) {
        List<Waiter> due = new ArrayList<>(0);
        synchronized (this) {
            overAhead.add(number);
            while (!overAhead.isEmpty() && overAhead.peek() == over + 1) {
                overAhead.remove();
                over++;
            }
            while (!waiters.isEmpty() && waiters.peek().number <= over) {
                due.add(waiters.remove());
            }
        }
        due.forEach(waiter -> waiter.stage.complete(waiter.number));
    }

    /** The last one that has begun. */
    long last() {
        return begun.get();
    }

    /** Completes, with that number, when it and all before it are over. */
    CompletionStage<Long> settled(long number) {
        synchronized (this) {
            if (number <= over) {
                return CompletableFuture.completedFuture(number);
            }
            Waiter waiter = new Waiter(number, new CompletableFuture<>());
            waiters.add(waiter);
            return waiter.stage;
        }
    }
}
