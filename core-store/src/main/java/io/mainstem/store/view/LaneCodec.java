package io.mainstem.store.view;

import io.mainstem.store.Entry;
import io.mainstem.store.codec.BytesReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * A lane's state in a checkpoint, as {@link LaneImage} writes it.
 *
 * <pre>
 * u8 version = 3 | u64 appliedLsn | varint floor | varint openFrom - floor | zigzag deliveredBelow - floor
 * varint end of what salvage has put together
 * varint n | [varint first index - end of the block before | zigzag (position - position before) / 4096
 *             | zigzag madeAt - madeAt before | zigzag (madeAt - low) / 65536 | varint high - madeAt + 1, 0 = not known]*n
 * zigzag first index of the tail - floor
 * varint n | [zigzag lsn - lsn before | varint size | varint flags | varint fanout
 *             | zigzag aux (of a MSG_REF: - lsn) | varint expireAtMs]*n                        tail
 * varint n | [varint number - number before | varint bytes | Roaring, 20 bits]*n     what waits before openFrom, by index >> 20
 * varint n | [varint index - index before | varint failures]*n                       the first one: - floor
 * varint n | [varint segment - segment before | varint refs | varint bytes]*n
 * </pre>
 *
 * <p>Versions 1 and 2, of earlier builds, are read by {@link OldLaneCodec}.
 */
final class LaneCodec {
    static final int VERSION = 3;

    /** What the first block is told by. */
    static final BlockDirectory.Row NO_ROW = new BlockDirectory.Row(-Block.ENTRIES, 0, 0, 0, 0);

    private LaneCodec() {}

    static LaneView read(Lanes lanes, long laneId, byte[] bytes) {
        BytesReader in = new BytesReader(bytes);
        int version = in.u8();
        if (version < 1 || version > VERSION) {
            throw in.malformed("lane state version " + version + ", this build reads 1 to " + VERSION);
        }
        LaneView lane = version < VERSION ? OldLaneCodec.read(lanes, laneId, version, in) : read(lanes, laneId, in);
        in.expectEnd();
        return lane;
    }

    private static LaneView read(Lanes lanes, long laneId, BytesReader in) {
        long appliedLsn = in.u64();
        long floor = in.varint(Long.MAX_VALUE);
        long openFrom = floor + in.varint(Long.MAX_VALUE - floor);
        long deliveredBelow = floor + in.zigzag();
        long gatheredEnd = in.varint(Long.MAX_VALUE);
        BlockDirectory blocks = readBlocks(in);
        long tailFirst = floor + in.zigzag();
        long[] tail = readTail(in);
        LaneState.Entries entries = new LaneState.Entries(blocks, tailFirst, tail, gatheredEnd);
        if (tailFirst < 0 || entries.nextIndex() < openFrom || tailFirst < end(blocks)) {
            throw in.malformed("lane that has " + blocks.count() + " blocks and a tail at " + tailFirst + " of "
                    + entries.tailSize() + " though all is known up to " + openFrom);
        }
        LaneCursor cursor =
                new LaneCursor(readWaiting(in, floor, openFrom), entries.nextIndex(), readFailed(in, floor));
        cursor.markRedeliveredBelow(deliveredBelow);
        return new LaneView(lanes, laneId, cursor, readRefs(in), appliedLsn, entries);
    }

    private static long end(BlockDirectory blocks) {
        long end = 0;
        for (long place = blocks.first(); place >= 0; place = blocks.next(place)) {
            end = blocks.firstIndex(place) + Block.ENTRIES;
        }
        return end;
    }

