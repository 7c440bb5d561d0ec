package io.mainstem.store.shard;

import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads, at the pace of the scrub and once in each pass, all blocks of consume queues again that somebody will need, so that damage is found
 * and mended while the log still has everything; and has the counters of segments compared with them. Thread: shard.
 */
final class ViewScrub {
    private final LaneSweep.Parts parts;
    private final Lanes lanes;
    private final QueueNames queueNames;
    private final Deque<LaneSnapshot.Unread> damaged = new ArrayDeque<>();
    private @Nullable Pass pass;
    private boolean mending;
    private boolean again;
    private long audits;

    ViewScrub(LaneSweep.Parts parts, QueueNames queueNames) {
        this.parts = parts;
        this.queueNames = queueNames;
        this.lanes = parts.lanes();
    }

    private record Pass(LaneSweep sweep, CounterAudit audit) {}

    private void mended() {
        mending = false;
        if (again) {
            begin();
        }
    }

    /** Lets what is under way end soon, without effect. */
    void stop() {
        parts.throttle().cancel();
    }

    /** Begins, unless it is under way. */
    void begin() {
        if (pass == null && damaged.isEmpty() && !mending) {
            CounterAudit audit = new CounterAudit(lanes, queueNames);
            pass = new Pass(new LaneSweep(parts, 0, Long.MAX_VALUE, audit), audit);
        }
    }

    /** Passes done since the start. */
    long audits() {
        return audits;
    }

    /** A step of work; true if there is more to do now. */
    boolean slice() {
        Pass current = pass;
        if (current != null && !current.sweep.done()) {
            return current.sweep.slice();
        }
        if (current != null) {
            current.audit.correct();
            audits++;
            current.sweep.forEachMissing(damaged::add);
            pass = null;
            // Counters of lanes with damaged blocks could not be compared.
            again = !again && !damaged.isEmpty();
        }
        // One at a time: each may read much of the log, and consumers read too.
        LaneSnapshot.Unread next = mending ? null : damaged.poll();
        if (next != null) {
            mending = true;
            lanes.blocks().mend(next, this::mended);
        }
        return false;
    }
}
