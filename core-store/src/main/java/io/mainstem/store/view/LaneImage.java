package io.mainstem.store.view;

import io.mainstem.store.Entry;
import io.mainstem.store.codec.BytesWriter;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.RoaringBitmap;

/**
 * A lane's state on its way into a checkpoint, a slice at a time: a lane may keep more than can be written while others wait
 * (ADR 0065). The layout is drawn at {@link LaneCodec}.
 *
 * <p>Thread: shard only.
 */
public final class LaneImage {
    private final LaneState lane;
    private final Waiting waiting;
    private final @Nullable IndexSet behind;
    private final @Nullable FailureCounts failed;
    private Part part = Part.HEAD;
    private int nextBits;
    private int nextFailed;

    private long place;
    private BlockDirectory.Row last = LaneCodec.NO_ROW;
    private long lastIndex;

    private enum Part {
        HEAD,
        BLOCKS,
        TAIL,
        WAITING,
        FAILED,
        REFS,
        DONE
    }

    LaneImage(LaneState lane) {
        this.lane = lane;
        this.waiting = lane.acks().waiting();
        this.behind = waiting.behind();
        this.failed = lane.acks().failed();
        this.place = lane.entries().blocks().first();
        this.lastIndex = waiting.floor();
    }

    /**
     * Writes on.
     *
     * @param sizeMax once {@code out} has so many bytes, the rest is left for another call
     * @return true if all is written
     */
    public boolean write(BytesWriter out, long sizeMax) {
        while (part != Part.DONE && out.size() < sizeMax) {
            part = step(out);
        }
        return part == Part.DONE;
    }

    /** Writes a bit of the part; the part that comes then. */
    private Part step(BytesWriter out) {
        return switch (part) {
            case HEAD -> head(out);
            case BLOCKS -> block(out) ? Part.TAIL : Part.BLOCKS;
            case TAIL -> tail(out);
            case WAITING -> behind == null || waiting(behind, out) ? Part.FAILED : Part.WAITING;
            case FAILED -> failed == null || failed(failed, out) ? Part.REFS : Part.FAILED;
            case REFS -> refs(out);
            case DONE -> Part.DONE;
        };
    }

    private Part head(BytesWriter out) {
        out.u8(LaneCodec.VERSION).u64(lane.appliedLsn()).varint(waiting.floor());
        out.varint(waiting.openFrom() - waiting.floor());
        out.zigzag(lane.acks().deliveredBelow() - waiting.floor());
        out.varint(lane.entries().gatheredEnd());
        out.varint(lane.entries().blocks().count());
        return Part.BLOCKS;
    }

    private boolean block(BytesWriter out) {
        if (place >= 0) {
            BlockDirectory.Row row = lane.entries().blocks().get(place);
            out.varint(row.firstIndex() - last.endIndex());
            out.zigzag((row.position() - last.position()) / Block.BYTES).zigzag(row.madeAt() - last.madeAt());
            out.zigzag((row.madeAt() - row.low()) / Entry.UNIT_BYTES);
            out.varint(row.high() == BlockDirectory.NO_BOUND ? 0 : row.high() - row.madeAt() + 1);
            last = row;
            place = lane.entries().blocks().next(place);
        }
        return place < 0;
    }

    /** From the first entry on that is not settled. */
    private Part tail(BytesWriter out) {
        LaneState.Entries entries = lane.entries();
        long from = Math.min(entries.nextIndex(), waiting.next(entries.tailFirst()));
        int settled = (int) (from - entries.tailFirst());
        out.zigzag(from - waiting.floor()).varint(entries.tailSize() - settled);
        long lastLsn = 0;
        for (int slot = settled; slot < entries.tailSize(); slot++) {
            Entry entry = EntryWords.get(entries.tail(), slot, 0);
            out.zigzag(entry.lsn() - lastLsn)
                    .varint(entry.size())
                    .varint(entry.flags())
                    .varint(entry.fanout())
                    .zigzag(entry.isRef() ? entry.aux() - entry.lsn() : entry.aux())
                    .varint(entry.expireAtMs());
            lastLsn = entry.lsn();
        }
        out.varint(behind == null ? 0 : behind.parts());
        return Part.WAITING;
    }

    private boolean waiting(IndexSet set, BytesWriter out) {
        RoaringBitmap bits = set.bits(nextBits);
        bits.runOptimize();
        out.varint(set.number(nextBits) - (nextBits == 0 ? 0 : set.number(nextBits - 1)));
        out.block(LaneCodec.bytes(bits));
        nextBits++;
        return nextBits == set.parts();
    }

    private boolean failed(FailureCounts counts, BytesWriter out) {
        if (nextFailed == 0) {
            out.varint(counts.size());
        }
        counts.forEach(nextFailed, (index, failures) -> {
            out.varint(index - lastIndex).varint(failures);
            lastIndex = index;
        });
        nextFailed++;
        return nextFailed == counts.pages();
    }

    private Part refs(BytesWriter out) {
        if (failed == null) {
            out.varint(0);
        }
        out.varint(lane.refs().size());
        long[] before = {0};
        lane.refs().forEach((segment, count, bytes) -> {
            out.varint(segment - before[0]).varint(count).varint(bytes);
            before[0] = segment;
        });
        return Part.DONE;
    }
}