    private static BlockDirectory readBlocks(BytesReader in) {
        BlockDirectory blocks = new BlockDirectory();
        BlockDirectory.Row last = NO_ROW;
        for (int left = in.count(5); left > 0; left--) {
            long first = last.endIndex() + in.varint(Long.MAX_VALUE - last.endIndex());
            long position = last.position() + in.zigzag() * Block.BYTES;
            long madeAt = last.madeAt() + in.zigzag();
            long low = Math.max(0, (madeAt - in.zigzag() * Entry.UNIT_BYTES) & -Entry.UNIT_BYTES);
            long above = in.varint(Long.MAX_VALUE);
            if (first > Long.MAX_VALUE - Block.ENTRIES || position <= 0 || madeAt < BlockDirectory.UNKNOWN) {
                throw in.malformed("block of entry " + first + " at " + position + " made at " + madeAt);
            }
            long high = above == 0 || madeAt > Long.MAX_VALUE - above ? BlockDirectory.NO_BOUND : madeAt + above - 1;
            last = new BlockDirectory.Row(first, position, madeAt, low, high);
            blocks.add(last);
        }
        return blocks;
    }

    static long[] readTail(BytesReader in) {
        int count = in.count(6);
        if (count > Block.ENTRIES) {
            throw in.malformed("tail of " + count + " entries");
        }
        long[] words = new long[count * EntryWords.PER_ENTRY];
        long lsn = 0;
        for (int i = 0; i < count; i++) {
            lsn += in.zigzag();
            int size = (int) in.varint(Integer.MAX_VALUE);
            int flags = (int) in.varint(0xFFFF);
            int fanout = (int) in.varint(Entry.FANOUT_MAX);
            long aux = in.zigzag() + ((flags & Entry.FLAG_REF) != 0 ? lsn : 0);
            if (lsn < 0 || fanout == 0) {
                throw in.malformed("entry at lsn " + lsn + " with fanout " + fanout);
            }
            EntryWords.put(words, i, new Entry(0, lsn, size, flags, fanout, aux, in.varint(Long.MAX_VALUE)));
        }
        return words;
    }

    private static Waiting readWaiting(BytesReader in, long floor, long openFrom) {
        IndexSet behind = new IndexSet();
        long number = 0;
        for (int left = in.count(2); left > 0; left--) {
            number += in.varint(Long.MAX_VALUE - number);
            if (!behind.addPart(number, readBits(in))) {
                throw in.malformed("bitmap " + number + " that is out of place");
            }
        }
        Waiting waiting = new Waiting(openFrom, behind.isEmpty() ? null : behind);
        if (waiting.floor() != floor || behind.next(openFrom) >= 0) {
            throw in.malformed("bitmaps that do not fit " + floor + " to " + openFrom);
        }
        return waiting;
    }

    static RoaringBitmap readBits(BytesReader in) {
        byte[] bytes = in.block();
        RoaringBitmap bits = new RoaringBitmap();
        try {
            bits.deserialize(ByteBuffer.wrap(bytes));
        } catch (IOException | RuntimeException e) {
            throw in.malformed("bitmap that is none (" + e.getMessage() + ")");
        }
        if (bits.isEmpty()) {
            throw in.malformed("empty bitmap");
        }
        return bits;
    }

    static byte[] bytes(RoaringBitmap bits) {
        byte[] bytes = new byte[bits.serializedSizeInBytes()];
        bits.serialize(ByteBuffer.wrap(bytes));
        return bytes;
    }

    private static @Nullable FailureCounts readFailed(BytesReader in, long floor) {
        int count = in.count(2);
        FailureCounts failed = count == 0 ? null : new FailureCounts();
        long index = floor;
        for (; failed != null && count > 0; count--) {
            index += in.varint(Long.MAX_VALUE - index);
            failed.add(index, (int) in.varint(Integer.MAX_VALUE));
        }
        return failed;
    }

    static SegmentRefs readRefs(BytesReader in) {
        SegmentRefs refs = new SegmentRefs();
        int count = in.count(3);
        long segment = 0;
        for (int i = 0; i < count; i++) {
            segment += in.varint(Long.MAX_VALUE - segment);
            refs.add(segment, in.varint(Long.MAX_VALUE), in.varint(Long.MAX_VALUE));
        }
        return refs;
    }
}
