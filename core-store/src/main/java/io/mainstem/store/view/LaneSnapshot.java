package io.mainstem.store.view;

import io.mainstem.store.Entry;
import io.mainstem.store.files.Throttle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Some of a lane's entries and which of them are settled, as they were at one moment; blocks are read when they are
 * asked for. Immutable.
 *
 * <p>Thread: made by the shard, read on any.
 */
public final class LaneSnapshot {
    private final long laneId;
    private final long floor;
    private final @Nullable IndexSet acked;
    private final List<BlockRef> blocks;
    private final long tailFirst;
    private final long[] tail;
    private final long[] counters;
    private final long clears;

    private LaneSnapshot(Builder from, long tailFirst, long[] tail) {
        this.laneId = from.laneId;
        this.floor = from.floor;
        this.acked = from.acked;
        this.blocks = List.copyOf(from.blocks);
        this.tailFirst = tailFirst;
        this.tail = tail;
        this.counters = from.refs.toTriples();
        this.clears = from.refs.clears();
    }

    /** A block of a lane that could not be read. */
    public record Unread(long laneId, long firstIndex, long position, String problem) {}

    private record BlockRef(long position, long firstIndex, long @Nullable [] words) {}

    public long laneId() {
        return laneId;
    }

    /** What the lane said at that moment that its entries hold: segment, references, bytes for each. */
    public long[] counters() {
        return counters.clone();
    }

    /** {@link SegmentRefs#clears} at that moment. */
    long clears() {
        return clears;
    }

    /** About how many bytes it keeps in memory. */
    public int bytes() {
        int acks = acked == null ? 0 : acked.bits().getSizeInBytes();
        return (tail.length + counters.length) * Long.BYTES + blocks.size() * 48 + acks + 64;
    }

    /**
     * Tells all entries that were not settled. Blocks.
     *
     * @param unread told of blocks that cannot be read: damaged, or given up since
     */
    public void forEachUnsettled(ViewFiles view, Consumer<Entry> entries, Consumer<Unread> unread) {
        EntryVisitor waiting = (entry, waits) -> {
            if (waits) {
                entries.accept(entry);
            }
        };
        forEach(view, Throttle.of(0), waiting, unread);
    }

    /**
     * As {@link #forEachUnsettled}, with those that are settled but still known.
     *
     * @param throttle pays for what is read; once it is cancelled nothing more is read
     */
    public void forEach(ViewFiles view, Throttle throttle, EntryVisitor entries, Consumer<Unread> unread) {
        for (BlockRef block : blocks) {
            try {
                throttle.take(block.words == null ? Block.BYTES : 0);
                long[] words = block.words == null ? view.read(block.position, laneId, block.firstIndex) : block.words;
                tell(words, block.firstIndex, Block.ENTRIES, entries);
            } catch (IOException | IllegalStateException e) {
                unread.accept(new Unread(laneId, block.firstIndex, block.position, String.valueOf(e.getMessage())));
            }
        }
        tell(tail, tailFirst, tail.length / EntryWords.PER_ENTRY, entries);
    }

    private void tell(long[] words, long first, int count, EntryVisitor entries) {
        for (int slot = 0; slot < count; slot++) {
            long index = first + slot;
            Entry entry = EntryWords.get(words, slot, index);
            boolean waits = index >= floor && (acked == null || !acked.contains(index));
            if (waits || entry.lsn() != 0) {
                entries.entry(entry, waits);
            }
        }
    }

    /** Receives entries, ascending. */
    @FunctionalInterface
    public interface EntryVisitor {
        /** One of them; {@code waits} if it was not settled. */
        void entry(Entry entry, boolean waits);
    }

    /** Collects one. */
    static final class Builder {
        private final long laneId;
        private final long floor;
        private final @Nullable IndexSet acked;
        private final SegmentRefs refs;
        private final List<BlockRef> blocks = new ArrayList<>();

        Builder(long laneId, LaneCursor cursor, SegmentRefs refs) {
            this.refs = refs;
            this.laneId = laneId;
            this.floor = cursor.floor();
            this.acked = cursor.ackedNow();
        }

        /** @param words if they are in memory; never changed any more */
        void block(long position, long firstIndex, long @Nullable [] words) {
            blocks.add(new BlockRef(position, firstIndex, words));
        }

        LaneSnapshot build(long tailFirst, long[] tail) {
            return new LaneSnapshot(this, tailFirst, tail);
        }
    }
}
