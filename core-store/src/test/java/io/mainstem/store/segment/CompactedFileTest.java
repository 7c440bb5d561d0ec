package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles.OpenMode;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.LogInspector.Damage;
import io.mainstem.store.segment.LogInspector.FoundRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** docs/disk-format.md "Compacted file": what stands there, and what becomes of it when it is damaged. */
final class CompactedFileTest {
    private static final Path FILE = SteppedLog.FOLDER.resolve("log/00000000000000000000.g0001");
    private static final int KEPT = 9;

    private final SimDisk disk = new SimDisk();
    private final List<Long> lsns = new ArrayList<>();
    private long tail;

    @BeforeEach
    void compactTwoSegments() throws IOException {
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        for (int i = 0; i < 150; i++) {
            TestGroup group = TestGroup.message(i, 1000, Durability.SYNC);
            log.log().submit(group);
            log.settleNow();
            lsns.add(group.frames().get(0).lsn());
        }
        log.log().drain(new DrainedList(), 1000);
        tail = log.log().drainedLsn();
        LiveRecords live = new LiveRecords(0, 128 << 10);
        for (int i = 0; i < KEPT; i++) {
            live.keep(lsns.get(i * 10));
            live.marks().entry(1 << 8, lsns.get(i * 10), 10L * i, true);
        }
        log.log().compact(live, Throttle.of(0));
        log.settle();
        log.log().close();
    }

    private SegmentedLog open() {
        return SteppedLog.open(disk, SteppedLog.config(), tail, tail, group -> {})
                .log();
    }

    private CompactedFile read() throws IOException {
        try (StoreFile file = disk.open(FILE, OpenMode.READ)) {
            return CompactedFile.read(
                    file, StoreMeta.read(disk, SteppedLog.FOLDER).store());
        }
    }

    private void mustHoldAllThatWasKept(SegmentedLog log) throws IOException {
        for (int i = 0; i < KEPT; i++) {
            assertThat(log.readNow(lsns.get(i * 10)).lsn()).isEqualTo(lsns.get(i * 10));
        }
    }

    @Test
    void itStandsForSeveralSegmentsAndLeavesOutWhatIsNotNeeded() throws IOException {
        assertThat(disk.exists(SteppedLog.FOLDER.resolve("log/00000000000000000000.log")))
                .isFalse();
        SegmentedLog log = open();

        mustHoldAllThatWasKept(log);
        assertThatThrownBy(() -> log.readNow(lsns.get(1)))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0207")
                .hasMessageContaining("compaction has left it out");
        log.abandon();
    }

    @Test
    @DisplayName("header at both ends, records, index")
    void layout() throws IOException {
        ByteBuffer file = ByteBuffer.wrap(disk.contents(FILE)).order(ByteOrder.LITTLE_ENDIAN);

        assertThat(new String(file.array(), 0, 7, StandardCharsets.US_ASCII)).isEqualTo("MSTMCPT");
        assertThat(file.getLong(32)).isZero();
        assertThat(file.getLong(40)).isEqualTo(128 << 10);
        assertThat(file.getInt(52)).isEqualTo(1);
        int index = file.getInt(56) * 8;
        assertThat(file.getInt(index)).as("segments").isEqualTo(2);
        assertThat(file.getInt(index + 4)).as("records").isEqualTo(KEPT);
        int record = index + 8 + 2 * 16 + 12;
        assertThat(file.getLong(record)).isEqualTo(lsns.get(10));
        int position = file.getInt(record + 8) * 8;
        assertThat(file.getLong(position + 8)).as("lsn in the record").isEqualTo(lsns.get(10));
        byte[] end = Arrays.copyOfRange(file.array(), file.capacity() - 64, file.capacity());
        assertThat(end).isEqualTo(Arrays.copyOf(file.array(), 64));
    }

