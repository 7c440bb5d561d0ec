package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at all unsettled entries that may point into a stretch of the log: some lanes at a time are copied on the shard
 * thread and read on another one.
 *
 * <p>Thread: shard only, except what the executor runs.
 */
final class LaneSweep {
    private static final int SLICE_BYTES = 256 << 10;
    private static final int SLICE_LANES = 2000;

    private final Lanes lanes;
    private final ViewFiles view;
    private final Executor background;
    private final Consumer<Runnable> shard;
    private final long fromLsn;
    private final long toLsn;
    private final ObjLongConsumer<Entry> found;
    private final long[] laneIds;
    private final List<LaneSnapshot.Unread> unread = new ArrayList<>();
    private int nextLane;
    private boolean reading;

    /** What sweeps of a store have in common. */
    record Parts(Lanes lanes, ViewFiles view, Executor background, Consumer<Runnable> shard) {}

    /**
     * Not begun.
     *
     * @param fromLsn base of a segment
     * @param toLsn end of a segment
     * @param found told of entries and their lane ids, on the background thread, one call at a time
     */
    LaneSweep(Parts parts, long fromLsn, long toLsn, ObjLongConsumer<Entry> found) {
        this.lanes = parts.lanes;
        this.view = parts.view;
        this.background = parts.background;
        this.shard = parts.shard;
        this.fromLsn = fromLsn;
        this.toLsn = toLsn;
        this.found = found;
        this.laneIds = lanes.ids();
    }

    /** True once everything has been looked at. */
    boolean done() {
        return nextLane == laneIds.length && !reading;
    }

    /** Hands some more lanes to the other thread; true if there is more to do now. */
    boolean slice() {
        if (reading || nextLane == laneIds.length) {
            return false;
        }
        List<LaneSnapshot> some = new ArrayList<>();
        int bytes = 0;
        int end = Math.min(laneIds.length, nextLane + SLICE_LANES);
        for (; nextLane < end && bytes < SLICE_BYTES; nextLane++) {
            LaneSnapshot snapshot = lanes.snapshot(laneIds[nextLane], fromLsn, toLsn);
            if (snapshot != null) {
                some.add(snapshot);
                bytes += snapshot.bytes();
            }
        }
        if (!some.isEmpty()) {
            reading = true;
            background.execute(() -> read(some));
        }
        return some.isEmpty();
    }

    private void read(List<LaneSnapshot> some) {
        List<LaneSnapshot.Unread> bad = new ArrayList<>();
        for (LaneSnapshot snapshot : some) {
            snapshot.forEachUnsettled(view, entry -> found.accept(entry, snapshot.laneId()), bad::add);
        }
        shard.accept(() -> {
            unread.addAll(bad);
            reading = false;
        });
    }

    /** Tells all blocks that could not be read although entries in them are not settled. */
    void forEachMissing(Consumer<LaneSnapshot.Unread> to) {
        for (LaneSnapshot.Unread block : unread) {
            if (lanes.holdsBlock(block.laneId(), block.firstIndex())) {
                to.accept(block);
            }
        }
    }

    /** A block that could not be read although entries in it are not settled, or null. */
    LaneSnapshot.@Nullable Unread missing() {
        for (LaneSnapshot.Unread block : unread) {
            // Else all its entries were settled before it was read.
            if (lanes.holdsBlock(block.laneId(), block.firstIndex())) {
                return block;
            }
        }
        return null;
    }
}
