package io.mainstem.store.shard;

import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads, once in each pass of the scrub, all blocks of consume queues again that somebody will need, so that damage is found
 * and mended while the log still has everything. Thread: shard.
 */
final class ViewScrub {
    private final LaneSweep.Parts parts;
    private final Lanes lanes;
    private final Deque<LaneSnapshot.Unread> damaged = new ArrayDeque<>();
    private @Nullable LaneSweep sweep;
    private boolean mending;

    ViewScrub(LaneSweep.Parts parts) {
        this.parts = parts;
        this.lanes = parts.lanes();
    }

    /** Begins, unless it is under way. */
    void begin() {
        if (sweep == null && damaged.isEmpty() && !mending) {
            sweep = new LaneSweep(parts, 0, Long.MAX_VALUE, (entry, laneId) -> {});
        }
    }

    /** A step of work; true if there is more to do now. */
    boolean slice() {
        LaneSweep current = sweep;
        if (current != null && !current.done()) {
            return current.slice();
        }
        if (current != null) {
            current.forEachMissing(damaged::add);
            sweep = null;
        }
        // One at a time: each may read much of the log, and consumers read too.
        LaneSnapshot.Unread next = mending ? null : damaged.poll();
        if (next != null) {
            mending = true;
            lanes.mend(next, () -> mending = false);
        }
        return false;
    }
}
