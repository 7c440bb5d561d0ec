package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.CommitLog.LogRecord;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-11] whole files of the log lost, cut, exchanged or renamed: the start is refused and changes nothing")
final class MissingFileTest {
    private static final Path LOG = SteppedLog.FOLDER.resolve("log");
    private static final long SEGMENT = 64 << 10;

    private SimDisk disk;
    private List<String> segments;
    private int groups;

    /** Three full files and a begun one, all of it confirmed, after a kill. */
    @BeforeEach
    void writeLog() {
        disk = new SimDisk();
        SteppedLog log = write(disk);
        disk.processDeath();
        log.log().abandon();
        disk.settle();
        segments = disk.list(LOG);
        assertThat(segments).hasSizeGreaterThanOrEqualTo(4);
    }

    private SteppedLog write(SimDisk on) {
        SteppedLog log = SteppedLog.open(on, SteppedLog.config(), 0, 0, group -> {});
        DrainedList drained = new DrainedList();
        long number = 1;
        while (log.log().writtenLsn() < 3 * SEGMENT + 20_000) {
            log.log().submit(TestGroup.message(number++, 2000, Durability.SYNC));
            log.settleNow();
        }
        log.log().drain(drained, Integer.MAX_VALUE);
        groups = drained.durable.size();
        return log;
    }

    private static Path file(long number) {
        return LOG.resolve(Segment.fileName(number * SEGMENT));
    }

    @Test
    void eachFileThatOthersFollowIsMissed() {
        for (long number = 0; number <= 2; number++) {
            SimDisk damaged = disk.copy();
            damaged.lose(file(number));
            mustBeRefused(damaged, number == 0 ? "MS-0204" : "MS-0205", file(number));
        }
    }

    @Test
    void severalFilesAreMissed() {
        disk.lose(file(1));
        disk.lose(file(2));
        mustBeRefused(disk, "MS-0205", file(1));
    }

    @Test
    void aFileThatIsShorterThanItWasIsMissed() {
        for (long size : new long[] {0, 10, 64, 512, 30_000}) {
            for (long number = 0; number <= 2; number++) {
                SimDisk damaged = disk.copy();
                damaged.truncate(file(number), size);
                mustBeRefused(damaged, size < 64 ? "MS-0204" : "MS-0205", file(number));
            }
        }
    }

    @Test
    void exchangedFilesAreNoticedAlsoWhereACheckpointCoversThem() {
        byte[] first = disk.contents(file(0));
        disk.replace(file(0), disk.contents(file(1)));
        disk.replace(file(1), first);
        mustBeRefused(disk, "MS-0204", file(0));
        mustBeRefused(disk, 3 * SEGMENT, "MS-0204", file(0));
    }

    @Test
    void aFileOfAnotherStoreIsNoticedAlsoWhereACheckpointCoversIt() {
        SimDisk other = new SimDisk();
        write(other);
        disk.replace(file(1), other.contents(file(1)));
        mustBeRefused(disk, "MS-0204", file(1));
        mustBeRefused(disk, 3 * SEGMENT, "MS-0204", file(1));
    }

