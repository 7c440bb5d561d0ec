package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Entry;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A damaged record in a sealed segment costs its message and nothing else [L-11]. */
final class DamageTest {
    private static final long DAY_MS = 24L * 3_600_000;
    private static final int HEADER_BYTES = 32;

    @TempDir
    private Path folder;

    private StoreRig rig;

    @BeforeEach
    void openWithSomeSealedSegments() {
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, DAY_MS, 1L << 30));
        for (int i = 0; i < 6; i++) {
            rig.publish(10, 50_000);
        }
        rig.checkpoint();
        rig.checkpoint();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName(
            "[L-11] scrub: a damaged body is found, its message settled as lost, the file kept; neighbours live on")
    void scrubFindsABadBody() throws IOException {
        damage(3, HEADER_BYTES + 1000);

        scrub();

        assertThat(rig.store().lost()).isEqualTo(1);
        mustHaveLostOnly(3);
        assertThat(attic()).singleElement().asString().endsWith("00000000000000000000.log");
        rig.crash();
        mustHaveLostOnly(3);
    }

    @Test
    void scrubFindsABadHeaderAndKeepsWhatFollowsIt() throws IOException {
        damage(3, 5);

        scrub();

        mustHaveLostOnly(3);
    }

    @Test
    void whoeverReadsItGetsAnErrorAndThenItIsLost() throws IOException {
        damage(3, HEADER_BYTES + 1000);

        assertThatThrownBy(() -> rig.read(3)).hasMessageContaining("MS-0206");

        rig.await(() -> rig.store().lost() == 1);
        mustHaveLostOnly(3);
    }

    @Test
    void aSecondPassFindsNothingNew() throws IOException {
        damage(3, HEADER_BYTES + 1000);
        scrub();

        scrub();

        assertThat(rig.store().lost()).isEqualTo(1);
    }

    @Test
    @DisplayName("[L-11] what a restart would replay is not touched: a message left out would shift all behind it")
    void damageBehindTheOlderCheckpointIsLeftAlone() throws IOException {
        rig.publish(10, 50_000);
        rig.publish(10, 50_000);
        rig.publish(10, 50_000);
        damage(65, HEADER_BYTES + 1000);

        assertThatThrownBy(() -> rig.read(65)).hasMessageContaining("MS-0206");
        rig.await(() -> !rig.store().compacting());

        assertThat(rig.lane().cursor().settled(65)).isFalse();
        rig.checkpoint();
        rig.checkpoint();
        scrub();
        assertThat(rig.lane().cursor().settled(65)).isTrue();
    }

    @Test
    @DisplayName("[L-11] a sealed file that is missing is noticed at the start, and named with who needs it")
    void aMissingSegment() throws IOException {
        rig.store().abandon();
        Path second = folder.resolve("log").resolve(String.format("%020d.log", 1 << 20));
        Path aside = folder.resolve("aside");
        Files.move(second, aside);

        assertThatThrownBy(rig::open)
                .hasMessageContaining("MS-0250")
                .hasMessageContaining("00000000000001048576")
                .hasMessageContaining("queue id 1");

        Files.move(aside, second);
        rig.open();
        mustHaveLostOnly(-1);
    }

    @Test
    @DisplayName("[L-11] a sealed file that has been cut in the middle of a waiting message is noticed at the start")
    void aCutInAMessage() throws IOException {
        long base = 1 << 20;
        Entry last = LongStream.range(0, 60)
                .mapToObj(rig::entry)
                .filter(entry -> entry.lsn() < 2 * base)
                .reduce((earlier, later) -> later)
                .orElseThrow();
        rig.store().abandon();
        Path second = folder.resolve("log").resolve(String.format("%020d.log", base));
        Path aside = Files.copy(second, folder.resolve("aside"));
        try (FileChannel file = FileChannel.open(second, StandardOpenOption.WRITE)) {
            file.truncate(last.lsn() - base + HEADER_BYTES + last.size() - 1);
        }

        assertThatThrownBy(rig::open).hasMessageContaining("MS-0250").hasMessageContaining("1 waiting messages");

        Files.move(aside, second, StandardCopyOption.REPLACE_EXISTING);
        rig.open();
        mustHaveLostOnly(-1);
    }

    @Test
    @DisplayName("[L-11] a segment in which nothing waits any more may be missing")
    void aMissingSegmentThatNobodyNeeds() throws IOException {
        rig.settle(0, 60);
        rig.checkpoint();
        rig.checkpoint();
        assertThat(folder.resolve("log").resolve(String.format("%020d.log", 1 << 20)))
                .doesNotExist();
        rig.crash();
    }

    @Test
    @DisplayName("[L-7] a large message's counters may reach into a segment that has gone: that is no missing one")
    void aLargeMessageBehindAGoneSegment() {
        rig.apply(StoreRig.message("large", new byte[700_000], new byte[700_000]));
        rig.settle(0, 60);
        rig.publish(20, 50_000);
        rig.settle(61, 81);
        rig.checkpoint();
        rig.checkpoint();

        rig.crash();

        assertThat(rig.read(60).payload()).isNotEmpty();
    }

    // ---- steps -----------------------------------------------------------------------------------------------

    private void damage(long index, int offset) throws IOException {
        long at = rig.entry(index).lsn() + offset;
        SegmentInfo segment = rig.store().parts().log().segments().stream()
                .filter(each -> at >= each.baseLsn() && at < each.endLsn())
                .findFirst()
                .orElseThrow();
        Path path = folder.resolve("log").resolve(String.format("%020d.log", segment.baseLsn()));
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(at - segment.baseLsn());
            int old = file.read();
            file.seek(at - segment.baseLsn());
            file.write(old ^ 4);
        }
    }

    private void scrub() {
        long before = rig.store().scrubs();
        rig.background();
        rig.advance(DAY_MS);
        rig.await(() -> {
            rig.advance(50);
            return rig.store().scrubs() > before;
        });
        rig.await(() -> !rig.store().compacting());
        rig.apply(StoreRig.message("behind what the scrub has submitted"));
    }

    private void mustHaveLostOnly(long lost) {
        for (long index = 0; index < 60; index++) {
            assertThat(rig.lane().cursor().settled(index)).as("entry " + index).isEqualTo(index == lost);
            if (index != lost) {
                assertThat(rig.read(index).payload().get(0)).hasSize(50_000);
            }
        }
    }

    private List<Path> attic() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("log/attic"))) {
            return files.toList();
        }
    }
}
