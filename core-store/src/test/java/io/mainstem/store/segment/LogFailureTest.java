package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a failing or full disk does to the log. */
final class LogFailureTest {
    private final SimDisk disk = new SimDisk();
    private final DrainedList drained = new DrainedList();
    private SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});

    private void drain() {
        log.log().drain(drained, Integer.MAX_VALUE);
    }

    @Test
    @DisplayName("[L-3] the first failed sync is terminal: pending groups fail, later ones too, no sync is retried")
    void aFailedSyncIsTerminal() {
        disk.faults().syncFailsIn(0);
        log.log().submit(TestGroup.message(1, 100, Durability.SYNC));
        log.settle();
        log.log().submit(TestGroup.message(2, 100, Durability.SYNC));
        log.settle();
        long synced = log.log().syncedLsn();
        drain();

        assertThat(drained.durable).isEmpty();
        assertThat(drained.reasons).containsExactly(StoreState.FAILED, StoreState.FAILED);
        assertThat(log.log().state()).isEqualTo(StoreState.FAILED);
        assertThat(log.log().stateReason()).contains("MS-0210", ".log", "fix:");
        assertThat(log.log().writable()).isFalse();
        assertThat(synced).isLessThan(log.log().writtenLsn());
    }

    @Test
    @DisplayName("[L-3] a failed write is terminal; groups that were durable before stay acknowledged")
    void aFailedWriteIsTerminal() {
        log.log().submit(TestGroup.message(1, 100, Durability.SYNC));
        log.settle();
        disk.faults().shortWriteIn(0);
        log.log().submit(TestGroup.message(2, 100, Durability.SYNC));
        log.settleNow();
        drain();

        assertThat(drained.durable).hasSize(1);
        assertThat(drained.reasons).containsExactly(StoreState.FAILED);
    }

    @Test
    @DisplayName("[L-11] pages that a failed sync left clean are written again by recovery, then they are durable")
    void recoveryRewritesTheUnsyncedTail() {
        disk.faults().syncFailsIn(0);
        TestGroup group = TestGroup.message(1, 100, Durability.SYNC);
        log.log().submit(group);
        log.settle();
        disk.processDeath();
        log.log().abandon();

        List<Integer> sizes = new ArrayList<>();
        log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, records -> sizes.add(records.size()));
        disk.powerCut(1);
        log.log().abandon();
        log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, records -> sizes.add(records.size()));

        assertThat(sizes).containsExactly(1, 1);
    }

    @Test
    @DisplayName("[L-10] a full disk refuses messages, lets settlements go on in reserved segments, and ends by itself")
    void aFullDiskRefusesOnlyPublishers() {
        long number = 1;
        while (log.log().segments().size() < 3) {
            log.log().submit(TestGroup.message(number++, 2000, Durability.SYNC));
            log.settle();
        }
        log.settle();
        disk.faults().capacityBytes(disk.usableBytes(SteppedLog.FOLDER) > 0 ? usedBytes() : 0);
        drain();
        int before = drained.durable.size();

        while (drained.failed.isEmpty()) {
            log.log().submit(TestGroup.message(number++, 2000, Durability.SYNC));
            log.settleNow();
            drain();
        }
        assertThat(drained.reasons).containsOnly(StoreState.DISK_CRITICAL);
        assertThat(log.log().state()).isEqualTo(StoreState.DISK_CRITICAL);
        assertThat(log.log().stateReason()).contains("No space left on device");
        assertThat(drained.durable.size()).isGreaterThan(before);

        drained.failed.clear();
        for (int i = 0; i < 150; i++) {
            log.log().submit(TestGroup.settle(number++, Durability.SYNC));
            log.settleNow();
        }
        drain();
        assertThat(drained.failed).as("settlements on a full disk").isEmpty();

        disk.faults().capacityBytes(Long.MAX_VALUE);
        log.log().checkDisk();
        log.settle();
        assertThat(log.log().state()).isEqualTo(StoreState.RUNNING);
        log.log().submit(TestGroup.message(number, 2000, Durability.SYNC));
        log.settle();
        drain();
        assertThat(drained.failed).isEmpty();
    }

    @Test
    @DisplayName("[store 10, D9] segments leave the room that the checkpoint needs which frees them")
    void segmentsNeverTakeTheLastOfTheDisk() {
        log.log().abandon();
        long kept = 1 << 20;
        StoreConfig config = new StoreConfig(
                SteppedLog.FOLDER,
                64 << 10,
                1 << 20,
                512,
                2,
                1 << 20,
                1 << 20,
                1000,
                2 * kept,
                1,
                1000,
                StoreUpkeep.defaults());
        log = SteppedLog.open(disk, config, 0, 0, group -> {});
        disk.faults().capacityBytes(usedBytes() + 3 * kept);

        long number = 1;
        while (drained.failed.isEmpty()) {
            log.log().submit(TestGroup.message(number++, 2000, Durability.SYNC));
            log.settleNow();
            drain();
        }

        assertThat(log.log().state()).isEqualTo(StoreState.DISK_CRITICAL);
        assertThat(disk.usableBytes(SteppedLog.FOLDER)).isGreaterThanOrEqualTo(kept);
        assertThat(log.log().stateReason()).contains("kept for checkpoints");
    }

    private long usedBytes() {
        return Long.MAX_VALUE - disk.usableBytes(SteppedLog.FOLDER);
    }

    @Test
    @DisplayName("[L-2] a file of another store is not taken for a part of this one")
    void aForeignSegmentIsRefused() {
        log.log().close();
        SimDisk other = new SimDisk();
        SteppedLog.open(other, SteppedLog.config(), 0, 0, group -> {}).log().close();
        byte[] foreign = other.contents(SteppedLog.FOLDER.resolve("log").resolve(Segment.fileName(0)));
        disk.replace(SteppedLog.FOLDER.resolve("log").resolve(Segment.fileName(0)), foreign);

        assertThatThrownBy(() -> SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0204");
    }
}
