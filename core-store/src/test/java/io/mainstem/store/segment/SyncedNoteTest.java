package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.files.SimDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-2] ckpt/synced is written at the latest a second after the first sync that it does not know of")
final class SyncedNoteTest {
    private final SimDisk disk = new SimDisk();

    @Test
    @DisplayName("under steady traffic it is never more than a second and one step behind")
    void steadyTraffic() throws IOException {
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        Deque<Long> lastSecond = new ArrayDeque<>();
        for (int number = 1; number <= 60; number++) {
            log.log().submit(TestGroup.message(number, 500, Durability.SYNC));
            log.settleNow();
            lastSecond.add(log.log().syncedLsn());
            if (lastSecond.size() > 11) {
                assertThat(SyncedSlots.read(disk, SteppedLog.FOLDER).syncedLsn())
                        .isGreaterThanOrEqualTo(lastSecond.remove());
            }
            log.advance(100);
        }
        log.log().abandon();
    }

    @Test
    @DisplayName(
            "so what was cut off the end under steady traffic is missed at the next start, but for the last second")
    void aCutTailIsNoticed() {
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        List<Long> synced = new ArrayList<>();
        for (int number = 1; number <= 60; number++) {
            log.log().submit(TestGroup.message(number, 500, Durability.SYNC));
            log.settleNow();
            synced.add(log.log().syncedLsn());
            log.advance(100);
        }
        disk.processDeath();
        log.log().abandon();
        Path file = SteppedLog.FOLDER.resolve("log").resolve(Segment.fileName(0));
        disk.truncate(file, synced.get(45));

        assertThatThrownBy(() -> SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {}))
                .hasMessageContaining("MS-0205");
    }

    @Test
    @DisplayName("a sync or a write that comes while the keeper looks wakes it: it cannot fall asleep over it")
    void nothingFallsBetweenLookAndSleep() {
        InstantSource clock = InstantSource.system();
        List<Housekeeper> keeper = new ArrayList<>();
        List<Boolean> heard = new ArrayList<>();
        LogOpening opening = new LogOpening(disk, SteppedLog.config(), clock, () -> {
            // The time is looked at in the middle of a step.
            keeper.forEach(each -> heard.add(each.hearsSyncs() && each.hearsWrites()));
            return System.nanoTime();
        });
        SegmentedLog log = SegmentedLog.openStepped(opening, 0, 0, group -> {}, LogReader.threads(1));
        keeper.add((Housekeeper) log.steps().get(2));
        for (int i = 0; i < 50; i++) {
            keeper.get(0).step();
        }
        assertThat(heard).isNotEmpty().doesNotContain(false);
        log.abandon();
    }

    @Test
    @DisplayName("one failed write of the note is said, and the next one is tried")
    void oneFailure() throws IOException {
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        log.log().submit(TestGroup.message(1, 500, Durability.SYNC));
        log.settleNow();
        disk.faults().shortWriteIn(0);
        log.advance(1100);
        log.settleNow();
        long before = SyncedSlots.read(disk, SteppedLog.FOLDER).syncedLsn();

        log.log().submit(TestGroup.message(2, 500, Durability.SYNC));
        log.settleNow();
        log.advance(1100);
        log.settleNow();

        assertThat(SyncedSlots.read(disk, SteppedLog.FOLDER).syncedLsn())
                .isGreaterThan(before)
                .isEqualTo(log.log().syncedLsn());
        log.log().abandon();
    }
}
