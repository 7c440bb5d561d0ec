package io.mainstem.store.shard;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Gives back segments and view files that nothing needs.
 *
 * <p>A sealed segment goes when no entry refers to it and it ends at or below the replay position of the older kept
 * checkpoint. Whether entries refer to it is judged on durable state only: the dead are listed while an image is
 * taken, and removed once that image is durable. A power cut can then bring no entry back that needs them, because what
 * is dead never becomes live again.
 *
 * <p>Thread: shard only.
 */
final class Reclaim {
    private final StoreConfig config;
    private final CommitLog log;
    private final Lanes lanes;
    private final ViewFiles view;

    Reclaim(StoreConfig config, CommitLog log, Lanes lanes, ViewFiles view) {
        this.config = config;
        this.log = log;
        this.lanes = lanes;
        this.view = view;
    }

    /** Sealed segments without references now. */
    List<SegmentInfo> deadSegments() {
        List<SegmentInfo> dead = new ArrayList<>();
        for (SegmentInfo segment : log.segments()) {
            if (segment.sealed() && isDead(segment)) {
                dead.add(segment);
            }
        }
        return dead;
    }

    /**
     * Removes what the checkpoints allow.
     *
     * @param busy segments that are being compacted
     * @return true if another checkpoint would allow more
     */
    boolean run(List<SegmentInfo> dead, Checkpoints checkpoints, Predicate<SegmentInfo> busy) {
        ImageHeader newest = checkpoints.newest();
        ImageHeader older = checkpoints.older();
        Set<SegmentInfo> there = new HashSet<>(log.segments());
        boolean more = false;
        for (SegmentInfo segment : dead) {
            if (!there.contains(segment) || !isDead(segment)) {
                continue; // compacted meanwhile; and a segment that is needed stays whatever the list says
            }
            if (busy.test(segment)) {
                more = true;
            } else if (older != null && segment.endLsn() <= older.replayLsn()) {
                more |= !log.recycle(segment.baseLsn());
            } else if (newest != null && segment.endLsn() <= newest.replayLsn()) {
                more = true;
            }
        }
        if (older != null) {
            view.recycle(older.sequence());
        }
        return more;
    }

    private boolean isDead(SegmentInfo segment) {
        long bytes = config.segmentBytes();
        return !lanes.totals().holdsAny(segment.baseLsn() / bytes, segment.endLsn() / bytes);
    }
}