    @Test
    @DisplayName(
            "what a checkpoint covers may have gone long ago: only the files that have to be read again must be there")
    void aCoveredFileMayBeGone() {
        disk.lose(file(0));
        disk.lose(file(1));
        List<List<LogRecord>> replayed = new ArrayList<>();
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 2 * SEGMENT, 0, replayed::add);
        assertThat(replayed).isNotEmpty().hasSizeLessThan(groups);
        log.log().abandon();
    }

    @Test
    @DisplayName("an old note of a clean stop, from a partial restore, does not let the log begin again in its middle")
    void anOldNoteOfACleanStop() {
        SimDisk closed = new SimDisk();
        SteppedLog log = SteppedLog.open(closed, SteppedLog.config(), 0, 0, group -> {});
        log.log().submit(TestGroup.message(1, 2000, Durability.SYNC));
        log.settle();
        log.log().close();
        long end = log.log().syncedLsn();
        Path note = SteppedLog.FOLDER.resolve("ckpt").resolve("synced");
        byte[] old = closed.contents(note);

        SteppedLog next = SteppedLog.open(closed, SteppedLog.config(), end, end, group -> {});
        next.log().submit(TestGroup.message(2, 2000, Durability.SYNC));
        next.settle();
        next.log().close();
        closed.replace(note, old);

        List<List<LogRecord>> replayed = new ArrayList<>();
        SteppedLog.open(closed, SteppedLog.config(), end, end, replayed::add)
                .log()
                .abandon();
        assertThat(replayed).hasSize(1);
    }

    @Test
    @DisplayName("the last file is vouched for by ckpt/synced")
    void theLastFileIsMissed() {
        SimDisk quiet = new SimDisk();
        SteppedLog log = write(quiet);
        log.settle();
        quiet.processDeath();
        log.log().abandon();
        for (String name : quiet.list(LOG)) {
            if (Segment.baseOf(name) >= 3 * SEGMENT) {
                quiet.lose(LOG.resolve(name));
            }
        }
        mustBeRefused(quiet, "MS-0205", file(3));
    }

    @Test
    @DisplayName("what is left of a cut file is not filled with zeros, wherever it was cut")
    void fillingGoesOnBehindWhatIsLeft() {
        for (long cut = 20_000; cut < 24_096; cut += 100) {
            SimDisk fresh = new SimDisk();
            SteppedLog log = SteppedLog.open(fresh, SteppedLog.config(), 0, 0, group -> {});
            for (int number = 1; log.log().writtenLsn() < 30_000; number++) {
                log.log().submit(TestGroup.message(number, 300, Durability.SYNC));
                log.settleNow();
            }
            fresh.processDeath();
            log.log().abandon();
            fresh.truncate(file(0), cut);

            SteppedLog next = SteppedLog.open(fresh, SteppedLog.config(), 0, 0, group -> {});
            long kept = next.log().report().groups();
            next.log().submit(TestGroup.message(1000, 300, Durability.SYNC));
            next.settle();
            next.log().close();
            List<List<LogRecord>> replayed = new ArrayList<>();
            SteppedLog.open(fresh, SteppedLog.config(), 0, 0, replayed::add)
                    .log()
                    .abandon();
            assertThat(replayed).as("cut at " + cut).hasSize((int) kept + 1);
        }
    }

    @Test
    @DisplayName("the file that lies ready for the writer, cut behind its header, is used and keeps its header")
    void theFileThatLiesReadyIsCut() {
        SteppedLog first = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        first.settle();
        disk.processDeath();
        first.log().abandon();
        assertThat(disk.list(LOG)).contains(Segment.fileName(4 * SEGMENT));
        disk.truncate(file(4), 700);
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        log.settle();
        disk.processDeath();
        log.log().abandon();
        List<List<LogRecord>> replayed = new ArrayList<>();
        SteppedLog.open(disk, SteppedLog.config(), 0, 0, replayed::add).log().abandon();
        assertThat(replayed).hasSize(groups);
    }

    private void mustBeRefused(SimDisk damaged, String code, Path named) {
        mustBeRefused(damaged, 0, code, named);
    }

    private void mustBeRefused(SimDisk damaged, long replayFrom, String code, Path named) {
        Map<String, Integer> before = contents(damaged);
        assertThatThrownBy(() -> SteppedLog.open(damaged, SteppedLog.config(), replayFrom, replayFrom, group -> {}))
                .hasMessageContaining(code)
                .hasMessageContaining(named.toString())
                .hasMessageContaining("fix:");
        assertThat(contents(damaged)).isEqualTo(before);
        damaged.processDeath();
    }

    private static Map<String, Integer> contents(SimDisk disk) {
        Map<String, Integer> contents = new TreeMap<>();
        for (String folder : List.of("", "log", "log/pool", "log/attic", "ckpt")) {
            for (String name : disk.list(SteppedLog.FOLDER.resolve(folder))) {
                Path path = SteppedLog.FOLDER.resolve(folder).resolve(name);
                contents.put(path.toString(), java.util.Arrays.hashCode(disk.contents(path)));
            }
        }
        return contents;
    }
}
