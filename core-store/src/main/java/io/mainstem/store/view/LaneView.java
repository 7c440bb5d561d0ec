package io.mainstem.store.view;

import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordBody;
import io.mainstem.store.StoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lane: full blocks of 127 entries on disk, as far as something in them is not settled, and a tail in memory.
 *
 * <pre>
 *   | block |      | block | block |    ...     | tail                    |
 *           settled                   settled   tailFirst                 nextIndex
 * </pre>
 *
 * <p>A tail that fills up while enough at its front is settled is moved up instead of written: a queue whose consumers keep
 * up never touches the view files, and one message that stays behind costs one block.
 *
 * <p>Thread: shard only.
 */
final class LaneView implements Lane {
    private static final Logger LOG = LoggerFactory.getLogger(LaneView.class);
    private static final int TAIL_ENTRIES_MIN = 8;
    private static final int MOVE_UP_MIN = 32;
    private static final long[] NONE = {};

    private final Lanes lanes;
    private final long laneId;
    private final LaneCursor cursor;
    private final SegmentRefs refs;
    private final long restoredLsn;
    private final BlockDirectory blocks;
    private long appliedLsn;
    private long tailFirst;
    private long[] tail;
    private int tailSize;
    private long gatheredEnd;
    private boolean dirty;

    LaneView(Lanes lanes, long laneId) {
        this(
                lanes,
                laneId,
                new LaneCursor(0),
                new SegmentRefs(),
                -1,
                new LaneState.Entries(new BlockDirectory(), 0, NONE, 0));
    }

    LaneView(
            Lanes lanes, long laneId, LaneCursor cursor, SegmentRefs refs, long appliedLsn, LaneState.Entries entries) {
        this.lanes = lanes;
        this.laneId = laneId;
        this.cursor = cursor;
        this.refs = refs;
        this.restoredLsn = appliedLsn;
        this.appliedLsn = appliedLsn;
        this.blocks = entries.blocks();
        this.tailFirst = entries.tailFirst();
        this.tail = entries.tail();
        this.tailSize = entries.tailSize();
        this.gatheredEnd = entries.gatheredEnd();
    }

    @Override
    public long laneId() {
        return laneId;
    }

    @Override
    public long firstIndex() {
        long place = blocks.first();
        return place < 0 ? tailFirst : blocks.firstIndex(place);
    }

    @Override
    public long nextIndex() {
        return tailFirst + tailSize;
    }

    @Override
    public @Nullable Entry entry(long index) {
        if (index >= tailFirst && index < nextIndex()) {
            return EntryWords.get(tail, (int) (index - tailFirst), index);
        }
        long place = blocks.find(index);
        if (place < 0) {
            throw new IndexOutOfBoundsException("index: " + index + " (expected: from " + firstIndex() + " to "
                    + (nextIndex() - 1) + ", not settled)");
        }
        long[] words = lanes.resident(blocks.position(place));
        return words == null ? null : EntryWords.get(words, (int) (index - blocks.firstIndex(place)), index);
    }

    @Override
    public void fetch(long index, Runnable whenResident) {
        long place = blocks.find(index);
        if (place < 0) {
            lanes.loader().run(whenResident);
            return;
        }
        List<BlockLoader.Wanted> wanted = new ArrayList<>(BlockLoader.BLOCKS_AHEAD);
        while (place >= 0 && wanted.size() < BlockLoader.BLOCKS_AHEAD) {
            wanted.add(new BlockLoader.Wanted(blocks.firstIndex(place), blocks.position(place)));
            place = blocks.next(place);
        }
        lanes.loader().load(this, wanted, whenResident);
    }

    /**
     * Tells the blocks that lie in these files.
     *
     * @param fromIndex where to begin
     * @param blocksMax so many are looked at
     * @return from where on there is more to look at, or -1
     */
    long blocksIn(Set<Long> files, long fromIndex, int blocksMax, Consumer<BlockMove> to) {
        long place = blocks.findOrNext(fromIndex);
        for (int left = blocksMax; left > 0 && place >= 0; left--, place = blocks.next(place)) {
            long position = blocks.position(place);
            if (files.contains(ViewFiles.fileNumber(position))) {
                to.accept(new BlockMove(laneId, blocks.firstIndex(place), position, lanes.resident(position)));
            }
        }
        return place < 0 ? -1 : blocks.firstIndex(place);
    }

    /** Positions of all blocks. */
    LongStream positions() {
        return LongStream.iterate(blocks.first(), place -> place >= 0, blocks::next)
                .map(blocks::position);
    }

    /** True if the lane still has a block there. */
    boolean holds(long blockFirst, long position) {
        long place = placeOf(blockFirst);
        return place >= 0 && blocks.position(place) == position;
    }

    /** Place of the block that begins there, or -1. */
    private long placeOf(long blockFirst) {
        long place = blocks.find(blockFirst);
        return place >= 0 && blocks.firstIndex(place) == blockFirst ? place : -1;
    }

