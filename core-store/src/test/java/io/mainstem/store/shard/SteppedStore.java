package io.mainstem.store.shard;

import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.segment.SteppedLog;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A store on a simulated disk for tests of what is above it: its log, its readers and its background work move only when
 * the test says so, in an order that follows from a seed. Folding and slices of background work are the caller's, as they
 * are the shard's otherwise.
 */
public final class SteppedStore {
    private static final int ROUNDS_MAX = 200;

    private final QueuedWork background = new QueuedWork();
    private final QueuedWork reads = new QueuedWork();
    private final SimDisk disk;
    private final LocalShardStore store;
    private SteppedLog log;

    /** Opens or makes the store; throws what the disk throws. */
    public SteppedStore(SimDisk disk, InstantSource clock) {
        this(disk, clock, config());
    }

    private SteppedStore(SimDisk disk, InstantSource clock, StoreConfig config) {
        this.disk = disk;
        disk.faults().forConsumers(false);
        StoreThreads threads = StoreThreads.given(background, reads, background::runAll);
        reads.atOnce(true);
        this.store = LocalShardStore.open(config, disk, clock, threads, (from, synced, to) -> {
            log = SteppedLog.open(disk, config, from, synced, to, reads);
            return log.log();
        });
        reads.atOnce(false);
    }

    /** Small files, so that a test sees many of them; all there is to compact is compacted. */
    public static StoreConfig config() {
        return config(64 << 10);
    }

    /** A store that takes groups of thousands of records. */
    public static SteppedStore roomy(SimDisk disk, InstantSource clock) {
        return new SteppedStore(disk, clock, config(1 << 20));
    }

    static StoreConfig config(int segmentBytes) {
        StoreUpkeep upkeep = new StoreUpkeep(0, 0, 0);
        return new StoreConfig(
                SteppedLog.FOLDER, segmentBytes, 64 << 10, 512, 2, 1 << 20, 96 << 10, 60_000, 0, 1, 1000, upkeep);
    }

    /** The store. */
    public ShardStore store() {
        return store;
    }

    /** One step of the log's writer, syncer or keeper. */
    public void stepLog(SplittableRandom random) {
        log.step(random);
    }

    /** Everything given to the log is on disk as far as it is going to be; false if there was nothing to do. */
    public boolean settleLog() {
        long before = store.parts().log().syncedLsn();
        log.settle(ROUNDS_MAX);
        return store.parts().log().syncedLsn() != before;
    }

    /** One read of a message or block. */
    public boolean stepRead() {
        disk.faults().forConsumers(true);
        boolean any = reads.step();
        disk.faults().forConsumers(false);
        return any;
    }

    /** One piece of what background threads do: of a checkpoint, of compaction. */
    public boolean stepBackground() {
        return background.step();
    }

    /** Stretches of the log compacted since the start. */
    public long compactions() {
        return store.compactions();
    }

    /** True if files were compacted that are there still. */
    public boolean compacted() {
        return store.parts().log().segments().stream().anyMatch((SegmentInfo segment) -> segment.generation() > 0);
    }

    /** Checkpoints on the disk, older first. */
    public List<Path> checkpoints() {
        Path folder = SteppedLog.FOLDER.resolve("ckpt");
        return disk.list(folder).stream()
                .filter(name -> name.endsWith(".ckp"))
                .map(folder::resolve)
                .toList();
    }
}
