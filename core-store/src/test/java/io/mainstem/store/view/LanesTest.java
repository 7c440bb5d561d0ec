package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Entry;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordType;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Lanes: entries in memory, in blocks on disk, and what both hold of the log. */
final class LanesTest {
    private static final Route ROUTE = new Route(1, 0);
    private static final StoreConfig CONFIG = new StoreConfig(
            Path.of("/store"), 64 << 10, 64 << 10, 512, 2, 1 << 20, 1 << 20, 1000, 0, 1, 1000, StoreUpkeep.defaults());

    private final SimDisk disk = new SimDisk();
    private final Deque<Runnable> reads = new ArrayDeque<>();
    private ViewFiles view;
    private Lanes lanes;
    private long lsn;

    @BeforeEach
    void open() throws IOException {
        view = ViewFiles.open(CONFIG, disk);
        lanes = new Lanes(CONFIG, view, reads::add, () -> {});
    }

    @Test
    void entriesAreFoundByIndex() {
        append(1000);

        for (long index : new long[] {0, 126, 127, 500, 999}) {
            assertThat(lane().entry(index)).isEqualTo(entryAt(index));
        }
        assertThat(lane().nextIndex()).isEqualTo(1000);
        assertThatThrownBy(() -> lane().entry(1000)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void aQueueWhoseConsumersKeepUpNeverTouchesTheViewFiles() {
        for (int i = 0; i < 10_000; i++) {
            append(1);
            if (i >= 50) {
                settle(i - 50, i - 49);
            }
        }

        assertThat(view.liveBlocks()).isEmpty();
        assertThat(disk.list(Path.of("/store/view"))).isEmpty();
        assertThat(lane().cursor().unsettled()).isEqualTo(50);
        assertThat(lane().entry(9_999)).isEqualTo(entryAt(9_999));
    }

    @Test
    void settledBlocksAreGivenBackAsTheFloorPasses() {
        append(1270);
        assertThat(view.liveBlocks()).containsEntry(1L, 9);

        settle(0, 300);

        assertThat(view.liveBlocks()).containsEntry(1L, 7);
        assertThat(lane().firstIndex()).isEqualTo(254);
        settle(300, 1270);
        assertThat(view.liveBlocks()).isEmpty();
        assertThat(lanes.totals().size()).isZero();
    }

    @Test
    void severalFetchesOfOneBlockMakeOneReadAndBringTheNextBlocksToo() throws IOException {
        append(1000);
        restart();
        assertThat(lane().entry(3)).isNull();
        int[] told = new int[1];

        lane().fetch(3, () -> told[0]++);
        lane().fetch(100, () -> told[0]++);
        assertThat(reads).hasSize(1);
        reads.remove().run();

        assertThat(told[0]).isZero();
        assertThat(lanes.finishReads()).isEqualTo(2);
        assertThat(told[0]).isEqualTo(2);
        assertThat(lane().entry(100)).isEqualTo(entryAt(100));
        assertThat(lane().entry(4 * 127 - 1)).isEqualTo(entryAt(4 * 127 - 1));
        assertThat(lane().entry(4 * 127)).isNull();
    }

    @Test
    void aFetchOfWhatIsInMemoryIsAnsweredWithTheNextHandOver() {
        append(3);
        boolean[] told = new boolean[1];

        lane().fetch(2, () -> told[0] = true);

        assertThat(told[0]).isFalse();
        lanes.finishReads();
        assertThat(told[0]).isTrue();
    }

    @Test
    void aDamagedBlockThatIsNeededEndsTheStoreWithItsPlaceNamed() throws IOException {
        append(1000);
        restart();
        disk.flipBit(Path.of("/store/view/00000000000000000001.view"), 700, 5);

        lane().fetch(3, () -> {});
        reads.remove().run();

        assertThatThrownBy(() -> lanes.finishReads())
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0243")
                .hasMessageContaining("00000000000000000001.view offset 0");
    }

    @Test
    void stateComesBackFromItsBytesAsItWas() throws IOException {
        append(400);
        settle(0, 130);
        settle(200, 260);
        lanes.countFailures(new RecordBody.ReleasedEntries(ROUTE.laneId(), new long[] {150, 399}), ++lsn);
        long[] totals = lanes.totals().toTriples();

        restart();

        assertThat(lane().cursor().floor()).isEqualTo(130);
        assertThat(lane().cursor().settled(230)).isTrue();
        assertThat(lane().cursor().settled(260)).isFalse();
        assertThat(lane().cursor().failedCount(399)).isEqualTo(1);
        assertThat(lane().cursor().unsettled()).isEqualTo(210);
        assertThat(lane().nextIndex()).isEqualTo(400);
        assertThat(lane().entry(399)).isEqualTo(entryAt(399));
        assertThat(lanes.totals().toTriples()).isEqualTo(totals);
    }

    @Test
    void recordsThatACheckpointCoversAreSkipped() throws IOException {
        append(5);
        long covered = lsn;
        restart();

        lanes.append(ROUTE, entryAt(4), covered);
        assertThat(lane().nextIndex()).isEqualTo(5);

        append(1);
        assertThat(lane().nextIndex()).isEqualTo(6);
    }

    @Test
    void aSettlementOfEntriesThatAreNotThereEndsTheStore() {
        append(2);

        assertThatThrownBy(() -> lanes.settle(ranges(1, 4, entryAt(1).lsnCheck()), ++lsn))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0230");
    }

    @Test
    void blocksThatCannotBeWrittenStayInMemoryUntilTheyCan() {
        disk.faults().capacityBytes(0);
        append(1000);

        assertThat(view.writePending()).isFalse();
        assertThat(lane().entry(5)).isEqualTo(entryAt(5));
        disk.faults().capacityBytes(Long.MAX_VALUE);
        assertThat(view.writePending()).isTrue();
        assertThat(lanes.audit(problem -> assertThat(problem).isNull())).isEqualTo(1000);
    }

    @Test
    @DisplayName("blocks that cannot be written are bounded: at 8,192 of them, 32 MiB, the store stops")
    void tooManyBlocksThatCannotBeWrittenEndTheStore() {
        disk.faults().capacityBytes(0);
        append(8192 * Block.ENTRIES);

        assertThatThrownBy(() -> append(2 * Block.ENTRIES))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0241")
                .hasMessageContaining("fix:");
    }

    @Test
    void viewFilesStayWhileAKeptCheckpointMayPointAtThem() throws IOException {
        append(3000);
        view.referencedBy(2);
        settle(0, 3000);

        view.referencedBy(3);
        view.recycle(2);
        assertThat(disk.list(Path.of("/store/view"))).contains("00000000000000000001.view");
        view.recycle(3);
        assertThat(disk.list(Path.of("/store/view"))).doesNotContain("00000000000000000001.view");
    }

    private Lane lane() {
        return lanes.lane(ROUTE.laneId());
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            Lane lane = lane();
            lanes.append(ROUTE, entryAt(lane == null ? 0 : lane.nextIndex()), ++lsn);
        }
    }

    private static Entry entryAt(long index) {
        return new Entry(index, 64 + index * 512, 100, 0, 1, index, index * 3);
    }

    private void settle(long from, long to) {
        Settlement[] all = new Settlement[(int) (to - from)];
        for (long index = from; index < to; index++) {
            all[(int) (index - from)] = new Settlement(ROUTE.laneId(), entryAt(index), Settlement.Kind.ACK);
        }
        byte[] body = Frames.settle(List.of(all)).body().get(0);
        RecordBody.Settle settle = (RecordBody.Settle) RecordBody.decode(RecordType.SETTLE, body, 0);
        settle.lanes().forEach(ranges -> lanes.settle(ranges, ++lsn));
    }

    private static RecordBody.SettledRanges ranges(long first, int count, int lsnCheck) {
        RecordBody.UnitRefs units = new RecordBody.UnitRefs(new long[0], new int[0], new long[0]);
        return new RecordBody.SettledRanges(
                ROUTE.laneId(),
                Settlement.Kind.ACK,
                new long[] {first},
                new int[] {count},
                new int[] {lsnCheck},
                units);
    }

    /** Through the bytes of a checkpoint into new objects. */
    private void restart() throws IOException {
        byte[] state = LaneBytes.of(lanes, ROUTE.laneId());
        byte[] dropped = lanes.droppedQueues();
        assertThat(view.sync()).isNotNull();
        open();
        lanes.restoreDropped(dropped);
        lanes.restore(ROUTE.laneId(), state);
    }
}
