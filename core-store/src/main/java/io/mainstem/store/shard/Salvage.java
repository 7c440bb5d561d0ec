package io.mainstem.store.shard;

import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordType;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageChanges;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.codec.MalformedException;
import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.segment.LogInspector;
import io.mainstem.store.segment.SalvagedLog;
import io.mainstem.store.segment.StoreFolder;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes, in a new folder, a store of what can be read of a damaged one, which is not touched [L-11]. Nothing
 * that was confirmed and can be read is left out; where it is not known whether a message was consumed, it is delivered
 * again. Positions do not change: files are copied, and the new store goes on behind them with a checkpoint of its own.
 *
 * <p>Thread: any one; blocks.
 */
public final class Salvage {
    private final StoreConfig config;
    private final StoreFiles files;
    private final List<LogInspector.Damage> damages = new ArrayList<>();
    private final Map<Long, Long> lostByQueue = new TreeMap<>();
    private final Map<Long, Long> againByQueue = new TreeMap<>();
    private long unmatched;
    private long replayed;
    private int images;
    private int droppedFiles;

    private Salvage(StoreConfig config, StoreFiles files) {
        this.config = config;
        this.files = files;
    }

    /**
     * What was done.
     *
     * @param damages in the log
     * @param droppedFiles compacted files and checkpoints that told nothing any more
     * @param replayed records folded behind the checkpoint
     * @param unmatched settled entries of which it is not known which they were: what is left of them is delivered again
     * @param lostByQueue messages known to be lost, by queue id; those of damaged records behind the checkpoint are not
     *     known
     * @param againByQueue entries of damaged blocks found in the log again, by queue id; some may have been consumed
     * @param waiting messages in the new store
     */
    public record Report(
            List<LogInspector.Damage> damages,
            int droppedFiles,
            long replayed,
            long unmatched,
            Map<Long, Long> lostByQueue,
            Map<Long, Long> againByQueue,
            long waiting) {
        public Report {
            damages = List.copyOf(damages);
            lostByQueue = Map.copyOf(lostByQueue);
            againByQueue = Map.copyOf(againByQueue);
        }

        /** Messages known to be lost. */
        public long lost() {
            return lostByQueue.values().stream().mapToLong(Long::longValue).sum();
        }
    }

    /**
     * Salvages.
     *
     * @param damaged nobody has it open
     * @param target a new or empty folder
     * @param progress told what is being done
     * @throws StoreException MS-0203 if {@code store.meta} is damaged or missing, MS-0251 if the target is not empty, MS-0252 if no
     *     checkpoint is sound and the log's beginning is gone
     */
    public static Report run(StoreConfig damaged, Path target, StoreFiles files, Consumer<String> progress)
            throws IOException {
        StoreFolder.requireStore(files, damaged.directory());
        StoreConfig made = StoreFolder.asMade(files, damaged);
        StoreConfig config = new StoreConfig(
                target,
                made.segmentBytes(),
                made.viewFileBytes(),
                made.batchAlign(),
                made.poolSegmentsMax(),
                made.inFlightBytesMax(),
                made.checkpointBytes(),
                made.checkpointIntervalMs(),
                made.diskHighBytes(),
                made.readThreads(),
                made.convoyMicrosMax(),
                made.upkeep());
        Salvage salvage = new Salvage(config, files);
        progress.accept("copying " + damaged.directory());
        salvage.copy(damaged.directory());
        progress.accept("reading the log");
        salvage.replay(damaged.directory());
        progress.accept("reading all waiting messages");
        long waiting = salvage.settleLost();
        return new Report(
                salvage.damages,
                salvage.droppedFiles,
                salvage.replayed,
                salvage.unmatched,
                salvage.lostByQueue,
                salvage.againByQueue,
                waiting);
    }

    private void copy(Path from) throws IOException {
        Path to = config.directory();
        if (files.exists(to.resolve("store.meta")) || !files.list(to).isEmpty()) {
            throw new StoreException(
                    "MS-0251", "The folder " + to + " is not empty.", "name a new folder for what is salvaged.");
        }
        SalvagedLog.begin(files, to);
        FileCopy copy = new FileCopy(files);
        for (String folder : List.of("", "log", "ckpt", "view")) {
            Path source = from.resolve(folder);
            Path target = to.resolve(folder);
            files.createDirectories(target);
            for (String name : files.list(source)) {
                // As long as ckpt/synced has no slot it is no whole store; that comes last.
                if (!name.equals("LOCK") && !name.endsWith(".tmp") && !name.equals("synced")) {
                    copy.whole(source.resolve(name), target.resolve(name));
                }
            }
            files.syncDirectory(target);
        }
    }

