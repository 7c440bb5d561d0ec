package io.mainstem.store.view;

import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordBody;
import io.mainstem.store.StoreException;
import java.util.Arrays;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lane: full blocks of 127 entries on disk, found by array arithmetic, and a tail in memory.
 *
 * <pre>
 * first            first + 127        ...           first + 127 * blocks      nextIndex
 *   | blocks[head]    | blocks[head+1]  ...            | tail                    |
 * </pre>
 *
 * <p>A tail that fills up while its lane has no blocks and most of it is settled is moved up instead of written: a queue
 * whose consumers keep up never touches the view files.
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
    private long appliedLsn;
    private long first;
    private final BlockDirectory blocks;
    private long[] tail;
    private int tailSize;
    private long gatheredEnd;
    private boolean dirty;

    LaneView(Lanes lanes, long laneId) {
        this(lanes, laneId, new LaneCursor(0), new SegmentRefs(), -1, Stored.EMPTY);
    }

    LaneView(Lanes lanes, long laneId, LaneCursor cursor, SegmentRefs refs, long appliedLsn, Stored stored) {
        this.lanes = lanes;
        this.laneId = laneId;
        this.cursor = cursor;
        this.refs = refs;
        this.restoredLsn = appliedLsn;
        this.appliedLsn = appliedLsn;
        this.first = stored.first;
        this.blocks = BlockDirectory.of(stored.blocks, stored.madeAt);
        this.tail = stored.tail;
        this.tailSize = stored.tail.length / EntryWords.PER_ENTRY;
        this.gatheredEnd = stored.gatheredEnd;
    }

    /**
     * Where a lane's entries are.
     *
     * @param first index of the first slot
     * @param blocks positions
     * @param madeAt {@link BlockDirectory#madeAt} of each
     * @param tail words
     * @param gatheredEnd see {@link #gathered}
     */
    record Stored(long first, long[] blocks, long[] madeAt, long[] tail, long gatheredEnd) {
        private static final Stored EMPTY = new Stored(0, NONE, NONE, NONE, 0);
    }

    @Override
    public long laneId() {
        return laneId;
    }

    @Override
    public long firstIndex() {
        return first;
    }

    @Override
    public long nextIndex() {
        return tailFirst() + tailSize;
    }

    private long tailFirst() {
        return first + (long) blocks.count() * Block.ENTRIES;
    }

    @Override
    public @Nullable Entry entry(long index) {
        if (index < first || index >= nextIndex()) {
            throw new IndexOutOfBoundsException(
                    "index: " + index + " (expected: " + first + " to " + (nextIndex() - 1) + ")");
        }
        if (index >= tailFirst()) {
            return EntryWords.get(tail, (int) (index - tailFirst()), index);
        }
        if (position(index) == BlockDirectory.GIVEN_UP) {
            throw new IndexOutOfBoundsException("index: " + index + " (expected: not settled)");
        }
        long[] words = lanes.resident(position(index));
        return words == null ? null : EntryWords.get(words, (int) ((index - first) % Block.ENTRIES), index);
    }

    @Override
    public void fetch(long index, Runnable whenResident) {
        if (index < first || index >= tailFirst() || position(index) == BlockDirectory.GIVEN_UP) {
            lanes.loader().run(whenResident);
            return;
        }
        int from = block(index);
        long[] positions = blocks.positions(from, BlockLoader.BLOCKS_AHEAD);
        lanes.loader().load(this, first + (long) from * Block.ENTRIES, positions, whenResident);
    }

    /**
     * Tells the blocks that lie in these files.
     *
     * @param fromIndex where to begin
     * @param blocksMax so many are looked at
     * @return from where on there is more to look at, or -1
     */
    long blocksIn(Set<Long> files, long fromIndex, int blocksMax, Consumer<BlockMove> to) {
        int block = block(Math.max(first, fromIndex));
        for (int left = blocksMax; left > 0 && block < blocks.count(); left--, block++) {
            long position = blocks.position(block);
            if (position != BlockDirectory.GIVEN_UP && files.contains(ViewFiles.fileNumber(position))) {
                to.accept(new BlockMove(
                        laneId, first + (long) block * Block.ENTRIES, position, lanes.resident(position)));
            }
        }
        return block < blocks.count() ? first + (long) block * Block.ENTRIES : -1;
    }

    /** True if the lane still has a block there. */
    boolean holds(long blockFirst, long position) {
        return blockFirst >= first && blockFirst < tailFirst() && position(blockFirst) == position;
    }

    /** What is known of a block that cannot be read. */
    LostBlock lost(long blockFirst, long position, String problem) {
        int from = block(blockFirst);
        while (from >= 0 && blocks.madeAt(from) == BlockDirectory.UNKNOWN) {
            from--;
        }
        int to = block(blockFirst) + 1;
        while (to < blocks.count() && blocks.madeAt(to) == BlockDirectory.UNKNOWN) {
            to++;
        }
        LostBlock.Range range = new LostBlock.Range(
                from < 0 ? LostBlock.NOT_KNOWN : first + (long) from * Block.ENTRIES,
                from < 0 ? lanes.lowestLsn(refs) : blocks.madeAt(from),
                first + (long) to * Block.ENTRIES,
                to < blocks.count() ? blocks.madeAt(to) : tailMadeAt());
        boolean gathered = blockFirst < gatheredEnd;
        return new LostBlock(
                laneId,
                blockFirst,
                position,
                problem,
                new LostBlock.Around(range, gathered, cursor.floor(), cursor.ackedNow()));
    }

    private long tailMadeAt() {
        return tailSize == 0 ? appliedLsn + 1 : LostBlock.madeAt(EntryWords.get(tail, 0, tailFirst()));
    }

    /** What the lane has now was put together by salvage: the log has records of others between those of its entries. */
    void gathered() {
        gatheredEnd = nextIndex();
        lanes.touched(this);
    }

    /** The block that was at {@code position} has these entries. */
    void rebuilt(long blockFirst, long position, long[] words) {
        if (holds(blockFirst, position)) {
            long now = lanes.store(laneId, blockFirst, appliedLsn, words);
            blocks.move(block(blockFirst), now);
            lanes.free(position);
            lanes.touched(this);
        }
    }

    /** True if the lane has a block that begins there and is not given up. */
    boolean holdsBlock(long blockFirst) {
        return blockFirst >= first && blockFirst < tailFirst() && position(blockFirst) != BlockDirectory.GIVEN_UP;
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
        int settled = (int) Math.min(tailSize, cursor.floor() - first);
        if (blocks.count() == 0 && settled >= MOVE_UP_MIN) {
            tailSize -= settled;
            System.arraycopy(tail, settled * EntryWords.PER_ENTRY, tail, 0, tailSize * EntryWords.PER_ENTRY);
            first += settled;
            return;
        }
        if (cursor.unsettledIn(tailFirst(), nextIndex()) == 0) {
            // Behind a message that is stuck all are settled before their block is full.
            blocks.addGivenUp(tail);
        } else {
            blocks.add(lanes.store(laneId, tailFirst(), appliedLsn, tail), tail);
        }
        tail = new long[Block.WORDS];
        tailSize = 0;
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
        dropSettled();
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
        if (index >= first && !cursor.settled(index)) {
            Entry entry = entry(index);
            if (entry != null && entry.lsnCheck() != settled.lsnCheck()[range]) {
                throw lanes.mismatch(
                        laneId, lsn, "it settles entry " + index + " with another record than that at " + entry.lsn());
            }
        }
    }

    /** Some entries were settled already (purged while in flight), so the record's sums do not hold. */
    private void releaseOneByOne(long from, long to) {
        for (long index = Math.max(from, first); index < to; index++) {
            if (!cursor.settled(index)) {
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
    }

    Entry entryNow(long index) {
        Entry entry = entry(index);
        if (entry == null) {
            long offset = (index - first) % Block.ENTRIES;
            lanes.loader().loadNow(this, index - offset, position(index));
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
        dropSettled();
    }

    /** Blocks that lost their last unsettled entry, whatever stands before them. */
    private void giveUpBlocks(long from, long to) {
        long end = Math.min(to, tailFirst());
        for (long at = Math.max(from, cursor.floor()); at < end; at += Block.ENTRIES - (at - first) % Block.ENTRIES) {
            int block = block(at);
            long blockFirst = first + (long) block * Block.ENTRIES;
            if (blocks.position(block) != BlockDirectory.GIVEN_UP
                    && cursor.unsettledIn(blockFirst, blockFirst + Block.ENTRIES) == 0) {
                lanes.free(blocks.position(block));
                blocks.giveUp(block);
            }
        }
    }

    private void dropSettled() {
        long floor = cursor.floor();
        while (blocks.count() > 0 && floor >= first + Block.ENTRIES) {
            if (blocks.position(0) != BlockDirectory.GIVEN_UP) {
                lanes.free(blocks.position(0));
            }
            blocks.removeFirst();
            first += Block.ENTRIES;
        }
        if (blocks.count() == 0 && floor == nextIndex()) {
            first = floor;
            tail = NONE;
            tailSize = 0;
        }
    }

    /** What a checkpoint says of the entries; a tail without blocks begins at the floor. */
    Stored stored() {
        int settled = blocks.count() == 0 ? (int) (cursor.floor() - first) : 0;
        return new Stored(
                first + settled,
                blocks.positions(0, blocks.count()),
                blocks.madeAt(),
                Arrays.copyOfRange(tail, settled * EntryWords.PER_ENTRY, tailSize * EntryWords.PER_ENTRY),
                gatheredEnd);
    }

    /**
     * What compaction, scrub and audit have to know of the entries that may point into [fromLsn, toLsn).
     */
    LaneSnapshot snapshot(long fromLsn, long toLsn) {
        LaneSnapshot.Builder snapshot = new LaneSnapshot.Builder(laneId, cursor, refs);
        for (int block = 0; block < blocks.count(); block++) {
            long position = blocks.position(block);
            long blockFirst = first + (long) block * Block.ENTRIES;
            if (position != BlockDirectory.GIVEN_UP && blocks.mayPointInto(block, fromLsn, toLsn)) {
                snapshot.block(position, blockFirst, lanes.pending(position));
            }
        }
        return snapshot.build(tailFirst(), Arrays.copyOf(tail, tailSize * EntryWords.PER_ENTRY));
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

    private int block(long index) {
        return (int) ((index - first) / Block.ENTRIES);
    }

    private long position(long index) {
        return blocks.position(block(index));
    }
}
