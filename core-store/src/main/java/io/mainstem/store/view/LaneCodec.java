package io.mainstem.store.view;

import io.mainstem.store.Entry;
import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * A lane's state in a checkpoint.
 *
 * <pre>
 * u8 version = 2 | u64 appliedLsn | varint floor | varint floor - first | zigzag deliveredBelow - floor
 * varint n | [zigzag (position - position before) / 4096
 *             | zigzag lsn of the record that made its first entry - lsn before]*n      full blocks
 * varint end of what salvage has put together
 * varint n | [zigzag lsn - lsn before | varint size | varint flags | varint fanout
 *             | zigzag aux (of a MSG_REF: - lsn) | varint expireAtMs]*n                        tail
 * u8 has acked | (zigzag base - floor | varint bytes | Roaring)
 * varint n | [zigzag index - floor | varint failures]*n
 * varint n | [varint segment - segment before | varint refs | varint bytes]*n
 * </pre>
 *
 * <p>Version 1 has no LSNs of first entries, and nothing of salvage.
 */
final class LaneCodec {
    private static final int VERSION = 2;

    private LaneCodec() {}

    static void write(LaneView lane, BytesWriter out) {
        LaneCursor cursor = lane.ackState();
        LaneView.Stored stored = lane.stored();
        long floor = cursor.floor();
        out.u8(VERSION).u64(lane.appliedLsn()).varint(floor).varint(floor - stored.first());
        out.zigzag(cursor.deliveredBelow() - floor);
        out.varint(stored.blocks().length);
        long last = 0;
        long lastMade = 0;
        for (int i = 0; i < stored.blocks().length; i++) {
            out.zigzag((stored.blocks()[i] - last) / Block.BYTES).zigzag(stored.madeAt()[i] - lastMade);
            last = stored.blocks()[i];
            lastMade = stored.madeAt()[i];
        }
        out.varint(stored.gatheredEnd());
        writeTail(out, stored.tail());
        writeAcked(out, cursor.acked(), floor);
        Map<Long, Integer> failed = cursor.failed();
        out.varint(failed == null ? 0 : failed.size());
        if (failed != null) {
            failed.forEach((index, count) -> out.zigzag(index - floor).varint(count));
        }
        writeRefs(out, lane.refs());
    }

    private static void writeTail(BytesWriter out, long[] words) {
        int count = words.length / EntryWords.PER_ENTRY;
        out.varint(count);
        long lastLsn = 0;
        for (int i = 0; i < count; i++) {
            Entry entry = EntryWords.get(words, i, 0);
            out.zigzag(entry.lsn() - lastLsn)
                    .varint(entry.size())
                    .varint(entry.flags())
                    .varint(entry.fanout())
                    .zigzag(entry.isRef() ? entry.aux() - entry.lsn() : entry.aux())
                    .varint(entry.expireAtMs());
            lastLsn = entry.lsn();
        }
    }

    private static void writeAcked(BytesWriter out, @Nullable IndexSet acked, long floor) {
        out.u8(acked == null ? 0 : 1);
        if (acked != null) {
            RoaringBitmap bits = acked.bits().clone();
            bits.runOptimize();
            byte[] bytes = new byte[bits.serializedSizeInBytes()];
            bits.serialize(ByteBuffer.wrap(bytes));
            out.zigzag(acked.base() - floor).block(bytes);
        }
    }

    private static void writeRefs(BytesWriter out, SegmentRefs refs) {
        out.varint(refs.size());
        long[] last = {0};
        refs.forEach((segment, count, bytes) -> {
            out.varint(segment - last[0]).varint(count).varint(bytes);
            last[0] = segment;
        });
    }

    static LaneView read(Lanes lanes, long laneId, byte[] bytes) {
        BytesReader in = new BytesReader(bytes);
        int version = in.u8();
        if (version < 1 || version > VERSION) {
            throw in.malformed("lane state version " + version + ", this build reads 1 to " + VERSION);
        }
        long appliedLsn = in.u64();
        long floor = in.varint(Long.MAX_VALUE);
        long first = floor - in.varint(floor);
        long deliveredBelow = floor + in.zigzag();
        long[] blocks = new long[in.count(version)];
        long[] madeAt = new long[blocks.length];
        long last = 0;
        long lastMade = 0;
        for (int i = 0; i < blocks.length; i++) {
            last += in.zigzag() * Block.BYTES;
            lastMade = version == 1 ? BlockDirectory.UNKNOWN : lastMade + in.zigzag();
            blocks[i] = last;
            madeAt[i] = lastMade;
        }
        long gatheredEnd = version == 1 ? 0 : in.varint(Long.MAX_VALUE);
        long[] tail = readTail(in);
        long end = first + (long) blocks.length * Block.ENTRIES + tail.length / EntryWords.PER_ENTRY;
        if (end < floor) {
            throw in.malformed("lane that ends at " + end + " below its floor " + floor);
        }
        IndexSet acked = in.u8() == 0 ? null : readAcked(in, floor);
        LaneCursor cursor = new LaneCursor(floor, end, acked, readFailed(in, floor));
        cursor.markRedeliveredBelow(deliveredBelow);
        SegmentRefs refs = readRefs(in);
        in.expectEnd();
        LaneView.Stored stored = new LaneView.Stored(first, blocks, madeAt, tail, gatheredEnd);
        return new LaneView(lanes, laneId, cursor, refs, appliedLsn, stored);
    }

    private static long[] readTail(BytesReader in) {
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

    private static IndexSet readAcked(BytesReader in, long floor) {
        long base = floor + in.zigzag();
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
        return new IndexSet(base, bits);
    }

    private static @Nullable Map<Long, Integer> readFailed(BytesReader in, long floor) {
        int count = in.count(2);
        if (count == 0) {
            return null;
        }
        Map<Long, Integer> failed = new HashMap<>();
        for (int i = 0; i < count; i++) {
            failed.put(floor + in.zigzag(), (int) in.varint(Integer.MAX_VALUE));
        }
        return failed;
    }

    private static SegmentRefs readRefs(BytesReader in) {
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
