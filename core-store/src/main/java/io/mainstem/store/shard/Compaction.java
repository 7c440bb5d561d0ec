package io.mainstem.store.shard;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.Entry;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.CompactionResult;
import io.mainstem.store.segment.CommitLog.LsnRange;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.segment.LiveRecords;
import io.mainstem.store.shard.CompactionChoice.Stretch;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.LostBlock;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes live records out of segments that hold little else [L-7], one stretch of the log at a time:
 *
 * <pre>
 * IDLE --a sparse stretch--> COLLECTING: lanes that point into it are copied some at a time, and read on another thread
 *      --all--> WAITING until the log is durable up to what was seen
 *      ------> COPYING on the other thread: records into a new file, synced, put in place of the old ones
 *      ------> IDLE
 * </pre>
 *
 * <p>What is live is judged over some time, while entries come and go. That is safe because what is dead never becomes
 * live again, and what moves from a lane not seen yet to one seen already (a reference to the same message) is noted as it
 * is appended. It is judged on durable state only: were the log cut behind an unsynced SETTLE, its message must be there.
 *
 * <p>Thread: shard only, except what the executor runs.
 */
final class Compaction {
    private static final Logger LOG = LoggerFactory.getLogger(Compaction.class);
    private static final long CHECK_MS = 1000;
    private static final long RETRY_MS = 60_000;
    private static final long RETRY_MS_MAX = 16 * RETRY_MS;

    private enum Phase {
        IDLE,
        COLLECTING,
        WAITING,
        COPYING
    }

    private final StoreConfig config;
    private final CommitLog log;
    private final Lanes lanes;
    private final LaneSweep.Parts sweeps;
    private final Consumer<LsnRange> damages;
    private final Checkpoints checkpoints;
    private final CompactionChoice choice;
    private final Throttle throttle;
    private final Executor background;
    private final Consumer<Runnable> shard;
    private Phase phase = Phase.IDLE;
    private @Nullable Round round;
    private long notBeforeMs;
    private long retryMs = RETRY_MS;
    private StoreState failedIn = StoreState.RUNNING;
    private long nowMs;
    private long done;

    /**
     * Idle.
     *
     * @param background runs the blocking part
     * @param shard runs something on the shard thread, soon
     * @param damages told of live records that cannot be read
     */
    Compaction(Checkpointer.Parts parts, Executor background, Consumer<Runnable> shard, Consumer<LsnRange> damages) {
        this.config = parts.config();
        this.log = parts.log();
        this.lanes = parts.lanes();
        this.sweeps = new LaneSweep.Parts(lanes, parts.view(), background, shard, Throttle.of(0));
        this.damages = damages;
        this.checkpoints = parts.checkpoints();
        this.choice =
                new CompactionChoice(config.segmentBytes(), config.upkeep().compactionQuietMs());
        this.throttle = Throttle.of(config.upkeep().compactionBytesPerSecond());
        this.background = background;
        this.shard = shard;
    }

    /** A step of work, at most about 2 ms; true if there is more to do now. */
    boolean slice(long now) {
        nowMs = now;
        switch (phase) {
            case IDLE -> {
                return begin();
            }
            case COLLECTING -> {
                return current().collect();
            }
            case WAITING -> {
                return copy();
            }
            default -> {
                return false;
            }
        }
    }

    /** True if this segment must be left alone now. */
    boolean works(SegmentInfo segment) {
        return round != null && round.stretch.meets(segment);
    }

    /** True if no stretch is being compacted. */
    boolean idle() {
        return phase == Phase.IDLE;
    }

    /** Stretches compacted since the start. */
    long done() {
        return done;
    }

    /** Lets what is under way end soon, without effect or with its full effect. */
    void stop() {
        throttle.cancel();
    }

    private boolean begin() {
        ImageHeader older = checkpoints.older();
        StoreState state = log.state();
        if (retryMs > RETRY_MS && state != failedIn) {
            // Another state of the disk: what failed may work now, and is needed if space has become scarce.
            retryMs = RETRY_MS;
            notBeforeMs = nowMs;
        }
        if (nowMs - notBeforeMs < 0 || older == null || state == StoreState.FAILED) {
            return false;
        }
        notBeforeMs = nowMs + Math.min(CHECK_MS, config.checkpointIntervalMs());
        boolean pressed = state == StoreState.DISK_HIGH || state == StoreState.DISK_CRITICAL;
        throttle.rate(config.upkeep().compactionBytesPerSecond() * (pressed ? 2 : 1));
        Stretch stretch = choice.choose(log.segments(), lanes.totals(), older.replayLsn(), pressed, nowMs);
        if (stretch == null) {
            return false;
        }
        round = new Round(stretch);
        lanes.onAppend(current()::appended);
        phase = Phase.COLLECTING;
        return true;
    }

