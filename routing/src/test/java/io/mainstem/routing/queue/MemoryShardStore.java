package io.mainstem.routing.queue;

import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Lane;
import io.mainstem.store.MetaChange;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.RecordType;
import io.mainstem.store.Route;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoredMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A store without a disk: stands in until the real one is there. */
final class MemoryShardStore implements ShardStore {
    private final List<Frame> log;
    private final Map<Long, Frame> byLsn = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<RecordGroup> submitted = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Runnable> fetched = new ConcurrentLinkedQueue<>();
    private final Map<Long, MemoryLane> lanes = new HashMap<>();
    private final Set<Integer> dropped = new HashSet<>();
    private final TreeMap<String, byte[]> meta = new TreeMap<>();
    private Runnable wake = () -> {};
    volatile StoreState state = StoreState.RUNNING;
    private long nextLsn = 64;

    MemoryShardStore() {
        this(new ArrayList<>());
    }

    private MemoryShardStore(List<Frame> log) {
        this.log = log;
        for (Frame frame : log) {
            fold(frame);
            nextLsn = frame.lsn() + 64;
        }
        lanes.values().forEach(MemoryLane::recovered);
    }

    MemoryShardStore reopened() {
        return new MemoryShardStore(log);
    }

    @Override
    public void submit(RecordGroup group) {
        submitted.add(group);
        wake.run();
    }

    @Override
    public void submitAll(List<? extends RecordGroup> groups) {
        submitted.addAll(groups);
        wake.run();
    }

    @Override
    public boolean writable() {
        return state == StoreState.RUNNING;
    }

    @Override
    public void onWritable(Runnable ready) {
        if (writable()) {
            ready.run();
        }
    }

    @Override
    public StoreState state() {
        return state;
    }

    @Override
    public String stateReason() {
        return state == StoreState.RUNNING ? "" : state.name();
    }

    @Override
    public CompletionStage<StoredMessage> read(Entry entry) {
        Frame frame = byLsn.get(entry.lsn());
        byte[] first = frame.body().get(0);
        RecordBody.Message body = (RecordBody.Message) RecordBody.decode(RecordType.MSG, first, 0);
        byte[] head = Arrays.copyOfRange(first, body.headFrom(), body.payloadFrom());
        byte[] overrides = null;
        if (entry.isRef()) {
            byte[] ref = byLsn.get(entry.aux()).body().get(0);
            RecordBody.MessageRef refBody = (RecordBody.MessageRef) RecordBody.decode(RecordType.MSG_REF, ref, 0);
            overrides = Arrays.copyOfRange(ref, refBody.overridesFrom(), ref.length);
        }
        return CompletableFuture.completedFuture(new StoredMessage(
                entry.lsn(), head, frame.body().subList(1, frame.body().size()), overrides));
    }

    @Override
    public long syncedLsn() {
        return nextLsn;
    }

    @Override
    public void attach(Runnable newWake) {
        this.wake = newWake;
    }

    @Override
    public int poll(int groupsMax) {
        int done = 0;
        for (Runnable task = fetched.poll(); task != null; task = fetched.poll()) {
            task.run();
            done++;
        }
        for (RecordGroup group = submitted.poll(); group != null; group = submitted.poll()) {
            done++;
            if (state == StoreState.FAILED || (state == StoreState.DISK_CRITICAL && group.publishes())) {
                group.onFailed(state);
                continue;
            }
            for (Frame frame : group.frames()) {
                frame.assignLsn(nextLsn);
                nextLsn += 64;
                log.add(frame);
                fold(frame);
            }
            group.onApplied();
        }
        return done;
    }

    private void fold(Frame frame) {
        byLsn.put(frame.lsn(), frame);
        RecordBody body = RecordBody.decode(frame.type(), frame.body().get(0), 0);
        if (body instanceof RecordBody.Message message) {
            append(message.routes(), frame.lsn(), (int) frame.bodyBytes(), 0, 0, message.expireAtMs());
        } else if (body instanceof RecordBody.MessageRef ref) {
            append(ref.routes(), ref.targetLsn(), ref.targetSize(), Entry.FLAG_REF, frame.lsn(), ref.expireAtMs());
        } else if (body instanceof RecordBody.Settle settle) {
            settle.lanes().forEach(lane -> lanes.get(lane.laneId()).settle(lane));
        } else if (body instanceof RecordBody.Release release) {
            release.lanes().forEach(lane -> lanes.get(lane.laneId()).release(lane.indexes()));
        } else if (body instanceof RecordBody.Purge purge) {
            for (MemoryLane lane : lanes.values()) {
                if (lane.laneId >> 8 == purge.queueId()) {
                    lane.ready.clear();
                    lane.taken.clear();
                }
            }
            if (purge.dropQueue()) {
                dropped.add(purge.queueId());
            }
        } else if (body instanceof RecordBody.Meta changes) {
            for (MetaChange change : changes.changes()) {
                if (change.value() == null) {
                    meta.remove(change.key());
                } else {
                    meta.put(change.key(), change.value());
                }
            }
        }
    }

