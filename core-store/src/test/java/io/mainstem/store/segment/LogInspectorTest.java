package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.LogInspector.Damage;
import io.mainstem.store.segment.LogInspector.FoundRecord;
import io.mainstem.store.segment.LogInspector.FoundSegment;
import io.mainstem.store.segment.LogInspector.Summary;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Looking at a log without opening it. */
final class LogInspectorTest {
    private static final int GROUPS = 100;

    private final SimDisk disk = new SimDisk();
    private final List<TestGroup> groups = new ArrayList<>();
    private final List<FoundSegment> segments = new ArrayList<>();
    private final List<byte[]> messages = new ArrayList<>();
    private final List<Damage> damages = new ArrayList<>();

    @BeforeEach
    void writeLog() {
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        for (int i = 0; i < GROUPS; i++) {
            TestGroup group = TestGroup.message(i, 1000, Durability.SYNC);
            groups.add(group);
            log.log().submit(group);
            log.settleNow();
        }
        disk.processDeath();
        log.log().abandon();
    }

    private Summary inspect() throws IOException {
        return LogInspector.inspect(disk, SteppedLog.FOLDER, 0, new LogInspector.Findings() {
            @Override
            public void segment(FoundSegment segment) {
                segments.add(segment);
            }

            @Override
            public void record(FoundRecord record, Supplier<byte[]> body) {
                if (record.type() == 16) {
                    messages.add(body.get());
                }
            }

            @Override
            public void damage(Damage damage) {
                damages.add(damage);
            }
        });
    }

    private Path fileOf(long lsn) {
        return SteppedLog.FOLDER.resolve("log").resolve(Segment.fileName(lsn - lsn % (64 << 10)));
    }

    private void flip(TestGroup group) {
        long lsn = group.frames().get(0).lsn();
        disk.flipBit(fileOf(lsn), lsn % (64 << 10) + 50, 2);
    }

    @Test
    @DisplayName("a sound log: every segment, batch and record is reported, no damage")
    void aSoundLogIsReportedWhole() throws IOException {
        Summary summary = inspect();

        assertThat(messages).hasSize(GROUPS);
        assertThat(messages.get(7))
                .isEqualTo(TestGroup.bodyOf(groups.get(7).frames().get(0)));
        assertThat(segments.size()).isGreaterThan(2);
        assertThat(segments).allMatch(FoundSegment::valid);
        assertThat(damages).isEmpty();
        assertThat(summary.durableDamages() + summary.tornTails()).isZero();
        assertThat(summary.batches()).isEqualTo(GROUPS + 1);
    }

    @Test
    @DisplayName("damage in the middle: reported as damaged durable data with its range; the rest is still read")
    void damageInTheMiddleIsDurable() throws IOException {
        flip(groups.get(30));

        Summary summary = inspect();

        assertThat(messages).hasSize(GROUPS - 1);
        assertThat(summary.durableDamages()).isEqualTo(1);
        assertThat(damages).hasSize(1);
        long lsn = groups.get(30).frames().get(0).lsn();
        assertThat(damages.get(0).lsn()).isLessThan(lsn);
        assertThat(damages.get(0).untilLsn()).isGreaterThan(lsn);
        assertThat(damages.get(0).what()).contains("body").contains(Long.toString(lsn));
        assertThat(damages.get(0).durable()).isTrue();
    }

    @Test
    @DisplayName("damage of the last batch, which nobody vouches for: reported as a torn tail")
    void damageAtTheEndIsATornTail() throws IOException {
        flip(groups.get(GROUPS - 1));

        Summary summary = inspect();

        assertThat(messages).hasSize(GROUPS - 1);
        assertThat(summary.durableDamages()).isZero();
        assertThat(summary.tornTails()).isEqualTo(1);
    }

    @Test
    @DisplayName("a folder without a store is refused")
    void aFolderWithoutAStoreIsRefused() {
        assertThatThrownBy(
                        () -> LogInspector.inspect(new SimDisk(), SteppedLog.FOLDER, 0, new LogInspector.Findings() {}))
                .hasMessageContaining("MS-0203");
    }
}