    private void replay(Path from) throws IOException {
        for (Path image : Checkpoints.paths(config, files)) {
            try {
                Checkpoints.verify(files, image);
                images++;
            } catch (IOException e) {
                files.delete(image);
                droppedFiles++;
            }
        }
        droppedFiles += SalvagedLog.dropUnusable(files, config.directory());
        Checkpoints checkpoints = Checkpoints.open(config, files);
        ViewFiles view = ViewFiles.open(config, files);
        try {
            Lanes lanes = new Lanes(config, view, Runnable::run, () -> {});
            MetaImage meta = new MetaImage();
            OpenStore.restore(checkpoints, view, lanes, meta);
            long endLsn = SalvagedLog.endLsn(files, config.directory());
            ImageHeader newest = checkpoints.newest();
            SalvagedBlocks blocks = new SalvagedBlocks(lanes, view, endLsn);
            Walk walk = new Walk(lanes, new Fold(lanes, meta), blocks, newest == null ? 0 : newest.replayLsn());
            LogInspector.Summary log = LogInspector.inspect(files, config.directory(), from, walk.replayLsn, walk);
            if (images == 0 && log.startLsn() > 0) {
                throw new StoreException(
                        "MS-0252",
                        "No checkpoint is sound, and the log begins at " + log.startLsn() + " only.",
                        "restore a backup; 'mainstem store dump' prints the messages that are left.");
            }
            unmatched = walk.settles.apply(endLsn);
            boolean gathered = blocks.wanted() || walk.settles.anyGap();
            blocks.repair(lostByQueue, againByQueue);
            if (gathered) {
                lanes.markGathered();
            }
            // Twice: none of the two that are kept may lead back to the damage.
            image(checkpoints, view, lanes, meta, endLsn);
            image(checkpoints, view, lanes, meta, endLsn);
            SalvagedLog.continueAt(files, config.directory(), endLsn, walk.batchIndex, walk.epoch);
        } finally {
            view.close();
        }
    }

    private void image(Checkpoints checkpoints, ViewFiles view, Lanes lanes, MetaImage meta, long endLsn)
            throws IOException {
        long sequence = checkpoints.nextSequence();
        view.referencedBy(sequence);
        lanes.markAllRedelivered();
        ImageChanges changes = new ImageChanges(lanes.takeDirty());
        LaneImages images = new LaneImages(lanes, changes);
        boolean more = true;
        while (more) {
            more = images.slice();
        }
        for (String key : meta.takeDirty()) {
            changes.meta(key.getBytes(StandardCharsets.UTF_8), meta.value(key));
        }
        changes.dropped(lanes.droppedQueues());
        if (!view.writePending()) {
            throw new IOException("consume queues cannot be written in " + config.directory());
        }
        view.sync().run();
        checkpoints.write(new ImageHeader(sequence, endLsn, endLsn, false), changes, lanes.droppedSoFar(), false);
    }

    /** Opens what was made, and settles what cannot be read as lost. */
    private long settleLost() throws IOException {
        LocalShardStore store = LocalShardStore.openSalvaged(config, files, InstantSource.system());
        UnreadableEntries unreadable;
        long[] waiting = new long[1];
        try {
            unreadable = new UnreadableEntries(store);
            unreadable.find(
                    (entry, laneId) -> lostByQueue.merge(laneId >>> 8, 1L, Long::sum), count -> waiting[0] += count);
            unreadable.settle();
        } finally {
            store.close();
        }
        unreadable.requireSettled();
        return waiting[0];
    }

    /** Folds what is found. */
    private final class Walk implements LogInspector.Findings {
        private final Fold fold;
        private final SalvagedBlocks blocks;
        private final SalvagedSettles settles;
        private final long replayLsn;
        private long batchIndex;
        private int epoch;
        private boolean gapBefore;

        private Walk(Lanes lanes, Fold fold, SalvagedBlocks blocks, long replayLsn) {
            this.fold = fold;
            this.blocks = blocks;
            this.settles = new SalvagedSettles(lanes);
            this.replayLsn = replayLsn;
        }

        @Override
        public boolean salvages() {
            return true;
        }

        @Override
        public void batch(LogInspector.FoundBatch batch) {
            batchIndex = Math.max(batchIndex, batch.index());
        }

        @Override
        public void damage(LogInspector.Damage damage) {
            damages.add(damage);
        }

        @Override
        public void gap() {
            gapBefore = true;
        }

        @Override
        public void record(LogInspector.FoundRecord found, Supplier<byte[]> body) {
            epoch = Math.max(epoch, found.epoch());
            if (gapBefore && found.lsn() >= replayLsn) {
                settles.gap(); // what is missing further ahead is part of the checkpoint
            }
            gapBefore = false;
            if (found.lsn() < replayLsn && !blocks.wanted()) {
                return;
            }
            LogRecord record = new LogRecord(found.lsn(), found.type(), found.flags(), found.epoch(), body.get());
            try {
                Fold.appendsOf(record, (entry, laneId) -> {
                    blocks.found(laneId, entry, record.lsn());
                    if (record.lsn() >= replayLsn) {
                        settles.appending(laneId, entry, record.lsn());
                    }
                });
                if (record.lsn() >= replayLsn) {
                    replayed++;
                    fold(record);
                }
            } catch (StoreException | MalformedException e) {
                damages.add(new LogInspector.Damage(
                        "", found.lsn(), found.lsn() + 1, String.valueOf(e.getMessage()), true));
            }
        }

        private void fold(LogRecord record) {
            RecordType type = RecordType.of(record.type());
            if (type == RecordType.SETTLE && (settles.anyGap() || blocks.wanted())) {
                settles.add((RecordBody.Settle) RecordBody.decode(type, record.body(), 0), record.lsn());
            } else if (type != RecordType.RELEASE || !settles.anyGap()) {
                fold.replay(List.of(record));
            }
        }
    }
}
