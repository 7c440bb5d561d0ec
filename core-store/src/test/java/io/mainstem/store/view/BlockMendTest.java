package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.SimFaults.ReadError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What happens around the repair of a damaged block. */
@DisplayName("ADR 0050: blocks that cannot be read")
final class BlockMendTest {
    private static final Route ROUTE = new Route(1, 0);
    private static final Path FILE = Path.of("/store/view/00000000000000000001.view");
    private static final StoreConfig CONFIG = new StoreConfig(
            Path.of("/store"), 64 << 10, 64 << 10, 512, 2, 1 << 20, 1 << 20, 1000, 0, 1, 1000, StoreUpkeep.defaults());

    private final SimDisk disk = new SimDisk();
    private final Deque<Runnable> reads = new ArrayDeque<>();
    private final List<LostBlock> repairs = new ArrayList<>();
    private final List<long[]> inMemory = new ArrayList<>();
    private ViewFiles view;
    private Lanes lanes;
    private boolean ended;

    @BeforeEach
    void aLaneWithBlocks() throws IOException {
        open();
        for (int index = 0; index < 1000; index++) {
            lanes.append(ROUTE, entryAt(index), index + 1);
        }
    }

    @Test
    @DisplayName("one that was to be read behind a damaged one is read by itself")
    void blocksBehindADamagedOneAreSound() throws IOException {
        restart();
        disk.flipBit(FILE, 700, 5);
        lane().fetch(0, () -> {});
        lane().fetch(2L * Block.ENTRIES, () -> ended = true);

        readAndFinish();
        readAndFinish();

        assertThat(repairs).extracting(LostBlock::firstIndex).containsExactly(0L);
        assertThat(ended).isTrue();
        assertThat(lane().entry(2L * Block.ENTRIES)).isEqualTo(entryAt(2L * Block.ENTRIES));
    }

    @Test
    @DisplayName("one that the scrub finds damaged is written anew from memory if it is there still")
    void whatIsInMemoryIsWrittenAnew() throws IOException {
        assertThat(view.sync()).isNotNull();
        disk.flipBit(FILE, 700, 5);

        lanes.blocks().mend(unread(), () -> ended = true);
        lanes.finishReads();
        assertThat(ended).isTrue();
        lanes.blocks().rebuilt(repairs.get(0), inMemory.get(0));

        restart();
        lane().fetch(0, () -> {});
        readAndFinish();
        assertThat(lane().entry(3)).isEqualTo(entryAt(3));
    }

    @Test
    @DisplayName(
            "one that only the scrub has looked at and that cannot be mended ends nothing; a consumer that needs it does")
    void theStoreEndsForConsumersOnly() throws IOException {
        restart();
        disk.flipBit(FILE, 700, 5);

        lanes.blocks().mend(unread(), () -> ended = true);
        readAndFinish();
        assertThat(lanes.blocks().notRebuilt(repairs.get(0))).isTrue();
        assertThat(ended).isTrue();

        lane().fetch(0, () -> {});
        readAndFinish();
        assertThatThrownBy(() -> lanes.blocks().notRebuilt(repairs.get(1)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0243");
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("a read that fails says nothing about a block: it is read again, and whoever wants it waits")
    void aReadThatFailsOnceMendsNothing(ReadError error) throws IOException {
        restart();
        disk.faults().readsFailIn(0, 1, error);
        lane().fetch(0, () -> ended = true);

        readAndFinish();
        assertThat(ended).isFalse();
        lanes.blocks().retry();
        readAndFinish();

        assertThat(ended).isTrue();
        assertThat(repairs).isEmpty();
        assertThat(lane().entry(3)).isEqualTo(entryAt(3));
    }

    @Test
    @DisplayName(
            "one that cannot be read for long is looked for in the log; if that cannot be read either, all is tried again")
    void aDiskThatDoesNotAnswerForLong() throws IOException {
        restart();
        disk.faults().readsFailIn(0, 6, ReadError.MEDIUM);
        lane().fetch(0, () -> ended = true);

        for (int tries = 0; tries < 4; tries++) {
            readAndFinish();
            lanes.blocks().retry();
        }
        assertThat(repairs).extracting(LostBlock::firstIndex).containsExactly(0L);
        lanes.blocks().notRebuiltYet(repairs.get(0));
        for (int tries = 0; tries < 2; tries++) {
            lanes.blocks().retry();
            readAndFinish();
            if (repairs.size() > 1 + tries) {
                lanes.blocks().notRebuiltYet(repairs.get(1 + tries));
            }
        }
        assertThat(ended).isFalse();
        lanes.blocks().retry();
        readAndFinish();

        assertThat(ended).isTrue();
        assertThat(lane().entry(3)).isEqualTo(entryAt(3));
    }

    private LaneSnapshot.Unread unread() {
        List<LaneSnapshot.Unread> found = new ArrayList<>();
        lanes.snapshot(ROUTE.laneId(), 0, 1L << 40).forEachUnsettled(view, entry -> {}, found::add);
        return found.get(0);
    }

    private void readAndFinish() {
        for (int left = reads.size(); left > 0; left--) {
            reads.remove().run();
        }
        lanes.finishReads();
    }

    private Lane lane() {
        return lanes.lane(ROUTE.laneId());
    }

    private static Entry entryAt(long index) {
        return new Entry(index, 64 + index * 512, 100, 0, 1, index, 0);
    }

    private void open() throws IOException {
        view = ViewFiles.open(CONFIG, disk);
        lanes = new Lanes(CONFIG, view, reads::add, () -> {});
        lanes.blocks().repairWith((block, words) -> {
            repairs.add(block);
            if (words != null) {
                inMemory.add(words);
            }
        });
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
