package io.mainstem.store.segment;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commit log in segment files: queue, writer, syncer and keeper put together.
 *
 * <p>Thread: as {@link CommitLog} says per method. Its own threads: {@code mainstem-log-writer} (may sync, too),
 * {@code mainstem-log-syncer}, {@code mainstem-log-keeper} (space ahead, side notes) and the readers.
 */
public final class SegmentedLog implements CommitLog {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentedLog.class);

    private final StoreConfig config;
    private final SegmentTable table;
    private final SegmentFiles segmentFiles;
    private final LogHealth health;
    private final Syncer syncer;
    private final CompletionQueue completions;
    private final Preallocator preallocator;
    private final BatchWriter writer;
    private final FreeSpace freeSpace;
    private final Housekeeper housekeeper;
    private final SyncedSlots slots;
    private final LogReader reader;
    private final SegmentCompactor compactor;
    private final SegmentScrub scrub;
    private final RecordScan scan;
    private final LogSnapshot snapshot;
    private final RecoveryReport report;
    private final LogWorker writerWorker;
    private final LogWorker syncerWorker;
    private final LogWorker keeperWorker;
    private final int epoch;
    private volatile Runnable wakeApplier = () -> {};
    private volatile boolean ended;

    private SegmentedLog(LogOpening opening, ExecutorService readers) {
        this.config = opening.config();
        this.table = opening.table();
        this.segmentFiles = opening.segmentFiles();
        this.slots = opening.slots();
        this.report = opening.report();
        LogTail tail = opening.tail();
        this.epoch = tail.epoch();
        this.health = new LogHealth(this::healthChanged);
        this.syncer = new Syncer(health, tail.lsn(), table.active(), this::synced);
        this.completions = new CompletionQueue(config.inFlightBytesMax(), syncer::syncedLsn, health);
        this.preallocator = new Preallocator(
                segmentFiles, table, health, syncer::writtenLsn, this::wakeWriter, epoch, config.poolSegmentsMax());
        Segment next = opening.next();
        if (next != null) {
            preallocator.offerNext(next);
        }
        BatchWriter.Wakers wakers =
                new BatchWriter.Wakers(this::wakeSyncer, this::wakeKeeper, this::written, this::wakeApplier);
        Convoy convoy = new Convoy(opening.nanos(), TimeUnit.MICROSECONDS.toNanos(config.convoyMicrosMax()));
        this.writer = new BatchWriter(
                new BatchWriter.Parts(
                        table, preallocator, syncer, completions, health, opening.clock(), convoy, wakers),
                segmentFiles.layout(),
                opening.meta().store(),
                tail);
        this.freeSpace = new FreeSpace(segmentFiles, config.diskHighBytes(), health);
        this.housekeeper =
                new Housekeeper(preallocator, freeSpace, syncer, slots, this::slot, opening.nanos(), this::wakeSyncer);
        this.reader = new LogReader(opening.meta().store(), table, syncer::writtenLsn, readers);
        this.compactor = new SegmentCompactor(opening.files(), config.directory(), table, opening.meta(), reader);
        this.scrub = new SegmentScrub(opening.files(), table, opening.meta());
        this.scan = new RecordScan(opening.files(), table, opening.meta());
        this.snapshot = new LogSnapshot(opening.files(), config.directory(), table, syncer::syncedLsn);
        this.writerWorker = new LogWorker("mainstem-log-writer", writer, this::died);
        this.syncerWorker = new LogWorker("mainstem-log-syncer", syncer, this::died);
        this.keeperWorker = new LogWorker("mainstem-log-keeper", housekeeper, this::died);
        completions.startAt(tail.lsn());
    }

    /**
     * Opens the log of a store, making it if there is none, under the caller's {@link StoreFolder}: verifies everything from
     * {@code replayFromLsn} on, hands it to {@code visitor}, cuts a torn tail, begins a new epoch and starts the threads.
     * May block; the calling thread should not be interrupted meanwhile.
     *
     * @param replayFromLsn a {@link CommitLog#drainedLsn} that the caller's checkpoint covers, 0 = from the beginning
     * @param vouchedSyncedLsn the log was durable up to here according to the caller's checkpoints, 0 = unknown
     * @throws StoreException MS-0202 if its folder cannot be used, MS-0203 to
     *     MS-0205 if it is damaged, MS-0208 if it is too new
     */
    public static SegmentedLog open(
            StoreFiles files,
            StoreConfig config,
            InstantSource clock,
            long replayFromLsn,
            long vouchedSyncedLsn,
            ReplayedGroups visitor) {
        SegmentedLog log = openStepped(
                new LogOpening(files, config, clock, System::nanoTime),
                replayFromLsn,
                vouchedSyncedLsn,
                visitor,
                LogReader.threads(config.readThreads()));
        log.startThreads();
        return log;
    }

    /**
     * Without threads: whoever calls the steps decides on their order, and a seed can replay it.
     *
     * @param readers read single records
     */
    static SegmentedLog openStepped(
            LogOpening opening,
            long replayFromLsn,
            long vouchedSyncedLsn,
            ReplayedGroups visitor,
            ExecutorService readers) {
        try {
            opening.run(replayFromLsn, vouchedSyncedLsn, visitor);
            SegmentedLog log = new SegmentedLog(opening, readers);
            log.beginEpoch();
            return log;
        } catch (IOException e) {
            opening.giveUp();
            throw new StoreException(
                    "MS-0202",
                    "The store in " + opening.config().directory() + " cannot be opened: " + e + ".",
                    "check that the folder exists, is writable and has free space.",
                    e);
        } catch (RuntimeException | Error e) {
            opening.giveUp();
            throw e;
        }
    }

    private void startThreads() {
        keeperWorker.start();
        syncerWorker.start();
        writerWorker.start();
    }

    /** Writes the EPOCH record and notes that the log is in use. */
    private void beginEpoch() throws IOException {
        writer.submit(new EpochGroup(epoch));
        finishWriting();
        boolean[] durable = new boolean[1];
        completions.drain(new EpochGroup.Check(durable), 1);
        if (!durable[0]) {
            throw new IOException(health.reason());
        }
        slots.write(slot(syncer.syncedLsn(), false));
    }

    /** Does on this thread what the workers would do until nothing is left to write. They must not run. */
    private void finishWriting() {
        while (!writer.drained()) {
            writer.writeDeferred();
            if (writer.step() != 0) {
                housekeeper.step();
                syncer.syncNow();
            }
        }
        syncer.syncNow();
    }

    // ---- any thread ------------------------------------------------------------------------------------------

    @Override
    public void submit(RecordGroup group) {
        writer.check(group);
        writer.submit(group);
        wakeSubmitted(group.durability() != Durability.DEFERRED);
    }

    @Override
    public void submitAll(List<? extends RecordGroup> groups) {
        groups.forEach(writer::check);
        boolean urgent = false;
        for (RecordGroup group : groups) {
            writer.submit(group);
            urgent |= group.durability() != Durability.DEFERRED;
        }
        wakeSubmitted(urgent);
    }

    @Override
    public void requireWritable(List<Frame> frames) {
        LargeGroup.checkWritable(frames, segmentFiles.layout());
    }

    @Override
    public void writeDeferred() {
        writer.writeDeferred();
        wakeSubmitted(true);
    }

    private void wakeSubmitted(boolean urgent) {
        if (urgent && !writer.waits()) {
            writerWorker.wake();
        }
        if (ended) {
            wakeApplier();
        }
    }

    @Override
    public boolean writable() {
        return completions.writable();
    }

    @Override
    public void onWritable(Runnable ready) {
        completions.onWritable(ready);
    }

    @Override
    public StoreState state() {
        return health.state();
    }

    @Override
    public String stateReason() {
        return health.reason();
    }

    @Override
    public CompletionStage<LogRecord> read(long lsn, int bodyBytesHint) {
        return reader.read(lsn, bodyBytesHint);
    }

    /** As {@link #read}, on the calling thread. */
    LogRecord readNow(long lsn) throws IOException {
        return reader.readNow(lsn, 0);
    }

    @Override
    public long startLsn() {
        return table.startLsn();
    }

    @Override
    public long writtenLsn() {
        return syncer.writtenLsn();
    }

    @Override
    public long syncedLsn() {
        return syncer.syncedLsn();
    }

    @Override
    public boolean closedBefore() {
        return report.clean();
    }

    /** What opening found. */
    public RecoveryReport report() {
        return report;
    }

    // ---- applier thread --------------------------------------------------------------------------------------

    @Override
    public void attach(Runnable wake) {
        wakeApplier = wake;
    }

    @Override
    public int drain(DrainedGroups to, int groupsMax) {
        int done = completions.drain(to, groupsMax);
        if (ended && done < groupsMax) {
            done += writer.refuseRest(to, groupsMax - done);
        }
        return done;
    }

    @Override
    public long drainedLsn() {
        return completions.drainedLsn();
    }

    @Override
    public List<SegmentInfo> segments() {
        return table.infos();
    }

    @Override
    public boolean recycle(long baseLsn) {
        Segment segment = table.at(baseLsn);
        if (segment == null || !segment.sealed() || segment.endLsn() > completions.drainedLsn()) {
            return false;
        }
        table.remove(baseLsn);
        preallocator.recycle(segment);
        keeperWorker.wake();
        return true;
    }

    @Override
    public CompactionResult compact(LiveRecords live, Throttle throttle) throws IOException {
        SegmentCompactor.Outcome outcome = compactor.run(live, throttle);
        outcome.replaced().forEach(preallocator::recycle);
        keeperWorker.wake();
        return outcome.result();
    }

    @Override
    public ScrubStep scrub(long fromLsn, int bytes) throws IOException {
        return scrub.step(fromLsn, bytes);
    }

    @Override
    public @Nullable LogRecord readAgain(long lsn) throws IOException {
        return scrub.readAgain(lsn);
    }

    @Override
    public @Nullable String keepCopy(long lsn) throws IOException {
        return scrub.keepCopy(lsn);
    }

    @Override
    public void messages(long fromLsn, long toLsn, MessageScan to) throws IOException {
        scan.messages(fromLsn, toLsn, to);
    }

    @Override
    public long snapshotTo(Path storeDirectory) throws IOException {
        return snapshot.to(storeDirectory);
    }

    @Override
    public void onDamage(LongConsumer listener) {
        reader.onDamage(listener);
    }

    @Override
    public void checkDisk() {
        freeSpace.ask();
        if (preallocator.blocked()) {
            preallocator.retry();
        }
        keeperWorker.wake();
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        stopThreads();
        finishWriting();
        if (!health.failed()) {
            try {
                slots.write(slot(syncer.syncedLsn(), true));
            } catch (IOException e) {
                LOG.warn(
                        "MS-0215 ckpt/synced could not be written: {} fix: check the disk; the next start scans the"
                                + " tail",
                        e.toString());
            }
        }
        end();
    }

    @Override
    public void abandon() {
        if (!ended) {
            stopThreads();
            end();
        }
    }

    private void stopThreads() {
        writerWorker.stop();
        syncerWorker.stop();
        keeperWorker.stop();
    }

    private void end() {
        ended = true;
        health.close();
        reader.close();
        table.closeAll();
        try {
            slots.close();
        } catch (IOException e) {
            LOG.warn(
                    "MS-0215 ckpt/synced of {} could not be closed: {} fix: check the disk",
                    config.directory(),
                    e.toString());
        }
        wakeApplier();
    }

    // ---- between the threads ---------------------------------------------------------------------------------

    private Slot slot(long syncedLsn, boolean clean) {
        // The writer may be ahead already; then the batch below syncedLsn is not known here.
        long index = writer.lastBatchIndex();
        long batch = writer.lastBatchLsn();
        return new Slot(0, syncedLsn, batch < syncedLsn ? batch : 0, index, epoch, clean);
    }

    private void synced() {
        wakeApplier();
        if (writer.waitsForSync()) {
            writerWorker.wake();
        }
        if (housekeeper.hearsSyncs()) {
            keeperWorker.wake();
        }
    }

    private void written() {
        if (housekeeper.hearsWrites()) {
            keeperWorker.wake();
        }
    }

    private void healthChanged() {
        wakeWriter();
        wakeApplier();
        completions.notifyIfWritable();
    }

    private void died(Throwable cause) {
        health.fail("A log thread ended", cause);
    }

    private void wakeApplier() {
        wakeApplier.run();
    }

    private void wakeWriter() {
        writerWorker.wake();
    }

    private void wakeSyncer() {
        syncerWorker.wake();
    }

    private void wakeKeeper() {
        keeperWorker.wake();
    }

    /** For stepping: writer, syncer, keeper. */
    List<LogWorker.Steps> steps() {
        return List.of(writer, syncer, housekeeper);
    }
}
