package io.mainstem.store.view;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordBody;
import io.mainstem.store.Route;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.codec.MalformedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * All lanes of a store: what records fold into, and what checkpoints are made of.
 *
 * <p>Every change names the LSN of its record; a lane that came from a checkpoint ignores what that checkpoint covers,
 * so that replay may bring records again.
 *
 * <p>Thread: shard only.
 */
public final class Lanes {
    private static final int CACHED_BLOCKS_MAX = 2048;

    private final Map<Long, LaneView> byId = new HashMap<>();
    private final SegmentRefs totals = new SegmentRefs();
    private final BlockCache cache = new BlockCache(CACHED_BLOCKS_MAX);
    private final ViewFiles view;
    private final BlockLoader loader;
    private final LaneBlocks blocks;
    private final long unitsPerSegment;
    private RoaringBitmap dropped = new RoaringBitmap();
    private List<LaneView> dirty = new ArrayList<>();
    private boolean doubted;
    private @Nullable Consumer<Entry> appended;

    /**
     * No lanes yet.
     *
     * @param reads runs block reads
     * @param wake called on read threads when {@link #finishReads} has work
     */
    public Lanes(StoreConfig config, ViewFiles view, Executor reads, Runnable wake) {
        this.view = view;
        this.loader = new BlockLoader(view, cache, reads, wake);
        this.blocks = new LaneBlocks(byId, loader);
        this.unitsPerSegment = config.segmentBytes() / Entry.UNIT_BYTES;
    }

    // ---- reading ----

    /** The lane, or null if nothing was ever appended to it or its queue was dropped. */
    public @Nullable Lane lane(long laneId) {
        return byId.get(laneId);
    }

    /** Lanes with unsettled entries; a snapshot. */
    public List<Lane> unsettled() {
        List<Lane> found = new ArrayList<>();
        for (LaneView lane : byId.values()) {
            if (lane.ackState().unsettled() > 0) {
                found.add(lane);
            }
        }
        return found;
    }

    /** Their blocks on disk. */
    public LaneBlocks blocks() {
        return blocks;
    }

    /** Hands over blocks that were read; returns the number of callbacks run. */
    public int finishReads() {
        return loader.finish();
    }

    /** References into the log's segments over all lanes. */
    public SegmentRefs totals() {
        return totals;
    }

    /** The same, counted anew from the lanes: for audits. */
    public SegmentRefs recount() {
        SegmentRefs sum = new SegmentRefs();
        byId.values().forEach(lane -> lane.refs().forEach(sum::add));
        return sum;
    }

    /**
     * Reads every unsettled entry and compares what it holds of the log with the counters. Blocks.
     *
     * @param problems told one line for each lane that is not in order
     * @return number of entries read
     */
    public long audit(Consumer<String> problems) {
        LaneAudit audit = new LaneAudit(view, unitsPerSegment, problems);
        byId.values().forEach(lane -> audit.run(lane.freeze()));
        return audit.entries();
    }

    // ---- folding ----

    /**
     * Appends an entry.
     *
     * @param entry its index is ignored
     * @param lsn of the record that is folded
     */
    public void append(Route route, Entry entry, long lsn) {
        long laneId = route.laneId();
        LaneView lane = byId.get(laneId);
        if (lane == null) {
            if (isDropped(laneId)) {
                return;
            }
            lane = new LaneView(this, laneId);
            byId.put(laneId, lane);
        }
        if (!lane.covers(lsn)) {
            lane.append(entry, lsn);
            if (appended != null) {
                appended.accept(entry);
            }
        }
    }

    /** Settles entries of one lane. */
    public void settle(RecordBody.SettledRanges settled, long lsn) {
        LaneView lane = byId.get(settled.laneId());
        if (lane == null) {
            if (!isDropped(settled.laneId())) {
                throw mismatch(settled.laneId(), lsn, "it settles entries of a lane that never had any");
            }
        } else if (!lane.covers(lsn)) {
            lane.settle(settled, lsn);
        }
    }

    /** Counts failed deliveries. */
    public void countFailures(RecordBody.ReleasedEntries released, long lsn) {
        LaneView lane = byId.get(released.laneId());
        if (lane != null && !lane.covers(lsn)) {
            lane.countFailures(released.indexes(), lsn);
        }
    }

