package io.mainstem.store.segment;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps from a folder to a log that can be written: meta file, recovery, first segment. Thread: opening thread. */
final class LogOpening {
    private static final Logger LOG = LoggerFactory.getLogger(LogOpening.class);
    private static final long KEEP_FREE_BYTES = 32L << 20;

    private final StoreFiles files;
    private final StoreConfig config;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private @Nullable StoreMeta meta;
    private @Nullable SegmentFiles segmentFiles;
    private @Nullable SegmentTable table;
    private @Nullable Segment next;
    private @Nullable SyncedSlots slots;
    private LogRecovery.@Nullable Result result;

    LogOpening(StoreFiles files, StoreConfig config, InstantSource clock, LongSupplier nanos) {
        this.files = files;
        this.config = config;
        this.clock = clock;
        this.nanos = nanos;
    }

    /** A full disk must not keep the checkpoint from being written that would free segments [L-10]. */
    private long keepFree() {
        return Math.min(KEEP_FREE_BYTES, config.diskHighBytes() / 2);
    }

    void run(long replayFromLsn, long vouchedLsn, CommitLog.ReplayedGroups visitor) throws IOException {
        Path directory = config.directory();
        files.createDirectories(directory.resolve("log"));
        StoreMeta found = openMeta(directory);
        meta = found;
        SegmentFiles made = new SegmentFiles(files, directory, found, clock, keepFree());
        segmentFiles = made;
        made.openPool();
        Slot slot = SyncedSlots.read(files, directory);
        if (slot == null) {
            slot = new UnbegunStore(files, directory, found).requireUnwritten();
        }
        LogRecovery recovery = new LogRecovery(files, directory, found);
        table = recovery.table();
        LogRecovery.Result recovered = recovery.run(new LogRecovery.Start(replayFromLsn, vouchedLsn, slot), visitor);
        result = recovered;
        next = recovery.next();
        LogTail tail = recovered.tail();
        if (recovery.table().covering(tail.lsn()) == null) {
            recovery.table().add(made.atAnyCost(found.layout().baseOf(tail.lsn()), tail.epoch()));
        }
        slots = SyncedSlots.open(files, directory, slot);
        LOG.info("log-opened directory={} {}", directory, recovered.report());
        if (!recovered.report().torn().isEmpty()) {
            LOG.info(
                    "MS-0213 torn tail cut at lsn={}: {}",
                    tail.lsn(),
                    recovered.report().torn());
        }
    }

    private StoreMeta openMeta(Path directory) throws IOException {
        if (files.exists(directory.resolve(StoreMeta.FILE))) {
            StoreMeta found = StoreMeta.read(files, directory);
            boolean asked = config.segmentBytes() != StoreConfig.SEGMENT_BYTES_DEFAULT;
            if (asked && found.layout().segmentBytes() != wantedLayout().segmentBytes()) {
                LOG.warn(
                        "MS-0209 store.segment-bytes={} is ignored: this store was made with {} fix: leave the key"
                                + " out, or begin with a new data folder",
                        config.segmentBytes(),
                        found.layout().segmentBytes());
            }
            return found;
        }
        return new NewStore(files, directory).make(wantedLayout());
    }

    private LogLayout wantedLayout() {
        return LogLayout.of(config.segmentBytes(), config.batchAlign());
    }

    /** Lets go of everything after a failed opening. */
    void giveUp() {
        if (table != null) {
            table.closeAll();
        }
        try {
            if (slots != null) {
                slots.close();
            }
        } catch (IOException e) {
            LOG.warn(
                    "MS-0215 ckpt/synced of {} could not be closed: {} fix: check the disk",
                    config.directory(),
                    e.toString());
        }
    }

    StoreFiles files() {
        return files;
    }

    StoreConfig config() {
        return config;
    }

    InstantSource clock() {
        return clock;
    }

    LongSupplier nanos() {
        return nanos;
    }

    StoreMeta meta() {
        return Objects.requireNonNull(meta);
    }

    SegmentFiles segmentFiles() {
        return Objects.requireNonNull(segmentFiles);
    }

    SegmentTable table() {
        return Objects.requireNonNull(table);
    }

    @Nullable
    Segment next() {
        return next;
    }

    SyncedSlots slots() {
        return Objects.requireNonNull(slots);
    }

    LogTail tail() {
        return Objects.requireNonNull(result).tail();
    }

    RecoveryReport report() {
        return Objects.requireNonNull(result).report();
    }
}
