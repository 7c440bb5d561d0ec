package io.mainstem.store.shard;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageChanges;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.files.DiskSpace;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes fuzzy, incremental checkpoints and gives back the space they free [L-6] and [L-7].
 *
 * <pre>
 * IDLE --due--> SLICING: lanes changed since the last image, some at a time, each as of its own last record
 *      --all--> WAITING until the log is durable up to what they contain
 *      ------> WRITING on another thread: view files synced, image merged, synced, renamed
 *      ------> IDLE: dead segments and view files go
 * </pre>
 *
 * <p>A checkpoint that cannot be written (no space) is tried again; view files that cannot be synced end the store.
 *
 * <p>Thread: shard only, except the writing itself.
 */
final class Checkpointer {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpointer.class);
    private static final int SLICE_KEYS = 2000;
    private static final long PRESSED_INTERVAL_MS = 1000;

    private enum Phase {
        IDLE,
        SLICING,
        WAITING,
        WRITING
    }

    private final StoreConfig config;
    private final CommitLog log;
    private final Lanes lanes;
    private final MetaImage meta;
    private final ViewFiles view;
    private final Checkpoints checkpoints;
    private final Reclaim reclaim;
    private final Executor writing;
    private final Consumer<Runnable> shard;
    private final Predicate<SegmentInfo> busy;
    private final List<CompletableFuture<Void>> asked = new ArrayList<>();
    private Phase phase = Phase.IDLE;
    private @Nullable Round round;
    private long lastReplayLsn;
    private long lastMs;
    private boolean moreToReclaim;
    private @Nullable Exception ended;
    /** Why the last attempts have failed, as it was logged. */
    private @Nullable String failedFor;

    /** The next image has to tell all: the one before is damaged. */
    private boolean wholeNext;

    /** What the checkpointer works on. */
    record Parts(
            StoreConfig config, CommitLog log, Lanes lanes, MetaImage meta, ViewFiles view, Checkpoints checkpoints) {}

    /**
     * Idle.
     *
     * @param writing runs the blocking part
     * @param shard runs something on the shard thread, soon
     * @param busy segments that are not to be removed now
     */
    Checkpointer(Parts parts, Executor writing, Consumer<Runnable> shard, Predicate<SegmentInfo> busy, long nowMs) {
        this.config = parts.config;
        this.log = parts.log;
        this.lanes = parts.lanes;
        this.meta = parts.meta;
        this.view = parts.view;
        this.checkpoints = parts.checkpoints;
        this.reclaim = new Reclaim(parts.config, parts.log, parts.lanes, parts.view);
        this.writing = writing;
        this.shard = shard;
        this.busy = busy;
        this.lastMs = nowMs;
        ImageHeader newest = checkpoints.newest();
        this.lastReplayLsn = newest == null ? 0 : newest.replayLsn();
    }

    /** Completes, on the shard thread, with the next checkpoint that begins from now on. */
    CompletionStage<Void> ask() {
        if (ended != null) {
            return CompletableFuture.failedFuture(ended);
        }
        CompletableFuture<Void> stage = new CompletableFuture<>();
        asked.add(stage);
        return stage;
    }

    /** Reads the kept checkpoints again; if one is damaged, a new one takes its place. */
    void scrub() {
        writing.execute(() -> {
            String problem = checkpoints.scrub();
            if (problem != null) {
                shard.accept(() -> damaged(problem));
            }
        });
    }

    private void damaged(String problem) {
        LOG.error(
                "MS-0256 checkpoint-damaged problem=\"{}\": a whole new one is written from memory fix: check the disk; do not"
                        + " stop the broker before MS-0257",
                problem);
        if (checkpoints.newestDamaged()) {
            wholeNext = true;
        }
        ask().thenRun(() -> LOG.warn("MS-0257 checkpoint-replaced directory={}", config.directory()));
    }

    /** True if no checkpoint is being taken. */
    boolean idle() {
        return phase == Phase.IDLE;
    }

    /** A step of work, at most about 2 ms; true if there is more to do now. */
    boolean slice(long nowMs) {
        switch (phase) {
            case IDLE -> {
                if (!due(nowMs)) {
                    return false;
                }
                begin(nowMs);
                return true;
            }
            case SLICING -> {
                Round current = current();
                if (!current.slice()) {
                    current.targetLsn = log.writtenLsn();
                    current.lastBlock = view.lastPosition();
                    current.dead = reclaim.deadSegments();
                    phase = Phase.WAITING;
                }
                return true;
            }
            case WAITING -> {
                return write();
            }
            default -> {
                return false;
            }
        }
    }

    private boolean due(long nowMs) {
        long idleMs = nowMs - lastMs;
        StoreState state = log.state();
        boolean pressed = state == StoreState.DISK_HIGH || state == StoreState.DISK_CRITICAL;
        long interval =
                pressed ? Math.min(PRESSED_INTERVAL_MS, config.checkpointIntervalMs()) : config.checkpointIntervalMs();
        boolean retried = round == null || round.failures == 0 || idleMs >= PRESSED_INTERVAL_MS;
        return (!asked.isEmpty() && retried)
                || (log.drainedLsn() - lastReplayLsn >= config.checkpointBytes() && retried)
                || (idleMs >= interval && (lanes.hasDirty() || meta.hasDirty() || moreToReclaim));
    }

    private void begin(long nowMs) {
        lastMs = nowMs;
        int failures = round == null ? 0 : round.failures;
        round = new Round(failures);
        view.referencedBy(current().sequence);
        phase = Phase.SLICING;
    }

    private Round current() {
        if (round == null) {
            throw new IllegalStateException("no checkpoint is being taken");
        }
        return round;
    }

    private boolean write() {
        Round current = current();
        if (log.syncedLsn() < current.targetLsn) {
            return false; // the log wakes the shard when it has synced
        }
        if (!blocksWritten(current)) {
            return false;
        }
        ViewFiles.Sync sync = view.sync();
        phase = Phase.WRITING;
        ImageHeader header = new ImageHeader(current.sequence, current.replayLsn, log.syncedLsn(), false);
        writing.execute(() -> {
            Runnable result = writeImage(sync, header, current);
            shard.accept(result);
        });
        return false;
    }

    /** Whoever writes them wakes the shard. What cannot be written is tried once more, then with the next checkpoint. */
    private boolean blocksWritten(Round current) {
        if (view.written(current.lastBlock) || view.writing()) {
            return view.written(current.lastBlock);
        }
        if (current.blocksTried) {
            failed(new IOException("blocks of consume queues wait to be written"));
            return false;
        }
        current.blocksTried = true;
        view.writePending();
        return view.written(current.lastBlock);
    }

    private Runnable writeImage(ViewFiles.Sync sync, ImageHeader header, Round collected) {
        try {
            sync.run();
        } catch (IOException e) {
            return () -> {
                throw viewSyncFailed(e);
            };
        }
        try {
            checkpoints.write(header, collected.changes, collected.gone, collected.whole);
            return this::succeeded;
        } catch (IOException | RuntimeException e) {
            return () -> failed(e);
        }
    }

    private void succeeded() {
        Round done = current();
        phase = Phase.IDLE;
        round = null;
        if (failedFor != null) {
            failedFor = null;
            LOG.info(
                    "MS-0268 checkpoint-written directory={} after attempts={}", config.directory(), done.failures + 1);
        }
        wholeNext &= !done.whole;
        lastReplayLsn = done.replayLsn;
        moreToReclaim = reclaim.run(done.dead, checkpoints, busy);
        done.asked.forEach(stage -> stage.complete(null));
    }

    private void failed(Exception cause) {
        Round back = current();
        back.failures++;
        back.giveBack();
        asked.addAll(back.asked);
        phase = Phase.IDLE;
        if (!cause.toString().equals(failedFor)) {
            failedFor = cause.toString();
            LOG.warn(
                    "MS-0226 checkpoint-failed directory={} attempt={} cause=\"{}\" fix: {}; it is tried again",
                    config.directory(),
                    back.failures,
                    failedFor,
                    DiskSpace.fix(cause));
        }
        if (checkpoints.newestDamaged() && !wholeNext) {
            damaged(String.valueOf(cause.getMessage()));
        }
    }

    /** Writes a last checkpoint of everything, on this thread; the log has been closed and drained. */
    void finish() throws IOException {
        if (phase != Phase.IDLE) {
            current().giveBack();
            asked.addAll(current().asked);
            phase = Phase.IDLE;
        }
        lanes.markReadDirty();
        Round last = new Round(0);
        view.referencedBy(last.sequence);
        boolean more = true;
        while (more) {
            more = last.slice();
        }
        if (!view.writePending()) {
            throw new IOException("blocks of consume queues cannot be written");
        }
        view.sync().run();
        ImageHeader header = new ImageHeader(last.sequence, last.replayLsn, last.replayLsn, true);
        checkpoints.write(header, last.changes, last.gone, last.whole);
        last.asked.forEach(stage -> stage.complete(null));
    }

    /** Tells everyone who asked that there will be no more checkpoints. */
    void giveUp(Exception why) {
        ended = why;
        List<CompletableFuture<Void>> waiting = new ArrayList<>(asked);
        if (round != null) {
            waiting.addAll(round.asked);
        }
        asked.clear();
        waiting.forEach(stage -> stage.completeExceptionally(why));
    }

    private StoreException viewSyncFailed(IOException cause) {
        return new StoreException(
                "MS-0227",
                "consume queues under " + config.directory() + " could not be made durable: " + cause.getMessage()
                        + ".",
                "check the disk, then start again; nothing confirmed is lost.",
                cause);
    }

    /** One attempt: what it has taken, and what it has collected so far. */
    private final class Round {
        private final long sequence = checkpoints.nextSequence();
        private final long replayLsn = log.drainedLsn();
        private final boolean whole = wholeNext;
        private final ImageChanges changes;
        private final LaneImages images;
        private final Set<String> keys;
        private final Deque<String> keysLeft;
        private final List<CompletableFuture<Void>> asked;
        private int failures;
        private long targetLsn;
        private long lastBlock;
        private boolean blocksTried;
        private List<SegmentInfo> dead = List.of();
        private LongPredicate gone = laneId -> false;

        private Round(int failures) {
            if (whole) {
                lanes.markAllDirty();
                meta.markAllDirty();
            }
            this.changes = new ImageChanges(lanes.takeDirty());
            this.images = new LaneImages(lanes, changes);
            this.keys = meta.takeDirty();
            this.keysLeft = new ArrayDeque<>(keys);
            this.failures = failures;
            this.asked = new ArrayList<>(Checkpointer.this.asked);
            Checkpointer.this.asked.clear();
        }

        /** Collects some more; false if everything is there. */
        private boolean slice() {
            if (changes.nextLane() >= 0) {
                images.slice();
                return true;
            }
            for (int i = 0; i < SLICE_KEYS && !keysLeft.isEmpty(); i++) {
                String key = keysLeft.remove();
                changes.meta(key.getBytes(StandardCharsets.UTF_8), meta.value(key));
            }
            if (!keysLeft.isEmpty()) {
                return true;
            }
            // INVARIANT: both say the same. Leaving out a lane whose drop the image does not tell would make replay
            // fail.
            changes.dropped(lanes.droppedQueues());
            gone = lanes.droppedSoFar();
            return false;
        }

        private void giveBack() {
            lanes.markDirty(changes.laneIds());
            meta.markDirty(keys);
        }
    }
}