    @Test
    @DisplayName("ADR 0057: marks of the entries that waited, behind the index; damaged ones are as if there were none")
    void marks() throws IOException {
        Map<Long, Long> marks = new HashMap<>();
        LaneMarks.forEach(marksNow(), 1 << 8, marks::put);
        assertThat(marks).hasSize(KEPT).containsEntry(lsns.get(20), 20L);
        LaneMarks.forEach(marksNow(), 2 << 8, (lsn, index) -> {
            throw new AssertionError("of another lane");
        });

        disk.flipBit(FILE, disk.contents(FILE).length - 64 - 12, 1);
        assertThat(marksNow()).isNull();
        assertThat(read().rebuilt()).isNull();
    }

    private byte[] marksNow() throws IOException {
        try (StoreFile file = disk.open(FILE, OpenMode.READ)) {
            return read().marks(file);
        }
    }

    @Test
    void anyBitOfItsIndexOrOfOneHeaderMayFlip() throws IOException {
        byte[] sound = disk.contents(FILE);
        int index = ByteBuffer.wrap(sound).order(ByteOrder.LITTLE_ENDIAN).getInt(56) * 8;
        for (int at = 0; at < sound.length; at += at == 63 ? index - 63 : 1) {
            disk.flipBit(FILE, at, at % 8);

            CompactedFile file = read();

            assertThat(file.survivors().size()).as("byte " + at).isEqualTo(KEPT);
            for (int i = 0; i < KEPT; i++) {
                assertThat(file.survivors().positionOf(lsns.get(i * 10))).isPositive();
            }
            disk.replace(FILE, sound);
        }
    }

    @Test
    void withBothHeadersDamagedTheStartIsRefusedAndTheFileNamed() {
        disk.flipBit(FILE, 40, 1);
        disk.flipBit(FILE, disk.contents(FILE).length - 20, 1);

        assertThatThrownBy(this::open)
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0204")
                .hasMessageContaining(FILE.toString())
                .hasMessageContaining("fix:");
    }

    @Test
    void aDamagedRecordIsNotServedAndTheOthersAre() throws IOException {
        long position = read().survivors().positionOf(lsns.get(20));
        disk.flipBit(FILE, position + 100, 1);
        SegmentedLog log = open();

        assertThatThrownBy(() -> log.readNow(lsns.get(20))).hasMessageContaining("MS-0206");
        assertThat(log.readNow(lsns.get(30)).lsn()).isEqualTo(lsns.get(30));
        log.abandon();
    }

    @Test
    void theOlderFilesOfACrashAreRemovedAndDraftsToo() throws IOException {
        Path older = FILE.resolveSibling("00000000000000065536.log");
        Path draft = FILE.resolveSibling("00000000000000000000.g0002.tmp");
        disk.open(older, OpenMode.CREATE_NEW).close();
        disk.open(draft, OpenMode.CREATE_NEW).close();

        SegmentedLog log = open();

        mustHoldAllThatWasKept(log);
        assertThat(disk.exists(older)).isFalse();
        assertThat(disk.exists(draft)).isFalse();
        log.abandon();
    }

    @Test
    void theOfflineCheckReadsItsRecordsWithTheirTimesAndNamesDamage() throws IOException {
        List<FoundRecord> records = new ArrayList<>();
        List<Damage> damages = new ArrayList<>();
        LogInspector.Findings findings = new LogInspector.Findings() {
            @Override
            public void record(FoundRecord record, Supplier<byte[]> body) {
                records.add(record);
                assertThat(body.get()).hasSize(record.bodyBytes());
            }

            @Override
            public void damage(Damage damage) {
                damages.add(damage);
            }
        };
        LogInspector.inspect(disk, SteppedLog.FOLDER, 0, findings);
        assertThat(records.stream().map(FoundRecord::lsn)).contains(lsns.get(10), lsns.get(20));
        assertThat(records.get(0).timeMs()).isGreaterThanOrEqualTo(1_700_000_000_000L);
        assertThat(damages).isEmpty();

        disk.flipBit(FILE, read().survivors().positionOf(lsns.get(20)) + 40, 1);
        LogInspector.Summary summary = LogInspector.inspect(disk, SteppedLog.FOLDER, 0, findings);

        assertThat(summary.durableDamages()).isEqualTo(1);
        assertThat(damages).singleElement().satisfies(damage -> {
            assertThat(damage.lsn()).isEqualTo(lsns.get(20));
            assertThat(damage.file()).endsWith("g0001");
        });
    }
}
