package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles.OpenMode;
import io.mainstem.store.segment.CommitLog.LogRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Crash suite (c): the log's tail cut at every byte and with every bit flipped. */
@Tag("simulation")
final class TailDamageTest {
    private static final Path FILE = SteppedLog.FOLDER.resolve("log").resolve(Segment.fileName(0));

    private SimDisk disk;
    private StoreMeta meta;
    private final List<ScannedBatch> batches = new ArrayList<>();
    private final List<Integer> groupsUpTo = new ArrayList<>();
    private final BitSet covered = new BitSet();

    /** About 60 KiB of batches, each synced before the next; each vouches for the one before, nobody for the last. */
    @BeforeEach
    void writeLog() throws IOException {
        disk = new SimDisk();
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        SplittableRandom random = new SplittableRandom(11);
        for (long number = 1; log.log().writtenLsn() < (60 << 10); ) {
            boolean big = log.log().writtenLsn() < (56 << 10);
            for (int i = 0; i <= random.nextInt(3); i++) {
                log.log().submit(TestGroup.mixed(number++, big ? 1200 : 80, Durability.SYNC));
            }
            log.settleNow();
        }
        disk.processDeath();
        log.log().abandon();
        disk.settle();
        meta = StoreMeta.read(disk, SteppedLog.FOLDER);
        scan();
    }

    private void scan() throws IOException {
        try (StoreFile file = disk.open(FILE, OpenMode.READ)) {
            BatchScanner scanner = new BatchScanner(meta.layout(), meta.store(), file, 0);
            int groups = 0;
            ScannedBatch batch = scanner.batchAt(meta.layout().firstBatch(0));
            while (batch != null) {
                batches.add(batch);
                covered.set((int) batch.lsn(), (int) batch.lsn() + BatchHeader.RECORD_BYTES);
                for (RecordHeader record : batch.records()) {
                    int from = (int) record.lsn();
                    covered.set(from, from + RecordHeader.BYTES + record.bodyBytes());
                    groups += !record.more() && record.type() > 3 ? 1 : 0;
                }
                groupsUpTo.add(groups);
                batch = scanner.batchAt(batch.endLsn());
            }
        }
        assertThat(batches.size()).isGreaterThan(15);
    }

    @Test
    @DisplayName("[L-11] the file cut at every byte: whole batches stay; if more is vouched for, the log is refused")
    void theTailIsTruncatedAtEveryByte() throws IOException {
        SimDisk vouched = disk.copy();
        long end = batches.get(batches.size() - 1).endLsn();
        SyncedSlots.open(vouched, SteppedLog.FOLDER, SyncedSlots.read(vouched, SteppedLog.FOLDER))
                .write(new SyncedSlots.Slot(0, end, 0, 0, 1, false));
        int last = batches.size() - 1;
        int from = (int) batches.get(last - 4).lsn();
        int to = (int) batches.get(last).endLsn();
        for (int size = from; size <= to; size++) {
            int whole = 0;
            while (whole <= last
                    && batches.get(whole).lsn() + batches.get(whole).header().bytes() <= size) {
                whole++;
            }
            expect(truncated(disk, size), whole, false, "cut at " + size);
            expect(truncated(vouched, size), whole, whole <= last, "vouched for and cut at " + size);
        }
    }

    private static SimDisk truncated(SimDisk original, int size) {
        SimDisk cut = original.copy();
        cut.truncate(FILE, size);
        return cut;
    }

    @Test
    @DisplayName("[L-11] every bit of the last batches flipped: cut if nobody was promised it, refused if durable")
    void everyBitOfTheTailIsFlipped() throws IOException {
        int last = batches.size() - 1;
        int from = (int) batches.get(last - 1).lsn();
        for (int at = from; at < batches.get(last).endLsn(); at++) {
            for (int bit = 0; bit < 8; bit++) {
                flip(at, bit);
            }
        }
    }

    @Test
    @DisplayName("[L-11] every byte of every header in 60 KiB of log damaged, and a sample of the bodies")
    void everyHeaderByteIsDamaged() throws IOException {
        SplittableRandom random = new SplittableRandom(5);
        for (ScannedBatch batch : batches) {
            for (int at = (int) batch.lsn(); at < batch.lsn() + BatchHeader.RECORD_BYTES; at++) {
                flip(at, random.nextInt(8));
            }
            for (RecordHeader record : batch.records()) {
                for (int i = 0; i < RecordHeader.BYTES; i++) {
                    flip((int) record.lsn() + i, random.nextInt(8));
                }
            }
        }
        for (int at = 512; at < batches.get(batches.size() - 1).endLsn(); at += 1 + random.nextInt(40)) {
            flip(at, random.nextInt(8));
        }
    }

    private void flip(int at, int bit) throws IOException {
        SimDisk flipped = disk.copy();
        flipped.flipBit(FILE, at, bit);
        int whole = 0;
        while (whole < batches.size() && batches.get(whole).endLsn() <= at) {
            whole++;
        }
        boolean harmless = !covered.get(at);
        boolean durable = !harmless && whole < batches.size() - 1;
        expect(flipped, harmless ? batches.size() : whole, durable, "bit " + bit + " of byte " + at);
    }

    /** The log opens and holds exactly the first {@code whole} batches, or is refused if more was durable. */
    private void expect(SimDisk damaged, int whole, boolean refused, String what) throws IOException {
        List<List<LogRecord>> replayed = new ArrayList<>();
        StoreException refusal = null;
        try {
            LogRecovery recovery = new LogRecovery(damaged, SteppedLog.FOLDER, meta);
            recovery.run(new LogRecovery.Start(0, 0, SyncedSlots.read(damaged, SteppedLog.FOLDER)), replayed::add);
        } catch (StoreException e) {
            refusal = e;
        }
        if (refused) {
            assertThat(refusal).as(what).isNotNull();
            assertThat(refusal.code()).as(what).isEqualTo("MS-0205");
            assertThat(refusal.getMessage())
                    .contains("LSN " + batches.get(whole).lsn(), FILE.toString());
        } else {
            assertThat(refusal).as(what).isNull();
            assertThat(replayed).as(what).hasSize(whole == 0 ? 0 : groupsUpTo.get(whole - 1));
        }
    }

    @Test
    @DisplayName("[L-2] one second after the last sync the last batch is vouched for, too")
    void aQuietLogVouchesForItsLastBatch() {
        SimDisk quiet = new SimDisk();
        SteppedLog log = SteppedLog.open(quiet, SteppedLog.config(), 0, 0, group -> {});
        TestGroup group = TestGroup.message(1, 100, Durability.SYNC);
        log.log().submit(group);
        log.settle();
        quiet.processDeath();
        log.log().abandon();

        quiet.flipBit(FILE, group.frames().get(0).lsn() + 40, 3);

        try {
            SteppedLog.open(quiet, SteppedLog.config(), 0, 0, replayed -> {});
        } catch (StoreException e) {
            assertThat(e.code()).isEqualTo("MS-0205");
            assertThat(e.fix()).contains(FILE.toString());
            return;
        }
        throw new AssertionError("damaged durable data was accepted");
    }
}
