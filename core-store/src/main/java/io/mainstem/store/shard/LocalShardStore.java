package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoredMessage;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.LsnRange;
import io.mainstem.store.spool.Spool;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The store of one shard on local files.
 *
 * <p>A failure of folding or of the view files ends the store as an I/O error of the log does: state
 * {@link StoreState#FAILED}, pending and later groups fail with outcome unknown. Starting again recovers.
 */
public final class LocalShardStore implements ShardStore {
    private static final Logger LOG = LoggerFactory.getLogger(LocalShardStore.class);

    private static final long DISK_CHECK_MS = 1000;
    /** Counters by which segments are deleted are compared with entries even where nothing is scrubbed. */
    private static final long AUDIT_BYTES_PER_SECOND = 5 << 20;

    private final StoreConfig config;
    private final OpenStore store;
    private final CommitLog log;
    private final ShardTasks tasks;
    private final QueueNames queueNames = new QueueNames();
    private final Losses losses;
    private final Compaction compaction;
    private final Scrub scrub;
    private final ViewScrub viewScrub;
    private final ViewCompaction viewCompaction;
    private final Snapshots snapshots;
    private final Checkpointer checkpointer;
    private final MessageReads reads;
    private final CommitLog.DrainedGroups drained = new Drained();
    private volatile @Nullable Exception failure;
    private long diskCheckedMs;
    private boolean closed;

    private LocalShardStore(OpenStore store, StoreFiles files, InstantSource clock) {
        this.config = store.folder().config();
        this.store = store;
        this.log = store.log();
        this.tasks = store.tasks();
        this.reads = new MessageReads(log);
        store.view().workOn(orFail(store.threads().viewWriting()), tasks::run);
        Checkpointer.Parts parts =
                new Checkpointer.Parts(config, log, store.lanes(), store.meta(), store.view(), store.checkpoints());
        Executor background = orFail(store.threads().compacting());
        this.losses = new Losses(parts, background, tasks::run, queueNames);
        this.compaction = new Compaction(parts, background, tasks::run, losses::add);
        store.lanes()
                .blocks()
                .repairWith(new ViewRebuild(store, orFail(store.threads().reading()), tasks::run, queueNames));
        long compactionRate = config.upkeep().compactionBytesPerSecond();
        this.viewCompaction = new ViewCompaction(
                new LaneSweep.Parts(store.lanes(), store.view(), background, tasks::run, Throttle.of(compactionRate)),
                config.checkpointIntervalMs());
        long scrubRate = config.upkeep().scrubBytesPerSecond();
        this.viewScrub = new ViewScrub(
                new LaneSweep.Parts(
                        store.lanes(),
                        store.view(),
                        orFail(store.threads().scrubbing()),
                        tasks::run,
                        Throttle.of(scrubRate == 0 ? AUDIT_BYTES_PER_SECOND : scrubRate)),
                queueNames);
        this.scrub = new Scrub(log, scrubRate, background, tasks::run, losses::add, this::scrubDerived);
        this.snapshots = new Snapshots(parts, files, background, tasks::run);
        log.onDamage(lsn -> tasks.run(() -> losses.add(new LsnRange(lsn, lsn + 1))));
        this.checkpointer = new Checkpointer(
                parts, orFail(store.threads().writing()), tasks::run, compaction::works, clock.millis());
    }

    private void scrubDerived() {
        viewScrub.begin();
        if (config.upkeep().scrubBytesPerSecond() > 0) {
            checkpointer.scrub();
        }
    }

    /** What nobody expected on another thread must not leave the work half done for ever, and nobody knowing of it. */
    private Executor orFail(Executor executor) {
        return work -> executor.execute(() -> {
            try {
                work.run();
            } catch (RuntimeException | Error e) {
                tasks.run(() -> fail(new IllegalStateException("background work ended with " + e, e)));
                throw e;
            }
        });
    }

    /**
     * Opens or creates a store and recovers it: newest sound checkpoint, then the log behind it.
     *
     * @throws StoreException if the folder cannot be used, is in use, or what is in it is damaged or too new; the
     *     message says what to do
     */
    public static LocalShardStore open(StoreConfig config, StoreFiles files, InstantSource clock) {
        return open(config, files, clock, StoreThreads.start(config), LogOpening.segmented(config, files, clock));
    }

    /** As above, on given threads and with a given log: for tests. */
    static LocalShardStore open(
            StoreConfig config, StoreFiles files, InstantSource clock, StoreThreads threads, LogOpening logOpening) {
        OpenStore store = OpenStore.open(config, files, threads, logOpening);
        return new LocalShardStore(store, files, clock);
    }

    /** A store in which files may be missing that messages need. */
    static LocalShardStore openSalvaged(StoreConfig config, StoreFiles files, InstantSource clock) {
        LogOpening logOpening = LogOpening.segmented(config, files, clock);
        OpenStore store = OpenStore.open(config, files, StoreThreads.start(config), logOpening, false);
        return new LocalShardStore(store, files, clock);
    }

    // ---- any thread ----

    @Override
    public void submit(RecordGroup group) {
        log.submit(group);
    }

    @Override
    public void submitAll(List<? extends RecordGroup> groups) {
        log.submitAll(groups);
    }

    @Override
    public void requireWritable(List<Frame> frames) {
        log.requireWritable(frames);
    }

    @Override
    public void writeDeferred() {
        log.writeDeferred();
    }

    @Override
    public boolean writable() {
        return failure == null && log.writable();
    }

    @Override
    public void onWritable(Runnable ready) {
        log.onWritable(ready);
    }

    @Override
    public StoreState state() {
        return failure == null ? log.state() : StoreState.FAILED;
    }

    @Override
    public String stateReason() {
        Exception why = failure;
        return why == null ? log.stateReason() : String.valueOf(why.getMessage());
    }

    @Override
    public CompletionStage<StoredMessage> read(Entry entry) {
        return reads.read(entry);
    }

    @Override
    public CompletionStage<Long> snapshot(Path target) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        tasks.run(() -> {
            // A fresh checkpoint, so that the copy starts fast.
            checkpointer.ask().thenCompose(taken -> snapshots.take(target)).whenComplete((bytes, failure) -> {
                if (failure == null) {
                    done.complete(bytes);
                } else {
                    done.completeExceptionally(failure);
                }
            });
        });
        return done;
    }

    @Override
    public long syncedLsn() {
        return log.syncedLsn();
    }

    @Override
    public Spool spool() {
        return store.spool();
    }

    // ---- shard thread ----

    @Override
    public void attach(Runnable wake) {
        tasks.attach(wake);
        log.attach(wake);
    }

    @Override
    public int poll(int groupsMax) {
        int done = log.drain(drained, groupsMax);
        if (failure == null) {
            try {
                done += tasks.poll();
                done += store.lanes().finishReads();
            } catch (RuntimeException e) {
                fail(e);
            }
        }
        return done;
    }

    @Override
    public boolean backgroundSlice(long nowMs) {
        if (failure != null) {
            return false;
        }
        try {
            if (nowMs - diskCheckedMs >= DISK_CHECK_MS) {
                diskCheckedMs = nowMs;
                log.checkDisk();
                store.lanes().blocks().retry();
            }
            snapshots.slice(() ->
                    compaction.idle() && checkpointer.idle() && store.view().atRest());
            scrub.slice(nowMs);
            boolean more = losses.slice();
            if (store.lanes().takeDoubt()) {
                viewScrub.begin();
            }
            more |= viewScrub.slice();
            more |= viewCompaction.slice(nowMs);
            boolean held = snapshots.holdsFiles();
            if (!held || !compaction.idle()) {
                more |= compaction.slice(nowMs);
            }
            if (!held || !checkpointer.idle()) {
                more |= checkpointer.slice(nowMs);
            }
            return more;
        } catch (RuntimeException e) {
            fail(e);
            return false;
        }
    }

    @Override
    public void nameQueues(IntFunction<@Nullable String> names) {
        queueNames.are(names);
    }

    @Override
    public @Nullable Lane lane(long laneId) {
        return store.lanes().lane(laneId);
    }

    @Override
    public Iterable<? extends Lane> lanes() {
        return store.lanes().unsettled();
    }

    @Override
    public NavigableMap<String, byte[]> meta() {
        return store.meta().entries();
    }

    @Override
    public CompletionStage<Void> checkpoint() {
        return checkpointer.ask();
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        store.spool().close();
        try {
            endBackground();
            log.close();
            drainAll();
            store.threads().stop();
            if (state() != StoreState.FAILED) {
                store.view().workHere();
                runTasks();
                checkpointer.finish();
            }
        } catch (Exception e) {
            // What is confirmed is in the log; the next start replays more of it.
            LOG.warn(
                    "MS-0228 last-checkpoint-failed directory={} cause=\"{}\" fix: check the disk; nothing confirmed"
                            + " is lost, the next start takes longer",
                    config.directory(),
                    e.toString());
        } finally {
            IllegalStateException why = new IllegalStateException("the store is closed");
            checkpointer.giveUp(why);
            snapshots.giveUp(why);
            store.release();
        }
    }

    private void drainAll() {
        int done = 1;
        while (done > 0) {
            done = log.drain(drained, Integer.MAX_VALUE);
        }
    }

    private void runTasks() {
        int done = 1;
        while (done > 0) {
            done = tasks.poll() + store.lanes().finishReads();
        }
    }

    @Override
    public void abandon() {
        if (closed) {
            return;
        }
        closed = true;
        endBackground();
        log.abandon();
        store.spool().abandon();
        store.threads().abandon();
        store.release();
    }

    /** Files must not be renamed any more when the folder is given back. */
    private void endBackground() {
        compaction.stop();
        viewScrub.stop();
        viewCompaction.stop();
        store.threads().endBackground();
    }

    private void fail(RuntimeException cause) {
        if (failure == null) {
            failure = cause;
            LOG.error(
                    "MS-0229 store-failed directory={} fix: do as the cause says, then start again; nothing confirmed"
                            + " is lost",
                    config.directory(),
                    cause);
            checkpointer.giveUp(cause);
            snapshots.giveUp(cause);
        }
    }

    /** For tests: stretches of the log compacted since the start. */
    long compactions() {
        return compaction.done();
    }

    /** For tests: true while a stretch is being compacted or damage is looked into. */
    boolean compacting() {
        return !compaction.idle() || !losses.idle();
    }

    /** For tests: entries settled as lost since the start. */
    long lost() {
        return losses.lost();
    }

    /** For tests: whole passes of the scrub since the start. */
    long scrubs() {
        return scrub.passes();
    }

    /** For tests: passes over all lanes that have compared the counters of segments since the start. */
    long audits() {
        return viewScrub.audits();
    }

    /** For tests: blocks written elsewhere since the start because their file was sparse. */
    long blocksMoved() {
        return viewCompaction.moved();
    }

    /** For tests: true while blocks of sparse files are looked for and moved. */
    boolean movingBlocks() {
        return !viewCompaction.idle();
    }

    /** For tests: background work without checkpoints. */
    boolean compactSlice(long nowMs) {
        boolean more = losses.slice();
        return compaction.slice(nowMs) || more;
    }

    /** For tests: what there is behind the interface. */
    OpenStore parts() {
        return store;
    }

    private final class Drained implements CommitLog.DrainedGroups {
        /** Null = no group is under way. */
        private @Nullable GroupFolding underWay;

        @Override
        public void durable(RecordGroup group) {
            while (!someDurable(group)) {
                // the rest
            }
        }

        @Override
        public boolean someDurable(RecordGroup group) {
            GroupFolding records = underWay == null ? new GroupFolding(store.fold(), group.frames()) : underWay;
            underWay = records;
            try {
                if (failure == null && !group.applySome(records)) {
                    return false;
                }
                if (failure == null) {
                    records.requireAll();
                }
            } catch (GroupFolding.UnfoldableException e) {
                fail(e.why());
            }
            underWay = null;
            if (failure != null) {
                group.onFailed(StoreState.FAILED);
            }
            return true;
        }

        @Override
        public void failed(RecordGroup group, StoreState why) {
            group.onFailed(why);
        }
    }
}