    /** What is known of a block that cannot be read, which the lane {@link #holds}. */
    LostBlock lost(long blockFirst, long position, String problem) {
        return new LostBlock(
                laneId,
                blockFirst,
                position,
                problem,
                new LostBlock.Around(rangeOf(placeOf(blockFirst)), blockFirst < gatheredEnd, cursor.waiting()));
    }

    /** Where the log has the block's entries: what is not known of it itself is known of those around it. */
    private LostBlock.Range rangeOf(long place) {
        long from = place;
        while (from >= 0 && blocks.get(from).madeAt() == BlockDirectory.UNKNOWN) {
            from = blocks.before(from);
        }
        BlockDirectory.Row block = blocks.get(place);
        long toIndex = block.endIndex();
        long toLsn = block.high() + 1;
        if (block.high() == BlockDirectory.NO_BOUND) {
            long to = blocks.next(place);
            while (to >= 0 && blocks.get(to).madeAt() == BlockDirectory.UNKNOWN) {
                to = blocks.next(to);
            }
            toIndex = to < 0 ? tailFirst : blocks.firstIndex(to);
            toLsn = to < 0 ? tailMadeAt() : blocks.get(to).madeAt();
        }
        return new LostBlock.Range(
                from < 0 ? LostBlock.NOT_KNOWN : blocks.firstIndex(from),
                from < 0 ? lanes.lowestLsn(refs) : blocks.get(from).madeAt(),
                toIndex,
                toLsn);
    }

    private long tailMadeAt() {
        return tailSize == 0 ? appliedLsn + 1 : LostBlock.madeAt(EntryWords.get(tail, 0, tailFirst));
    }

    /** What the lane has now was put together by salvage: the log has records of others between those of its entries. */
    void gathered() {
        gatheredEnd = nextIndex();
        lanes.touched(this);
    }

    /** The block that was at {@code position} has these entries. */
    void rebuilt(long blockFirst, long position, long[] words) {
        if (holds(blockFirst, position)) {
            blocks.move(placeOf(blockFirst), lanes.store(laneId, blockFirst, appliedLsn, words));
            lanes.free(position);
            lanes.touched(this);
        }
    }

    /** True if the lane has a block that begins there: something in it is not settled. */
    boolean holdsBlock(long blockFirst) {
        return placeOf(blockFirst) >= 0;
    }

    @Override
    public Cursor cursor() {
        return cursor;
    }

    @Override
    public long bytes() {
        return refs.bytes();
    }

    LaneCursor ackState() {
        return cursor;
    }

    SegmentRefs refs() {
        return refs;
    }

    long appliedLsn() {
        return appliedLsn;
    }

    long restoredLsn() {
        return restoredLsn;
    }

    /** True if the checkpoint this lane comes from has the record at {@code lsn} in it already. */
    boolean covers(long lsn) {
        return lsn <= restoredLsn;
    }

    void append(Entry entry, long lsn) {
        touch(lsn);
        if (tailSize == Block.ENTRIES) {
            spill();
        }
        int needed = (tailSize + 1) * EntryWords.PER_ENTRY;
        if (tail.length < needed) {
            int entries = Math.max(TAIL_ENTRIES_MIN, Math.min(Block.ENTRIES, tailSize + (tailSize >> 1) + 1));
            tail = Arrays.copyOf(tail, entries * EntryWords.PER_ENTRY);
        }
        EntryWords.put(tail, tailSize++, entry);
        cursor.append();
        hold(entry, 1);
    }

    private void spill() {
        int settled = settledOfTail();
        if (settled >= MOVE_UP_MIN) {
            tailSize -= settled;
            System.arraycopy(tail, settled * EntryWords.PER_ENTRY, tail, 0, tailSize * EntryWords.PER_ENTRY);
            tailFirst += settled;
            return;
        }
        blocks.add(BlockDirectory.Row.of(tailFirst, lanes.store(laneId, tailFirst, appliedLsn, tail), tail));
        tailFirst += tailSize;
        tail = new long[Block.WORDS];
        tailSize = 0;
    }

    /** So many at the front of the tail are settled. */
    private int settledOfTail() {
        return (int) Math.min(tailSize, cursor.nextUnsettled(tailFirst) - tailFirst);
    }

    /**
     * Settles what a record says.
     *
     * @throws StoreException if it names entries this lane does not have, or has others in their place
     */
    void settle(RecordBody.SettledRanges settled, long lsn) {
        touch(lsn);
        long named = 0;
        long unsettled = 0;
        for (int i = 0; i < settled.first().length; i++) {
            long from = settled.first()[i];
            long to = from + settled.count()[i];
            check(settled, i, to, lsn);
            named += to - from;
            unsettled += cursor.unsettledIn(from, to);
        }
        if (unsettled == named) {
            RecordBody.UnitRefs units = settled.units();
            for (int i = 0; i < units.unit().length; i++) {
                lanes.count(refs, units.unit()[i], -units.refs()[i], -units.bytes()[i]);
            }
        }
        for (int i = 0; i < settled.first().length; i++) {
            long from = settled.first()[i];
            long to = from + settled.count()[i];
            if (unsettled != named) {
                releaseOneByOne(from, to);
            }
            cursor.settle(from, to);
            giveUpBlocks(from, to);
        }
        dropTail();
        if (cursor.unsettled() == 0 && refs.size() > 0) {
            forgetSurplus(lsn);
        }
    }

