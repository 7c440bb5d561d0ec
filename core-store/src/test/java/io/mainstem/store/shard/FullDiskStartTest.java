package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SmallDisk;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Starts where next to nothing can grow any more [L-10]. */
final class FullDiskStartTest {
    private static final int KIB = 1 << 10;
    private static final int SEGMENT_BYTES = 64 * KIB;
    /** Every start writes an EPOCH batch of this length, so that many starts bring the tail past the end of a segment. */
    private static final int BATCH_BYTES = 4096;
    /** Two more than the segments in reserve. */
    private static final int SEGMENTS = 4;

    @TempDir
    Path folder;

    @Test
    void aFullDiskIsStartedOnWhereverTheTailStands() throws Exception {
        StoreConfig config = new StoreConfig(
                folder,
                SEGMENT_BYTES,
                SEGMENT_BYTES,
                BATCH_BYTES,
                2,
                1 << 20,
                1 << 30,
                3_600_000,
                4 << 20,
                1,
                1000,
                StoreUpkeep.defaults());
        SmallDisk disk = new SmallDisk(64 << 20);
        fillOneSegment(config, disk);
        // Less than what is kept free for checkpoints.
        disk.fill(SEGMENTS * SEGMENT_BYTES);

        for (int start = 0; start <= SEGMENTS * SEGMENT_BYTES / BATCH_BYTES; start++) {
            LocalShardStore store = LocalShardStore.open(config, disk, InstantSource.system());
            assertThat(store.lanes()).hasSize(1);
            store.abandon();
        }
    }

    /** Leaves the tail in the second segment, and the reserve made. */
    private void fillOneSegment(StoreConfig config, SmallDisk disk) throws Exception {
        LocalShardStore store = LocalShardStore.open(config, disk, InstantSource.system());
        Semaphore woken = new Semaphore(0);
        store.attach(woken::release);
        for (int at = 0; at < 8; at++) {
            SimGroup group =
                    new SimGroup(at, List.of(StoreRig.message("m", new byte[12 * KIB])), List.of(), Durability.SYNC);
            store.submit(group);
            while (!group.done()) {
                woken.acquire();
                store.poll(10);
            }
        }
        while (disk.list(folder.resolve("log/pool")).stream()
                        .filter(name -> name.endsWith(".free"))
                        .count()
                < 2) {
            Thread.onSpinWait();
        }
        store.abandon();
    }
}
