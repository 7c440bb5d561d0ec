package io.mainstem.store.view;

import io.mainstem.store.codec.BytesReader;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * Reads lane states as earlier builds wrote them: all blocks behind the first one that is kept, and a set of what is settled.
 *
 * <pre>
 * u8 version = 2 | u64 appliedLsn | varint floor | varint floor - first | zigzag deliveredBelow - floor
 * varint n | [zigzag (position - position before) / 4096, position 0 = nothing waits in it
 *             | zigzag lsn of the record that made its first entry - lsn before]*n      full blocks
 * varint end of what salvage has put together
 * varint n | [...]*n                                                                  tail, as {@link LaneCodec}
 * u8 has acked | (zigzag base - floor | varint bytes | Roaring)
 * varint n | [zigzag index - floor | varint failures]*n
 * varint n | [...]*n                                                                  segments, as {@link LaneCodec}
 * </pre>
 *
 * <p>Version 1 has no LSNs of first entries, and nothing of salvage.
 */
final class OldLaneCodec {
    private OldLaneCodec() {}

    static LaneView read(Lanes lanes, long laneId, int version, BytesReader in) {
        long appliedLsn = in.u64();
        long floor = in.varint(Long.MAX_VALUE);
        long first = floor - in.varint(floor);
        long deliveredBelow = floor + in.zigzag();
        long[] positions = new long[in.count(version)];
        long[] madeAt = new long[positions.length];
        long last = 0;
        long lastMade = 0;
        for (int i = 0; i < positions.length; i++) {
            last += in.zigzag() * Block.BYTES;
            lastMade = version == 1 ? BlockDirectory.UNKNOWN : lastMade + in.zigzag();
            positions[i] = last;
            madeAt[i] = lastMade;
        }
        long gatheredEnd = version == 1 ? 0 : in.varint(Long.MAX_VALUE);
        long[] tail = LaneCodec.readTail(in);
        long tailFirst = first + (long) positions.length * Block.ENTRIES;
        long tailMadeAt = tail.length == 0 ? appliedLsn + 1 : LostBlock.madeAt(EntryWords.get(tail, 0, 0));
        BlockDirectory blocks = blocks(first, positions, madeAt, tailMadeAt);
        LaneState.Entries entries = new LaneState.Entries(blocks, tailFirst, tail, gatheredEnd);
        if (tailFirst < 0 || entries.nextIndex() < floor) {
            throw in.malformed("lane that ends at " + entries.nextIndex() + " below its floor " + floor);
        }
        Waiting waiting = in.u8() == 0 ? new Waiting(floor) : waiting(in, floor, entries);
        LaneCursor cursor = new LaneCursor(waiting, entries.nextIndex(), readFailed(in, floor));
        cursor.markRedeliveredBelow(deliveredBelow);
        return new LaneView(lanes, laneId, cursor, LaneCodec.readRefs(in), appliedLsn, entries);
    }

    private static BlockDirectory blocks(long first, long[] positions, long[] madeAt, long tailMadeAt) {
        BlockDirectory blocks = new BlockDirectory();
        for (int i = 0; i < positions.length; i++) {
            if (positions[i] != 0) {
                long next = i + 1 < positions.length ? madeAt[i + 1] : tailMadeAt;
                boolean known = madeAt[i] != BlockDirectory.UNKNOWN && next > madeAt[i];
                blocks.add(new BlockDirectory.Row(
                        first + (long) i * Block.ENTRIES,
                        positions[i],
                        madeAt[i],
                        0,
                        known ? next - 1 : BlockDirectory.NO_BOUND));
            }
        }
        return blocks;
    }

    /** Of those before the last settled one, what is not in the set. */
    private static Waiting waiting(BytesReader in, long floor, LaneState.Entries entries) {
        long base = floor + in.zigzag();
        RoaringBitmap settled = LaneCodec.readBits(in);
        long openFrom = base + Integer.toUnsignedLong(settled.last()) + 1;
        long waits = openFrom - floor - settled.getLongCardinality();
        boolean some = base >= 0 && openFrom > floor && openFrom <= entries.nextIndex() && waits > 0;
        if (!some || waits > entries.blocks().count() * Block.ENTRIES + entries.tailSize()) {
            throw in.malformed("settled entries from " + base + " to " + openFrom + " of a lane from " + floor + " to "
                    + entries.nextIndex());
        }
        IndexSet behind = new IndexSet();
        behind.addRange(floor, base);
        long next = Math.max(floor, base);
        while (next < openFrom) {
            long absent = base + settled.nextAbsentValue((int) (next - base));
            long found = settled.nextValue((int) (absent - base));
            next = found < 0 ? openFrom : base + found;
            behind.addRange(absent, next);
        }
        return new Waiting(openFrom, behind);
    }

    private static @Nullable FailureCounts readFailed(BytesReader in, long floor) {
        int count = in.count(2);
        FailureCounts failed = count == 0 ? null : new FailureCounts();
        for (; failed != null && count > 0; count--) {
            long index = floor + in.zigzag();
            int failures = (int) in.varint(Integer.MAX_VALUE);
            if (index < 0) {
                throw in.malformed("failures of entry " + index);
            }
            failed.add(index, failures);
        }
        return failed;
    }
}
