package io.mainstem.routing.queue;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Settlements and failed deliveries of one iteration, of all consumers, written as one group. They do not wait for a
 * sync: losing one means a redelivery, which is allowed [L-3]. Nor do settlements wake the log: they ride
 * with what is published next, or go after {@value #DEFERRED_MS} ms (ADR 0051). Thread: shard only.
 */
final class SettlementBatch {
    /** Keeps the record of failed deliveries well below the store's limit. */
    private static final int FAILED_MAX = 8192;
    /** How much later settlements may be written for want of company. */
    private static final int DEFERRED_MS = 5;

    private static final long DEFERRED_BYTES_MAX = 64 << 10;
    /** Settlements the log has no room for; above it nothing more is delivered. */
    static final int REFUSED_MAX = 100_000;

    private static final long CHANGED_BYTES_MAX = 256 << 10;

    private static final long NEVER = Long.MAX_VALUE;

    private final Shard shard;
    private final ShardStore store;
    private final SettleRoom room = new SettleRoom();
    private List<Settlement> done = new ArrayList<>();
    private List<Held.Stored> failed = new ArrayList<>();
    private List<MetaChange> changes = new ArrayList<>(0);
    private long changedBytes;
    private boolean urgent;
    private long deferredBytes;
    private long deferredDueMs = NEVER;
    /** What the log had no room for, and which is tried again: a consumer that has settled is not asked again. */
    private List<Group> refused = new ArrayList<>();

    private int refusedCount;

    SettlementBatch(Shard shard, ShardStore store) {
        this.shard = shard;
        this.store = store;
    }

    void done(Held.Stored held, Settlement.Kind kind) {
        if (!held.settled(store)) {
            if (!room.fits(held.entry())) {
                submit();
            }
            room.add(held.entry());
            done.add(new Settlement(held.laneId(), held.entry(), kind));
            // Where there is a limit, publishers are held up or refused until it is in the log.
            urgent |= held.queue().options().lengthLimit() != null;
        }
    }

    /**
     * Raises the delivery count; the queue knows the new one until the record has it. Giving the message back is the
     * caller's.
     */
    void failed(Held.Stored held) {
        if (!held.settled(store)) {
            held.queue().failureUnderWay(held);
            failed.add(held);
            if (failed.size() >= FAILED_MAX) {
                submit();
            }
        }
    }

    /** A change of metadata that goes with them; what is deleted can wait for company. */
    void change(MetaChange change) {
        changes.add(change);
        byte[] value = change.value();
        changedBytes += change.key().length() + (value == null ? 0 : value.length);
        if (changedBytes >= CHANGED_BYTES_MAX) {
            submit();
        }
    }

    /** To be called at the end of an iteration. */
    void submitAndLook() {
        submit();
        boolean due = shard.nowMs() >= deferredDueMs || (shard.clockSetBack() && deferredBytes > 0);
        if (due) {
            deferredDueMs = shard.nowMs() + DEFERRED_MS;
            store.writeDeferred();
        }
    }

    /** When {@link #submitAndLook} shall be called at the latest. */
    long nextDueMs() {
        return deferredDueMs;
    }

    private void submit() {
        if (done.isEmpty() && failed.isEmpty() && changes.isEmpty()) {
            return;
        }
        List<Frame> frames = new ArrayList<>(2);
        if (!done.isEmpty()) {
            frames.add(Frames.settle(done));
        }
        if (!failed.isEmpty()) {
            frames.add(Frames.release(indexesByLane(failed)));
        }
        int settlements = done.size() + failed.size() + changes.size();
        Group group = new Group(frames, changes, failed, settlements, durability());
        done = new ArrayList<>();
        room.clear();
        urgent = false;
        failed = new ArrayList<>(0);
        changes = new ArrayList<>(0);
        changedBytes = 0;
        submit(group);
    }

    private void submit(Group group) {
        if (group.durability() == Durability.DEFERRED) {
            deferredBytes += group.encodedBytes();
            deferredDueMs = Math.min(deferredDueMs, shard.nowMs() + DEFERRED_MS);
        }
        store.submit(group);
    }

    /** Of what is gathered now. */
    private Durability durability() {
        boolean now = urgent
                || !failed.isEmpty()
                || changes.stream().anyMatch(each -> each.value() != null)
                || deferredBytes >= DEFERRED_BYTES_MAX;
        return now ? Durability.WRITE : Durability.DEFERRED;
    }

    /** True while so many wait for room in the log that nothing more shall be delivered. */
    boolean holdsUp() {
        return refusedCount >= REFUSED_MAX;
    }

    private void again() {
        List<Group> some = refused;
        refused = new ArrayList<>();
        refusedCount = 0;
        for (Group group : some) {
            // What was to be written may be out of date by now, and in the log already.
            group.changes.forEach(change -> shard.annotated().recordAgain(change.key()));
            if (!group.settled.isEmpty()) {
                submit(new Group(group.settled, List.of(), group.recorded, group.settlements, Durability.WRITE));
            }
        }
    }

    private void ended(Group group) {
        if (group.durability() == Durability.DEFERRED) {
            deferredBytes -= group.encodedBytes();
            deferredDueMs = deferredBytes == 0 ? NEVER : deferredDueMs;
        }
    }

    private static Map<Long, long[]> indexesByLane(List<Held.Stored> releases) {
        Map<Long, List<Long>> byLane = new TreeMap<>();
        for (Held.Stored held : releases) {
            byLane.computeIfAbsent(held.laneId(), lane -> new ArrayList<>())
                    .add(held.entry().index());
        }
        Map<Long, long[]> sorted = new TreeMap<>();
        byLane.forEach((lane, indexes) -> sorted.put(
                lane, indexes.stream().mapToLong(Long::longValue).sorted().toArray()));
        return sorted;
    }

    private static List<Frame> all(List<Frame> settled, List<MetaChange> changes) {
        List<Frame> all = new ArrayList<>(settled);
        all.addAll(MetaFrames.of(changes));
        return all;
    }

    private final class Group extends LoggedChange {
        private final List<Frame> settled;
        private final List<MetaChange> changes;
        private final List<Held.Stored> recorded;
        private final int settlements;

        /** @param settled records of settlements and failed deliveries */
        Group(
                List<Frame> settled,
                List<MetaChange> changes,
                List<Held.Stored> recorded,
                int settlements,
                Durability durability) {
            super(all(settled, changes), durability);
            this.settled = settled;
            this.changes = changes;
            this.recorded = recorded;
            this.settlements = settlements;
        }

        @Override
        public void onApplied() {
            ended(this);
            for (Held.Stored held : recorded) {
                held.queue().failureRecorded(held);
            }
        }

        @Override
        void refused() {
            ended(this);
            if (refused.isEmpty()) {
                shard.retryLater(SettlementBatch.this::again);
            }
            refused.add(this);
            refusedCount += settlements;
        }

        @Override
        void inDoubt() {
            ended(this);
        }
    }
}