    /** Whatever was counted, a lane in which nothing waits holds nothing of the log: it would pin segments for ever. */
    private void forgetSurplus(long lsn) {
        LOG.error(
                "MS-0259 lane-counters-corrected queue-id={} lane={} counted={} entries-hold=[] lsn={} fix: report this with"
                        + " the data folder; the counters are right again",
                laneId >>> 8,
                laneId & 0xFF,
                Arrays.toString(refs.toTriples()),
                lsn);
        lanes.totals().subtract(refs);
        refs.clear();
    }

    private void check(RecordBody.SettledRanges settled, int range, long to, long lsn) {
        long index = settled.first()[range];
        if (to > nextIndex()) {
            throw lanes.mismatch(laneId, lsn, "it settles entry " + (to - 1) + ", the lane ends before " + nextIndex());
        }
        if (!cursor.settled(index)) {
            Entry entry = entry(index);
            if (entry != null && entry.lsnCheck() != settled.lsnCheck()[range]) {
                throw lanes.mismatch(
                        laneId, lsn, "it settles entry " + index + " with another record than that at " + entry.lsn());
            }
        }
    }

    /** Some entries were settled already (purged while in flight), so the record's sums do not hold. */
    private void releaseOneByOne(long from, long to) {
        for (long index = cursor.nextUnsettled(from); index < to; index = cursor.nextUnsettled(index + 1)) {
            try {
                hold(entryNow(index), -1);
            } catch (StoreException unreadable) {
                LOG.warn(
                        "MS-0263 settled-entry-unreadable queue-id={} lane={} index={} cause=\"{}\" fix: check the disk;"
                                + " what it held of the log is given back when the counters have been audited",
                        laneId >>> 8,
                        laneId & 0xFF,
                        index,
                        unreadable.getMessage());
                lanes.doubt();
            }
        }
    }

    Entry entryNow(long index) {
        Entry entry = entry(index);
        if (entry == null) {
            long place = blocks.find(index);
            lanes.loader().loadNow(this, blocks.firstIndex(place), blocks.position(place));
            entry = entry(index);
        }
        if (entry == null) {
            throw new IllegalStateException("entry " + index + " of lane " + laneId + " is not resident after a read");
        }
        return entry;
    }

    void countFailures(long[] indexes, long lsn) {
        touch(lsn);
        for (long index : indexes) {
            cursor.countFailure(index);
        }
    }

    /** Settles everything. */
    void purge(long lsn) {
        touch(lsn);
        cursor.settle(cursor.floor(), nextIndex());
        lanes.totals().subtract(refs);
        refs.clear();
        for (long place = blocks.first(); place >= 0; place = blocks.next(place)) {
            lanes.free(blocks.position(place));
        }
        blocks.clear();
        dropTail();
    }

    /** Blocks that lost their last unsettled entry, wherever they stand. */
    private void giveUpBlocks(long from, long to) {
        long place = to <= firstIndex() ? -1 : blocks.findOrNext(from);
        while (place >= 0 && blocks.firstIndex(place) < to) {
            long blockFirst = blocks.firstIndex(place);
            if (cursor.unsettledIn(blockFirst, blockFirst + Block.ENTRIES) > 0) {
                place = blocks.next(place);
            } else {
                lanes.free(blocks.position(place));
                blocks.remove(place);
                place = blocks.findOrNext(blockFirst);
            }
        }
    }

    private void dropTail() {
        if (cursor.floor() == nextIndex()) {
            tailFirst = nextIndex();
            tail = NONE;
            tailSize = 0;
        }
    }

    /** As it is now; the lane may be changed meanwhile. */
    LaneState freeze() {
        return new LaneState(
                laneId,
                appliedLsn,
                new LaneState.Acks(cursor.waiting(), cursor.deliveredBelow(), cursor.failed()),
                new LaneState.Entries(
                        blocks.freeze(), tailFirst, Arrays.copyOf(tail, tailSize * EntryWords.PER_ENTRY), gatheredEnd),
                refs.copy());
    }

    /** True if this call made it dirty. */
    boolean markDirty() {
        boolean was = dirty;
        dirty = true;
        return !was;
    }

    void clean() {
        dirty = false;
    }

    private void touch(long lsn) {
        appliedLsn = lsn;
        lanes.touched(this);
    }

    private void hold(Entry entry, int sign) {
        entry.forEachUnit((unit, bytes) -> lanes.count(refs, unit, sign, sign * bytes));
    }
}
