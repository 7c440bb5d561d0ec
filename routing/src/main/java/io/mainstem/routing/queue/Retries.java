package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What could not be done for a reason that may pass, such as too many open files: done again after a pause, in the order
 * it failed. Whoever enters something has its own bound of how much that may be. Thread: shard only.
 */
final class Retries {
    /** The shard sleeps no longer than that, whatever there is to do. */
    static final long PAUSE_MS = 1000;

    private final ArrayDeque<Again> waiting = new ArrayDeque<>();

    /** Does it again when a pause is over. */
    void later(long nowMs, Runnable again) {
        waiting.add(new Again(nowMs + PAUSE_MS, again));
    }

    /**
     * Does what is due.
     *
     * @param clockSetBack the time stands still, maybe for hours: what waits does not wait for that
     */
    void run(long nowMs, boolean clockSetBack) {
        for (int left = waiting.size(); left > 0; left--) {
            @Nullable Again first = waiting.peek();
            if (first == null || (first.dueMs > nowMs && !clockSetBack)) {
                return;
            }
            waiting.remove();
            first.task.run();
        }
    }

    private record Again(long dueMs, Runnable task) {}
}
