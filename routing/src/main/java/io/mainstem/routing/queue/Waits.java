package io.mainstem.routing.queue;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * What shall be done at some time: messages ready again after a delay, and such. In memory only: after a restart nothing
 * waits. Queues share the room: one may have as much as is free, so alone half of all, and however much the others have,
 * a queue that has none gets some. Thread: shard only.
 */
final class Waits {
    /** What a queue waits for; each kind has a room of its own. */
    enum Kind {
        /** That a message that failed is ready again. */
        DELAY(200_000),
        /** That nobody is left who could take a message. */
        EXCLUSION(100_000);

        private final int max;

        Kind(int max) {
            this.max = max;
        }
    }

    private final PriorityQueue<Wait> waits = new PriorityQueue<>(
            (a, b) -> a.atMs != b.atMs ? Long.compare(a.atMs, b.atMs) : Long.compare(a.number, b.number));
    private final Map<Share, Integer> byQueue = new HashMap<>();
    private final Map<Kind, Integer> byKind = new EnumMap<>(Kind.class);
    private long entered;

    /**
     * False if too many wait already, of all or of this queue: then it was not entered.
     *
     * @param queue whose room it takes
     */
    boolean enter(Kind kind, Object queue, long atMs, Runnable then) {
        Share share = new Share(kind, queue);
        int own = byQueue.getOrDefault(share, 0);
        int all = byKind.getOrDefault(kind, 0);
        if (own >= kind.max - all) {
            return false;
        }
        byQueue.put(share, own + 1);
        byKind.put(kind, all + 1);
        waits.add(new Wait(share, atMs, entered++, then));
        return true;
    }

    /** Does what is due, in order of time; true if there is more of it. */
    boolean run(long nowMs, TurnBudget budget) {
        for (Wait first = waits.peek(); first != null && first.atMs <= nowMs; first = waits.peek()) {
            if (budget.spent()) {
                return true;
            }
            budget.spend(1);
            waits.remove();
            left(first.share);
            first.then.run();
        }
        return false;
    }

    private void left(Share share) {
        byKind.merge(share.kind, -1, Integer::sum);
        byQueue.computeIfPresent(share, (key, count) -> count > 1 ? count - 1 : null);
    }

    /** Epoch ms of the next one, or {@link Long#MAX_VALUE}. */
    long nextMs() {
        Wait first = waits.peek();
        return first == null ? Long.MAX_VALUE : first.atMs;
    }

    /** Whose room it takes. */
    private record Share(Kind kind, Object queue) {}

    private record Wait(Share share, long atMs, long number, Runnable then) {}
}
