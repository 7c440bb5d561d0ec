package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import io.mainstem.store.RecordBody;
import io.mainstem.store.Route;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.view.LaneBytes;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.LostBlock;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What happens while sparse files of consume queues are emptied. */
@DisplayName("[L-5] ADR 0058: emptying sparse view files")
final class ViewCompactionTest {
    private static final Route STAYS = new Route(1, 0);
    private static final Route GOES = new Route(2, 0);
    private static final int FILES = 100;
    private static final int BLOCK_ENTRIES = 127;
    private static final int LIVE_BLOCKS = 4 * FILES;
    private static final long ROUND_MS = 10_000;
    private static final StoreConfig CONFIG = new StoreConfig(
            Path.of("/store"), 64 << 10, 64 << 10, 512, 2, 1 << 20, 1 << 20, 60_000, 0, 1, 0, StoreUpkeep.defaults());

    private final SimDisk disk = new SimDisk();
    private final Deque<Runnable> elsewhere = new ArrayDeque<>();
    private final Deque<Runnable> shard = new ArrayDeque<>();
    private final List<LostBlock> repairs = new ArrayList<>();
    private long lsn;
    private long nowMs;
    private ViewFiles view;
    private Lanes lanes;
    private ViewCompaction compaction;

    /** One lane has a quarter of each file, all else is dead. */
    @BeforeEach
    void sparseFiles() throws IOException {
        open();
        for (int i = 0; i < LIVE_BLOCKS; i++) {
            append(STAYS, BLOCK_ENTRIES);
            append(GOES, 3 * BLOCK_ENTRIES);
        }
        lanes.purge(new RecordBody.Purge(GOES.queueId(), true), ++lsn);
    }

    @Test
    @DisplayName("a lane with many blocks in them is moved some at a time: the shard has other work")
    void someAtATime() {
        assertThat(compaction.slice(nowMs)).isTrue();
        compaction.slice(nowMs);
        runAll();
        assertThat(compaction.moved()).isBetween(1L, 256L);

        round();
        assertThat(compaction.moved()).isGreaterThan(LIVE_BLOCKS - 10);
        assertThat(view.sparse()).isEmpty();
    }

    @Test
    @DisplayName("on a disk that is full nothing is moved into memory, where it would end the store; later it goes on")
    void notIntoMemory() {
        disk.faults().capacityBytes(0);
        round();
        assertThat(compaction.moved()).isLessThan(20);
        assertThat(compaction.idle()).isTrue();

        disk.faults().capacityBytes(Long.MAX_VALUE);
        assertThat(view.writePending()).isTrue();
        round();
        assertThat(view.sparse()).isEmpty();
    }

    @Test
    @DisplayName("a damaged block that cannot be found again is looked for once, not every ten seconds")
    void whatCannotBeMendedIsLeftAlone() throws IOException {
        restart();
        disk.flipBit(Path.of("/store/view/00000000000000000002.view"), 2L * 4096 + 700, 5);
        for (int offset = 0; offset < 16; offset++) {
            disk.flipBit(Path.of("/store/view/00000000000000000003.view"), offset * 4096L + 700, 5);
        }

        round();
        round();
        round();

        assertThat(repairs).hasSize(2);
        assertThat(compaction.idle()).isTrue();
        assertThat(compaction.moved()).isGreaterThan(LIVE_BLOCKS - 20);
    }

    private void round() {
        nowMs += ROUND_MS;
        boolean more = true;
        while (more) {
            more = compaction.slice(nowMs);
            more |= runAll();
        }
    }

    private boolean runAll() {
        boolean any = false;
        while (!elsewhere.isEmpty() || !shard.isEmpty()) {
            (elsewhere.isEmpty() ? shard : elsewhere).remove().run();
            lanes.finishReads();
            any = true;
        }
        return any;
    }

    private void append(Route route, int entries) {
        for (int i = 0; i < entries; i++) {
            lsn++;
            lanes.append(route, new Entry(0, 64 + lsn * 64, 64, 0, 1, lsn, 0), lsn);
        }
    }

    private void open() throws IOException {
        view = ViewFiles.open(CONFIG, disk);
        lanes = new Lanes(CONFIG, view, elsewhere::add, () -> {});
        lanes.blocks().repairWith((block, words) -> {
            repairs.add(block);
            shard.add(() -> assertThat(lanes.blocks().notRebuilt(block)).isTrue());
        });
        compaction = new ViewCompaction(
                new LaneSweep.Parts(lanes, view, elsewhere::add, shard::add, Throttle.of(0)), ROUND_MS);
    }

    /** Through the bytes of a checkpoint into new objects, so that no block is in memory. */
    private void restart() throws IOException {
        byte[] state = LaneBytes.of(lanes, STAYS.laneId());
        byte[] dropped = lanes.droppedQueues();
        assertThat(view.sync()).isNotNull();
        view.close();
        open();
        lanes.restoreDropped(dropped);
        lanes.restore(STAYS.laneId(), state);
    }
}