    private Round current() {
        if (round == null) {
            throw new IllegalStateException("no compaction is under way");
        }
        return round;
    }

    private boolean copy() {
        Round current = current();
        if (log.syncedLsn() < current.targetLsn) {
            return false; // the log wakes the shard when it has synced
        }
        phase = Phase.COPYING;
        background.execute(() -> {
            Runnable result = copied(current);
            shard.accept(result);
        });
        return false;
    }

    private Runnable copied(Round current) {
        try {
            throttle.take(0);
            CompactionResult result = log.compact(current.live, throttle);
            return () -> finished(current.stretch, result);
        } catch (InterruptedIOException e) {
            return this::end; // the store is being closed
        } catch (DamagedRecordException e) {
            return () -> damaged(current.stretch, e);
        } catch (IOException | RuntimeException e) {
            return () -> failed(e);
        }
    }

    private void finished(Stretch stretch, CompactionResult result) {
        end();
        retryMs = RETRY_MS;
        if (!result.done()) {
            choice.leaveAlone(stretch);
            return;
        }
        done++;
        notBeforeMs = nowMs;
        LOG.info(
                "compacted lsn={}..{} files={} records={} bytes={}->{}",
                stretch.baseLsn(),
                stretch.endLsn(),
                stretch.segments().size(),
                result.records(),
                result.bytesBefore(),
                result.bytesAfter());
    }

    private void damaged(Stretch stretch, DamagedRecordException cause) {
        end();
        choice.leaveAlone(stretch.at(cause.lsn()));
        LOG.warn(
                "MS-0219 compaction of lsn={}..{} left out: {}",
                stretch.baseLsn(),
                stretch.endLsn(),
                cause.getMessage());
        damages.accept(new LsnRange(cause.lsn(), cause.lsn() + 1));
    }

    private void failed(Exception cause) {
        end();
        long waitMs = retryMs;
        notBeforeMs = nowMs + waitMs;
        retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
        failedIn = log.state();
        LOG.warn(
                "MS-0219 compaction-failed directory={} cause=\"{}\" fix: free disk space, check the disk; nothing is"
                        + " lost, it is tried again in {} s",
                config.directory(),
                cause.toString(),
                waitMs / 1000);
    }

    private void end() {
        lanes.onAppend(null);
        phase = Phase.IDLE;
        round = null;
    }

    /** One attempt: a stretch, and what was found to be live in it so far. */
    private final class Round {
        private final Stretch stretch;
        private final LiveRecords live;
        private final LaneSweep sweep;
        private final List<Entry> appended = new ArrayList<>();
        private long targetLsn;

        private Round(Stretch stretch) {
            this.stretch = stretch;
            this.live = new LiveRecords(stretch.baseLsn(), stretch.endLsn());
            this.sweep = new LaneSweep(sweeps, stretch.baseLsn(), stretch.endLsn(), new Seen());
        }

        private final class Seen implements LaneSweep.Found {
            @Override
            public void entry(Entry entry, long laneId) {
                keep(entry);
                live.marks().entry(laneId, LostBlock.madeAt(entry), entry.index(), true);
            }

            @Override
            public void settled(Entry entry, long laneId) {
                live.marks().entry(laneId, LostBlock.madeAt(entry), entry.index(), false);
            }
        }

        private void appended(Entry entry) {
            boolean ref = entry.isRef();
            if (entry.lsn() < stretch.endLsn() && ref) {
                appended.add(entry);
            }
        }

        /** Looks at some more lanes. */
        private boolean collect() {
            return sweep.done() ? collected() : sweep.slice();
        }

        private void keep(Entry entry) {
            live.keep(entry.lsn());
            if (entry.isRef()) {
                live.keep(entry.aux());
            }
            if (entry.isLarge()
                    && entry.firstUnit() * Entry.UNIT_BYTES < stretch.endLsn()
                    && entry.lsn() >= stretch.baseLsn()) {
                live.keepPartsOf(entry.lsn());
            }
        }

        private boolean collected() {
            lanes.onAppend(null);
            LaneSnapshot.Unread block = sweep.missing();
            if (block != null) {
                lanes.blocks().mend(block, () -> {});
                choice.leaveAlone(stretch);
                failed(new IOException(block.problem()));
                return false;
            }
            appended.forEach(this::keep);
            targetLsn = log.writtenLsn();
            phase = Phase.WAITING;
            return true;
        }
    }
}
