package io.mainstem.benchmarks.store;

import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.store.Durability;
import io.mainstem.store.Frames;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.Route;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a number of durable groups in flight at a store. Thread: one, which is the store's shard thread; so a group
 * costs the store's own hand-overs and no others.
 */
final class GroupLoad {
    private static final int POLL_GROUPS_MAX = 4096;
    private static final byte[] HEAD = new byte[32];

    private final ShardStore store;
    private final List<byte[]> payload;
    private final List<Route> routes;
    private final Latencies latencies = new Latencies();
    private final List<MessageGroup> next = new ArrayList<>();
    private final int queueId;
    private final Thread shard = Thread.currentThread();
    private volatile boolean woken;
    private long applied;

    /**
     * @param store not attached yet; from now on this thread is its shard thread
     * @param queueId where the messages go
     */
    GroupLoad(ShardStore store, int bodyBytes, int queueId) {
        this.store = store;
        this.queueId = queueId;
        this.payload = List.of(new byte[bodyBytes]);
        this.routes = List.of(new Route(queueId, 0));
        store.attach(this::wake);
    }

    /**
     * Submits so many groups, each as soon as one before it is applied.
     *
     * @param inFlight groups submitted and not applied
     * @return seconds it took
     */
    double run(int groups, int inFlight) {
        long begin = System.nanoTime();
        applied = 0;
        int submitted = Math.min(groups, inFlight);
        for (int i = 0; i < submitted; i++) {
            next.add(new MessageGroup());
        }
        while (applied < groups) {
            store.submitAll(next);
            next.clear();
            int done = pollOrPark();
            for (int i = 0; i < done && submitted < groups; i++) {
                next.add(new MessageGroup());
                submitted++;
            }
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Empties the queue, as consumers would, so that the log's dead segments come back as new ones. */
    void purge() {
        long before = applied;
        store.submit(new PurgeGroup());
        while (applied == before) {
            pollOrPark();
        }
    }

    /** Time from submitting a group until it was applied, since the start. */
    Latencies latencies() {
        return latencies;
    }

    private int pollOrPark() {
        long before = applied;
        while (true) {
            woken = false;
            boolean done = store.poll(POLL_GROUPS_MAX) > 0;
            done |= store.backgroundSlice(System.currentTimeMillis());
            if (applied > before) {
                return (int) (applied - before);
            }
            if (done) {
                continue;
            }
            // A wake-up since the poll has set the flag again, and lets the park return at once.
            if (!woken) {
                LockSupport.park(this);
            }
        }
    }

    private void wake() {
        if (!woken) {
            woken = true;
            LockSupport.unpark(shard);
        }
    }

    /** Settles all that the queue holds. */
    private final class PurgeGroup extends RecordGroup {
        PurgeGroup() {
            super(List.of(Frames.purge(queueId, false)), Durability.SYNC);
        }

        @Override
        public void onApplied() {
            applied++;
        }

        @Override
        public void onFailed(StoreState why) {
            throw new IllegalStateException("the store has failed: " + why + " " + store.stateReason());
        }
    }

    /** One message that knows when it was submitted. */
    private final class MessageGroup extends RecordGroup {
        private final long submittedNanos = System.nanoTime();

        MessageGroup() {
            super(List.of(Frames.message(routes, 0, 0, HEAD, payload)), Durability.SYNC);
        }

        @Override
        public void onApplied() {
            latencies.record(System.nanoTime() - submittedNanos);
            applied++;
        }

        @Override
        public void onFailed(StoreState why) {
            throw new IllegalStateException("the store has failed: " + why + " " + store.stateReason());
        }
    }
}
