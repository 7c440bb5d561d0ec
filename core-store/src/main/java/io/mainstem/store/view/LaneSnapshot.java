package io.mainstem.store.view;

import io.mainstem.store.Entry;
import io.mainstem.store.files.Throttle;
import java.io.IOException;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Some of a lane's entries and which of them are settled, as they were at one moment; blocks are read when they are
 * asked for. Immutable.
 *
 * <p>Thread: made by the shard, read on any.
 */
public final class LaneSnapshot {
    private final LaneState lane;
    private final Map<Long, long[]> unwritten;
    private final long fromLsn;
    private final long toLsn;

    /**
     * What may point into [fromLsn, toLsn).
     *
     * @param unwritten blocks of the lane that are in memory only, by position
     */
    LaneSnapshot(LaneState lane, Map<Long, long[]> unwritten, long fromLsn, long toLsn) {
        this.lane = lane;
        this.unwritten = unwritten;
        this.fromLsn = fromLsn;
        this.toLsn = toLsn;
    }

    /** A block of a lane that could not be read. */
    public record Unread(long laneId, long firstIndex, long position, String problem) {}

    public long laneId() {
        return lane.laneId();
    }

    /** What the lane said at that moment that its entries hold: segment, references, bytes for each. */
    public long[] counters() {
        return lane.refs().toTriples();
    }

    /** {@link SegmentRefs#clears} at that moment. */
    long clears() {
        return lane.refs().clears();
    }

    /** About how many bytes were copied for it. */
    public int bytes() {
        return (lane.entries().tail().length + 3 * lane.refs().size()) * Long.BYTES
                + lane.entries().blocks().pages() * 16
                + 64;
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
        BlockDirectory blocks = lane.entries().blocks();
        for (long place = blocks.first(); place >= 0; place = blocks.next(place)) {
            BlockDirectory.Row block = blocks.get(place);
            if (block.mayPointInto(fromLsn, toLsn)) {
                tell(block, view, throttle, entries, unread);
            }
        }
        tell(lane.entries().tail(), lane.entries().tailFirst(), lane.entries().tailSize(), entries);
    }

    private void tell(
            BlockDirectory.Row block,
            ViewFiles view,
            Throttle throttle,
            EntryVisitor entries,
            Consumer<Unread> unread) {
        long[] words = unwritten.get(block.position());
        try {
            if (words == null) {
                throttle.take(Block.BYTES);
                words = view.read(block.position(), laneId(), block.firstIndex());
            }
        } catch (IOException | IllegalStateException e) {
            unread.accept(new Unread(laneId(), block.firstIndex(), block.position(), String.valueOf(e.getMessage())));
            return;
        }
        tell(words, block.firstIndex(), Block.ENTRIES, entries);
    }

    private void tell(long[] words, long first, int count, EntryVisitor entries) {
        for (int slot = 0; slot < count; slot++) {
            long index = first + slot;
            Entry entry = EntryWords.get(words, slot, index);
            boolean waits = lane.acks().waiting().contains(index);
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
}
