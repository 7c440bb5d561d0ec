package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
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
    private final Throttle throttle;
    private final Consumer<Runnable> shard;
    private final long fromLsn;
    private final long toLsn;
    private final Found found;
    private final long[] laneIds;
    private final List<LaneSnapshot.Unread> unread = new ArrayList<>();
    private int nextLane;
    private boolean reading;

    /**
     * What sweeps of a store have in common.
     *
     * @param throttle pays for the blocks that are read
     */
    record Parts(Lanes lanes, ViewFiles view, Executor background, Consumer<Runnable> shard, Throttle throttle) {}

    /** Told, on the background thread, of what there is; one call at a time. */
    @FunctionalInterface
    interface Found {
        /** An entry that was not settled when its lane was copied. */
        void entry(Entry entry, long laneId);

        /** One that was settled, in a block with others that were not. */
        default void settled(Entry entry, long laneId) {}

        /**
         * All entries of a lane have been told.
         *
         * @param whole false if blocks of it could not be read
         */
        default void laneEnd(LaneSnapshot lane, boolean whole) {}
    }

    /**
     * Not begun.
     *
     * @param fromLsn base of a segment
     * @param toLsn end of a segment
     */
    LaneSweep(Parts parts, long fromLsn, long toLsn, Found found) {
        this.lanes = parts.lanes;
        this.view = parts.view;
        this.background = parts.background;
        this.throttle = parts.throttle;
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
            LaneSnapshot snapshot = snapshot(laneIds[nextLane]);
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

    private @Nullable LaneSnapshot snapshot(long laneId) {
        // What counts for all segments must not go by the counters: they may be what is wrong.
        boolean all = fromLsn == 0 && toLsn == Long.MAX_VALUE;
        return all ? lanes.snapshot(laneId) : lanes.snapshot(laneId, fromLsn, toLsn);
    }

    private void read(List<LaneSnapshot> some) {
        List<LaneSnapshot.Unread> bad = new ArrayList<>();
        for (LaneSnapshot snapshot : some) {
            int before = bad.size();
            snapshot.forEach(view, throttle, (entry, waits) -> tell(entry, snapshot.laneId(), waits), bad::add);
            found.laneEnd(snapshot, bad.size() == before);
        }
        shard.accept(() -> {
            unread.addAll(bad);
            reading = false;
        });
    }

    private void tell(Entry entry, long laneId, boolean waits) {
        if (waits) {
            found.entry(entry, laneId);
        } else {
            found.settled(entry, laneId);
        }
    }

    /** Tells all blocks that could not be read although entries in them are not settled. */
    void forEachMissing(Consumer<LaneSnapshot.Unread> to) {
        for (LaneSnapshot.Unread block : unread) {
            if (lanes.blocks().holdsBlock(block.laneId(), block.firstIndex())) {
                to.accept(block);
            }
        }
    }

    /** A block that could not be read although entries in it are not settled, or null. */
    LaneSnapshot.@Nullable Unread missing() {
        for (LaneSnapshot.Unread block : unread) {
            // Else all its entries were settled before it was read.
            if (lanes.blocks().holdsBlock(block.laneId(), block.firstIndex())) {
                return block;
            }
        }
        return null;
    }
}