    private void append(List<Route> routes, long lsn, int size, int flags, long aux, long expireAtMs) {
        for (Route route : routes) {
            if (!dropped.contains(route.queueId())) {
                lanes.computeIfAbsent(route.laneId(), MemoryLane::new)
                        .append(lsn, size, flags, routes.size(), aux, expireAtMs);
            }
        }
    }

    @Override
    public boolean backgroundSlice(long nowMs) {
        return false;
    }

    @Override
    public Lane lane(long laneId) {
        return lanes.get(laneId);
    }

    @Override
    public Iterable<? extends Lane> lanes() {
        return lanes.values().stream().filter(lane -> lane.unsettled() > 0).toList();
    }

    @Override
    public NavigableMap<String, byte[]> meta() {
        return meta;
    }

    @Override
    public CompletionStage<Void> checkpoint() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        int done = 1;
        while (done > 0) {
            done = poll(100);
        }
        state = StoreState.CLOSED;
    }

    @Override
    public void abandon() {
        state = StoreState.CLOSED;
    }

    private final class MemoryLane implements Lane, Cursor {
        final long laneId;
        final List<Entry> entries = new ArrayList<>();
        final TreeSet<Long> ready = new TreeSet<>();
        final Set<Long> taken = new HashSet<>();
        final Set<Long> seen = new HashSet<>();
        final Map<Long, Integer> failed = new HashMap<>();
        final Set<Long> resident = new HashSet<>();

        MemoryLane(long laneId) {
            this.laneId = laneId;
        }

        void append(long lsn, int size, int flags, int fanout, long aux, long expireAtMs) {
            long index = entries.size();
            entries.add(new Entry(index, lsn, size, flags, fanout, aux, expireAtMs));
            ready.add(index);
        }

        void recovered() {
            seen.addAll(ready);
            taken.clear();
        }

        void settle(RecordBody.SettledRanges ranges) {
            for (int at = 0; at < ranges.first().length; at++) {
                if (ranges.lsnCheck()[at]
                        != entries.get((int) ranges.first()[at]).lsnCheck()) {
                    throw new IllegalStateException("settles another message");
                }
                for (long index = ranges.first()[at]; index < ranges.first()[at] + ranges.count()[at]; index++) {
                    ready.remove(index);
                    taken.remove(index);
                }
            }
        }

        void release(long[] indexes) {
            for (long index : indexes) {
                failed.merge(index, 1, Integer::sum);
                seen.add(index);
            }
        }

        @Override
        public long laneId() {
            return laneId;
        }

        @Override
        public long firstIndex() {
            return 0;
        }

        @Override
        public long nextIndex() {
            return entries.size();
        }

        @Override
        public Entry entry(long index) {
            // Every 100th entry must be fetched first, so that the way through the disk is taken.
            return index % 100 == 99 && !resident.contains(index) ? null : entries.get((int) index);
        }

        @Override
        public void fetch(long index, Runnable whenResident) {
            fetched.add(() -> {
                resident.add(index);
                whenResident.run();
            });
            wake.run();
        }

        @Override
        public Cursor cursor() {
            return this;
        }

        @Override
        public long floor() {
            return 0;
        }

        @Override
        public long ready() {
            return ready.size();
        }

        @Override
        public long unsettled() {
            return (long) ready.size() + taken.size();
        }

        @Override
        public long next() {
            return ready.isEmpty() ? -1 : ready.first();
        }

        @Override
        public long nextFrom(long from) {
            Long found = ready.ceiling(from);
            return found == null ? -1 : found;
        }

        @Override
        public void take(long index) {
            if (!ready.remove(index)) {
                throw new IllegalStateException("take: not ready: " + index);
            }
            taken.add(index);
        }

        @Override
        public void giveBack(long index) {
            if (!taken.remove(index)) {
                throw new IllegalStateException("giveBack: not taken: " + index);
            }
            ready.add(index);
            seen.add(index);
        }

        @Override
        public int failedCount(long index) {
            return failed.getOrDefault(index, 0);
        }

        @Override
        public boolean redelivered(long index) {
            return seen.contains(index);
        }

        @Override
        public boolean settled(long index) {
            return !ready.contains(index) && !taken.contains(index);
        }
    }
}