    /** Settles all entries of a queue's lanes and maybe forgets the queue for ever. */
    public void purge(RecordBody.Purge purge, long lsn) {
        for (int priority = 0; priority < Route.LANES_MAX; priority++) {
            long laneId = new Route(purge.queueId(), priority).laneId();
            LaneView lane = byId.get(laneId);
            if (lane != null) {
                if (!lane.covers(lsn) || purge.dropQueue()) {
                    lane.purge(lsn);
                }
                if (purge.dropQueue()) {
                    byId.remove(laneId);
                }
            }
        }
        if (purge.dropQueue()) {
            dropped.add(purge.queueId());
        }
    }

    private boolean isDropped(long laneId) {
        return dropped.contains((int) (laneId >>> 8));
    }

    // ---- checkpoints ----

    /** Ids of the lanes changed since the last call, dropped ones included, ascending. */
    public long[] takeDirty() {
        long[] ids = new long[dirty.size()];
        for (int i = 0; i < ids.length; i++) {
            dirty.get(i).clean();
            ids[i] = dirty.get(i).laneId();
        }
        dirty = new ArrayList<>();
        Arrays.sort(ids);
        return ids;
    }

    /** Gives lanes back that {@link #takeDirty} took, because their checkpoint failed. */
    public void markDirty(long[] ids) {
        for (long id : ids) {
            LaneView lane = byId.get(id);
            if (lane != null) {
                touched(lane);
            }
        }
    }

    /** Makes all lanes dirty: the next checkpoint has to tell them without the one before. */
    public void markAllDirty() {
        byId.values().forEach(this::touched);
    }

    /** Makes those lanes dirty whose consumers have read on, so that a clean stop remembers it. */
    public void markReadDirty() {
        for (LaneView lane : byId.values()) {
            if (lane.ackState().moved()) {
                touched(lane);
            }
        }
    }

    /** A lane's state as it is now, to be written; null if there is no such lane (any more). */
    public @Nullable LaneImage image(long laneId) {
        LaneView lane = byId.get(laneId);
        return lane == null ? null : new LaneImage(lane.freeze());
    }

    /** Queues dropped for ever; to be written after all lanes, so that a lane missing there is found here. */
    public byte[] droppedQueues() {
        dropped.runOptimize();
        byte[] bytes = new byte[dropped.serializedSizeInBytes()];
        dropped.serialize(ByteBuffer.wrap(bytes));
        return bytes;
    }

    /** Tells of a lane whether its queue was dropped before this call; for any thread. */
    public LongPredicate droppedSoFar() {
        RoaringBitmap snapshot = dropped.clone();
        return laneId -> snapshot.contains((int) (laneId >>> 8));
    }

    /** True if a checkpoint would have lanes to write. */
    public boolean hasDirty() {
        return !dirty.isEmpty();
    }

    /** Before any {@link #restore}. */
    public void restoreDropped(byte[] bytes) throws IOException {
        dropped = new RoaringBitmap();
        dropped.deserialize(ByteBuffer.wrap(bytes));
    }

    /**
     * Takes a lane's state from a checkpoint.
     *
     * @throws MalformedException if it is none
     * @throws IOException if it points at blocks that are not there
     */
    public void restore(long laneId, byte[] bytes) throws IOException {
        if (isDropped(laneId)) {
            return;
        }
        LaneView lane = LaneCodec.read(this, laneId, bytes);
        for (long position : lane.positions().toArray()) {
            view.restored(position);
        }
        byId.put(laneId, lane);
        lane.refs().forEach(totals::add);
    }

    /** After an unclean stop: any entry may have been delivered. */
    public void markAllRedelivered() {
        byId.values().forEach(lane -> lane.ackState().markAllRedelivered());
    }

    /** Ids of all lanes there are now. */
    public long[] ids() {
        return byId.keySet().stream().mapToLong(Long::longValue).toArray();
    }

    /** Tells {@code listener} of every entry appended from now on; null: no more. */
    public void onAppend(@Nullable Consumer<Entry> listener) {
        appended = listener;
    }

    /** What a lane's entries hold of [fromLsn, toLsn), whole segments; null if they hold nothing of it. */
    public @Nullable LaneSnapshot snapshot(long laneId, long fromLsn, long toLsn) {
        LaneView lane = byId.get(laneId);
        long segmentBytes = unitsPerSegment * Entry.UNIT_BYTES;
        if (lane == null || !lane.refs().holdsAny(fromLsn / segmentBytes, toLsn / segmentBytes)) {
            return null;
        }
        return snapshot(lane, fromLsn, toLsn);
    }

    /** Up to which LSN the checkpoint has a lane's records, or -1. */
    public long coveredTo(long laneId) {
        LaneView lane = byId.get(laneId);
        return lane == null ? -1 : lane.restoredLsn();
    }

