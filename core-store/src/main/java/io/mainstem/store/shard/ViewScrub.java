package io.mainstem.store.shard;

import io.mainstem.store.view.Lanes;
import org.jspecify.annotations.Nullable;

/**
 * Reads, once in each pass of the scrub, all blocks of consume queues again that somebody will need, so that damage is found
 * and mended while the log still has everything. Thread: shard.
 */
final class ViewScrub {
    private final LaneSweep.Parts parts;
    private final Lanes lanes;
    private @Nullable LaneSweep sweep;

    ViewScrub(LaneSweep.Parts parts) {
        this.parts = parts;
        this.lanes = parts.lanes();
    }

    /** Begins, unless it is under way. */
    void begin() {
        if (sweep == null) {
            sweep = new LaneSweep(parts, 0, Long.MAX_VALUE, (entry, laneId) -> {});
        }
    }

    /** A step of work; true if there is more to do now. */
    boolean slice() {
        LaneSweep current = sweep;
        if (current == null) {
            return false;
        }
        if (!current.done()) {
            return current.slice();
        }
        sweep = null;
        current.forEachMissing(block -> lanes.mend(block.laneId(), block.firstIndex()));
        return false;
    }
}
