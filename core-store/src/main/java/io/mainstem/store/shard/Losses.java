package io.mainstem.store.shard;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.segment.CommitLog.LsnRange;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.view.Lanes;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of damage in sealed segments: it costs the messages in it and nothing else [L-11].
 *
 * <p>For a damaged range, all entries that need a record there are looked up and their records read again from the disk.
 * Those that cannot be read are settled as {@link Settlement.Kind#LOST}, each with an alarm; before, the file is copied to
 * {@code log/attic}. Damage behind the older checkpoint is left alone and told: replay would need these records, and a
 * message left out there would shift all that follow it.
 *
 * <p>Thread: shard only, except what the executor runs.
 */
final class Losses {
    private static final Logger LOG = LoggerFactory.getLogger(Losses.class);
    private static final int RANGES_MAX = 10_000;

    private final CommitLog log;
    private final Lanes lanes;
    private final Checkpoints checkpoints;
    private final LaneSweep.Parts sweeps;
    private final Deque<LsnRange> waiting = new ArrayDeque<>();
    private final QueueNames names;
    private @Nullable Search search;
    private long lost;

    Losses(Checkpointer.Parts parts, Executor background, Consumer<Runnable> shard, QueueNames names) {
        this.names = names;
        this.log = parts.log();
        this.lanes = parts.lanes();
        this.checkpoints = parts.checkpoints();
        this.sweeps = new LaneSweep.Parts(lanes, parts.view(), background, shard, Throttle.of(0));
    }

    /** Something in this range is damaged. */
    void add(LsnRange range) {
        if (waiting.size() < RANGES_MAX
                && !waiting.contains(range)
                && (search == null || !search.range.equals(range))) {
            waiting.add(range);
        }
    }

    /** Entries settled as lost since the start. */
    long lost() {
        return lost;
    }

    /** True if nothing is being looked into. */
    boolean idle() {
        return search == null && waiting.isEmpty();
    }

    /** A step of work; true if there is more to do now. */
    boolean slice() {
        Search current = search;
        if (current == null) {
            return begin();
        }
        if (!current.sweep.done()) {
            return current.sweep.slice();
        }
        if (!current.judged) {
            current.judged = true;
            sweeps.background().execute(() -> {
                current.judge();
                sweeps.shard().accept(() -> settle(current));
            });
        }
        return false;
    }

    private boolean begin() {
        LsnRange range = waiting.poll();
        if (range == null) {
            return false;
        }
        SegmentInfo segment = segmentOf(range);
        ImageHeader older = checkpoints.older();
        if (segment == null) {
            return true; // gone meanwhile, so nothing in it was needed
        }
        if (!segment.sealed() || older == null || segment.endLsn() > older.replayLsn()) {
            LOG.error(
                    "MS-0246 log-damaged lsn={}..{} which a restart would replay fix: consume what you can and copy the"
                            + " data folder; a restart from here is refused until checkpoints have passed this place",
                    range.from(),
                    range.to());
            return true;
        }
        search = new Search(range, segment);
        return true;
    }

    private @Nullable SegmentInfo segmentOf(LsnRange range) {
        for (SegmentInfo segment : log.segments()) {
            if (range.from() >= segment.baseLsn() && range.from() < segment.endLsn()) {
                return segment;
            }
        }
        return null;
    }

    private void settle(Search done) {
        search = null;
        List<Settlement> settlements = new ArrayList<>();
        for (Suspect suspect : done.lost) {
            Lane lane = lanes.lane(suspect.laneId);
            if (lane != null && !lane.cursor().settled(suspect.entry.index())) {
                settlements.add(new Settlement(suspect.laneId, suspect.entry, Settlement.Kind.LOST));
            }
        }
        if (settlements.isEmpty()) {
            LOG.warn(
                    "MS-0247 log-damaged lsn={}..{} but no message needs what stands there fix: check the disk",
                    done.range.from(),
                    done.range.to());
        } else {
            log.submit(new Settled(settlements, done.copy));
        }
    }

    /** An entry that may need a damaged record. */
    private record Suspect(long laneId, Entry entry) {}

    /** The look into one range. */
    private final class Search {
        private final LsnRange range;
        private final LaneSweep sweep;
        private final List<Suspect> suspects = new ArrayList<>();
        private final List<Suspect> lost = new ArrayList<>();
        private String copy = "none";
        private boolean judged;

        private Search(LsnRange range, SegmentInfo segment) {
            this.range = range;
            this.sweep = new LaneSweep(sweeps, segment.baseLsn(), segment.endLsn(), this::suspect);
        }

        private void suspect(Entry entry, long laneId) {
            boolean parts = entry.isLarge() && entry.firstUnit() * Entry.UNIT_BYTES < range.to();
            boolean self = entry.lsn() >= range.from() && entry.lsn() < range.to();
            boolean ref = entry.isRef() && entry.aux() >= range.from() && entry.aux() < range.to();
            if (self || ref || (parts && entry.lsn() >= range.from())) {
                suspects.add(new Suspect(laneId, entry));
            }
        }

        private void judge() {
            for (Suspect suspect : suspects) {
                if (isLost(suspect.entry)) {
                    lost.add(suspect);
                }
            }
            if (!lost.isEmpty()) {
                try {
                    copy = String.valueOf(log.keepCopy(range.from()));
                } catch (IOException e) {
                    LOG.warn(
                            "MS-0248 damaged-file-not-copied lsn={} cause=\"{}\" fix: free disk space; it is tried"
                                    + " again",
                            range.from(),
                            e.toString());
                }
            }
        }

        private boolean isLost(Entry entry) {
            try {
                LogRecord record = log.readAgain(entry.lsn());
                if (entry.isRef()) {
                    log.readAgain(entry.aux());
                }
                if (record != null && record.isLarge()) {
                    for (long part : RecordBody.partList(record.body()).lsn()) {
                        log.readAgain(part);
                    }
                }
                return false;
            } catch (DamagedRecordException | MalformedException e) {
                return true;
            } catch (StoreException | IOException e) {
                LOG.warn(
                        "MS-0248 record of a damaged stretch lsn={} cannot be judged: {} fix: check the disk; it is"
                                + " tried again",
                        entry.lsn(),
                        e.toString());
                return false; // a disk that does not answer may answer again
            }
        }
    }

    /** The record that they are lost, and the alarm once that is durable. */
    private final class Settled extends RecordGroup {
        private final List<Settlement> settlements;
        private final String copy;

        private Settled(List<Settlement> settlements, String copy) {
            super(List.of(Frames.settle(settlements)), Durability.SYNC);
            this.settlements = settlements;
            this.copy = copy;
        }

        @Override
        public void onApplied() {
            lost += settlements.size();
            for (Settlement settlement : settlements) {
                LOG.error(
                        "MS-0245 message-lost {} priority={} index={} lsn={} damaged-file-copy={} fix: check the"
                                + " disk; restore the message from a backup if it is needed",
                        names.of(settlement.laneId()),
                        settlement.laneId() & 0xFF,
                        settlement.entry().index(),
                        settlement.entry().lsn(),
                        copy);
            }
        }

        @Override
        public void onFailed(StoreState why) {
            LOG.warn(
                    "MS-0248 lost messages could not be settled store={} fix: free disk space or check the disk; they"
                            + " are found again",
                    why);
        }
    }
}
