package io.mainstem.routing.queue;

import io.mainstem.store.ShardStore;
import java.util.ArrayDeque;

/**
 * Messages the broker itself takes out of a queue, whose record is under way: they count as in the queue until then, and
 * should not when its room is measured. Thread: shard only.
 */
final class Leaving {
    private final ArrayDeque<Held.Stored> underWay = new ArrayDeque<>();
    private long bytes;

    void add(Held.Stored held, ShardStore store) {
        forgetGone(store); // here too: a queue without a limit is never measured
        underWay.add(held);
        bytes += bytes(held);
    }

    /** What they take of the queue's room. */
    long bytes(ShardStore store) {
        forgetGone(store);
        return bytes;
    }

    /** Those that are under way, and some that are not any more. */
    int count() {
        return underWay.size();
    }

    private void forgetGone(ShardStore store) {
        while (!underWay.isEmpty() && underWay.peek().settled(store)) {
            bytes -= bytes(underWay.remove());
        }
    }

    private static long bytes(Held.Stored held) {
        long[] sum = new long[1];
        held.entry().forEachUnit((unit, share) -> sum[0] += share);
        return sum[0];
    }
}