    /** An entry that is not settled. Blocks; fails as {@link #finishReads} does. */
    public Entry entryNow(long laneId, long index) {
        LaneView lane = byId.get(laneId);
        if (lane == null) {
            throw new IllegalArgumentException("laneId: " + laneId + " (expected: a lane)");
        }
        return lane.entryNow(index);
    }

    /** Gives a lane, in place of all it holds, these entries behind its end. */
    public void replaceAll(long laneId, List<Entry> entries, long lsn) {
        LaneView lane = byId.get(laneId);
        if (lane != null) {
            lane.purge(lsn);
            entries.forEach(entry -> lane.append(entry, lsn));
        }
    }

    /** The indexes that lanes have now do not follow from the log any more. */
    public void markGathered() {
        byId.values().forEach(LaneView::gathered);
    }

    /** All of a lane's unsettled entries and what the lane counts for them; null if it has neither. */
    public @Nullable LaneSnapshot snapshot(long laneId) {
        LaneView lane = byId.get(laneId);
        if (lane == null || (lane.ackState().unsettled() == 0 && lane.refs().size() == 0)) {
            return null;
        }
        return snapshot(lane, 0, Long.MAX_VALUE);
    }

    private LaneSnapshot snapshot(LaneView lane, long fromLsn, long toLsn) {
        return new LaneSnapshot(lane.freeze(), view.unwrittenOf(lane.laneId()), fromLsn, toLsn);
    }

    /** The segment that a unit of the log lies in. */
    public long segmentOf(long unit) {
        return unit / unitsPerSegment;
    }

    /**
     * Mends a lane's counters, and the totals with them, by what they differed from the lane's entries at one moment.
     *
     * @param held what the entries of the snapshot hold
     * @return false if the lane has been dropped or purged since: nothing differs any more
     */
    public boolean correct(LaneSnapshot seen, SegmentRefs held) {
        LaneView lane = byId.get(seen.laneId());
        if (lane == null || lane.refs().clears() != seen.clears()) {
            return false;
        }
        held.forEach((segment, refs, bytes) -> add(lane, segment, refs, bytes));
        long[] counted = seen.counters();
        for (int i = 0; i < counted.length; i += 3) {
            add(lane, counted[i], -counted[i + 1], -counted[i + 2]);
        }
        touched(lane);
        return true;
    }

    private void add(LaneView lane, long segment, long refs, long bytes) {
        lane.refs().add(segment, refs, bytes);
        totals.add(segment, refs, bytes);
    }

    /** Counters may be too high. */
    void doubt() {
        doubted = true;
    }

    /** True if there is a reason to compare counters with entries; once. */
    public boolean takeDoubt() {
        boolean was = doubted;
        doubted = false;
        return was;
    }

    /** Makes the totals the sum of the lanes' counters again; true if they were not. */
    public boolean correctTotals() {
        SegmentRefs sum = recount();
        if (Arrays.equals(sum.toTriples(), totals.toTriples())) {
            return false;
        }
        totals.clear();
        sum.forEach(totals::add);
        return true;
    }

    Collection<LaneView> all() {
        return byId.values();
    }

    void touched(LaneView lane) {
        if (lane.markDirty()) {
            dirty.add(lane);
        }
    }

    /** Where the first segment begins that these hold something of. */
    long lowestLsn(SegmentRefs laneRefs) {
        long[] triples = laneRefs.toTriples();
        return triples.length == 0 ? 0 : triples[0] * unitsPerSegment * Entry.UNIT_BYTES;
    }

    void count(SegmentRefs laneRefs, long unit, long refs, long bytes) {
        long segment = segmentOf(unit);
        laneRefs.add(segment, refs, bytes);
        totals.add(segment, refs, bytes);
    }

    long store(long laneId, long firstIndex, long appliedLsn, long[] words) {
        long position = view.append(laneId, firstIndex, appliedLsn, words);
        cache.put(position, words);
        return position;
    }

    void free(long position) {
        cache.remove(position);
        view.free(position);
    }

    long @Nullable [] resident(long position) {
        long[] words = cache.get(position);
        return words != null ? words : view.pending(position);
    }

    BlockLoader loader() {
        return loader;
    }

    StoreException mismatch(long laneId, long lsn, String problem) {
        return new StoreException(
                "MS-0230",
                "the record at " + lsn + " does not fit lane " + (laneId >>> 8) + "/" + (laneId & 0xFF) + ": " + problem
                        + ".",
                "run 'mainstem store verify'; keep the data folder for a report, this is a defect or a damaged disk.");
    }
}
