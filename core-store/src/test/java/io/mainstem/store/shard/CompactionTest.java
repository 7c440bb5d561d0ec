package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.StoredMessage;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Live records leave sparse segments and keep their LSNs [L-7]. */
final class CompactionTest {
    private static final long QUIET_MS = 60_000;
    private static final int MIB = 1 << 20;

    @TempDir
    private Path folder;

    private StoreRig rig;

    @BeforeEach
    void open() {
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, QUIET_MS, 0));
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("[L-7] a stuck message finally costs its own size, whatever has passed it")
    void stuckMessagesDoNotPinTheTrafficAroundThem() {
        traffic(3, 120, 250);

        compactAll();

        rig.await(() -> logBytes() < 8L * MIB); // active, next, two reserved, two pooled
        assertThat(compactedBytes()).isBetween(3 * 50_000L, 3 * 50_000L + 4096);
        for (long index : new long[] {3, 120, 250}) {
            assertThat(head(rig.read(index))).isEqualTo("m" + index % 10);
        }
        rig.crash();
        for (long index : new long[] {3, 120, 250}) {
            assertThat(rig.read(index).payload().get(0)).hasSize(50_000);
        }
    }

    @Test
    void whatIsStillBeingSettledIsNotCopied() {
        traffic(3);
        rig.advance(QUIET_MS / 2);

        rig.checkpoint();
        idle();

        assertThat(rig.store().compactions()).isZero();
    }

    @Test
    void aCompactedFileGoesWithItsLastMessage() {
        traffic(3, 120);
        compactAll();
        assertThat(compactedFiles()).isNotEmpty();

        rig.settle(3, 4);
        rig.settle(120, 121);
        checkpoints();

        rig.await(() -> compactedFiles().isEmpty());
    }

    @Test
    void aReferenceKeepsItsTargetAndItself() {
        publish(100);
        Route other = new Route(2, 0);
        Entry target = rig.entry(5);
        rig.apply(
                Frames.messageRef(List.of(other), target, ExpiryTimes.NEVER, "why".getBytes(StandardCharsets.UTF_8)),
                Frames.settle(List.of(new Settlement(StoreRig.QUEUE.laneId(), target, Settlement.Kind.MOVED))));
        publish(100);
        rig.settle(0, 5);
        rig.settle(6, 200);

        compactAll();

        Lane lane = rig.store().lane(other.laneId());
        StoredMessage moved =
                rig.store().read(lane.entry(0)).toCompletableFuture().join();
        assertThat(moved.payload().get(0)).hasSize(50_000);
        assertThat(new String(moved.overrides(), StandardCharsets.UTF_8)).isEqualTo("why");
        assertThat(compactedBytes()).isLessThan(60_000);
    }

    @Test
    void partsOfALargeMessageAreKept() {
        rig.close();
        rig = new StoreRig(new StoreConfig(
                folder.resolve("large"),
                8 * MIB,
                MIB,
                512,
                2,
                64 * MIB,
                1 << 30,
                3_600_000,
                0,
                2,
                1000,
                new StoreUpkeep(0, QUIET_MS, 0)));
        byte[] part = new byte[200_000];
        publish(20);
        rig.apply(StoreRig.message("large", part, part, part, part, part, part, part));
        publish(300);
        rig.settle(0, 20);
        rig.settle(21, 321);

        compactAll();

        assertThat(compactedBytes()).isBetween(7L * part.length, 8L * part.length);
        assertThat(rig.read(20).payload().stream()
                        .mapToInt(bytes -> bytes.length)
                        .sum())
                .isEqualTo(7 * part.length);
        rig.crash();
        assertThat(rig.read(20).payload().stream()
                        .mapToInt(bytes -> bytes.length)
                        .sum())
                .isEqualTo(7 * part.length);
    }

    @Test
    void smallCompactedFilesAreMergedSoThatTheirNumberStaysSmall() {
        for (int i = 0; i <= CompactionChoice.MERGE_FILES; i++) {
            long first = rig.lane() == null ? 0 : rig.lane().nextIndex();
            publish(30);
            rig.settle(first + 1, first + 30);
            compactAll();
        }

        rig.await(() -> compactedFiles().size() <= 2);
        for (long index = 0; index < rig.lane().nextIndex(); index += 30) {
            assertThat(rig.read(index).payload().get(0)).hasSize(50_000);
        }
    }

    @Test
    void aDamagedLiveRecordIsLostAndStopsNothingElse() throws IOException {
        publish(400);
        rig.settle(0, 3);
        rig.settle(4, 300);
        rig.settle(301, 400);
        long bad = rig.entry(3).lsn();
        Path segment = folder.resolve("log").resolve(String.format("%020d.log", bad / MIB * MIB));
        byte[] bytes = Files.readAllBytes(segment);
        bytes[(int) (bad % MIB) + 1000] ^= 1;
        Files.write(segment, bytes);

        compactAll();
        compactAll();

        assertThat(rig.store().lost()).isEqualTo(1);
        assertThat(rig.lane().cursor().settled(3)).isTrue();
        assertThat(rig.store().compactions()).isPositive();
        assertThat(rig.read(300).payload().get(0)).hasSize(50_000);
    }

    // ---- steps -----------------------------------------------------------------------------------------------

    /** 15 MiB, of which only {@code stuck} are not settled. */
    private void traffic(long... stuck) {
        publish(300);
        long from = 0;
        for (long index : stuck) {
            rig.settle(from, index);
            from = index + 1;
        }
        rig.settle(from, 300);
    }

    private void publish(int count) {
        for (int i = 0; i < count; i += 10) {
            rig.publish(10, 50_000);
        }
    }

    private void checkpoints() {
        rig.checkpoint();
        rig.checkpoint();
    }

    private void compactAll() {
        checkpoints();
        idle();
        rig.advance(QUIET_MS + 1);
        long before = -1;
        while (before != rig.store().compactions()) {
            before = rig.store().compactions();
            rig.advance(2000);
            idle();
        }
        checkpoints();
    }

    /** Until background work has nothing to do. */
    private void idle() {
        rig.background();
    }

    private Stream<SegmentInfo> compacted() {
        return rig.store().parts().log().segments().stream().filter(segment -> segment.generation() > 0);
    }

    private long compactedBytes() {
        return compacted().mapToLong(SegmentInfo::fileBytes).sum();
    }

    /** Files go on another thread, soon after their segments have left the table. */
    private List<Path> compactedFiles() {
        return logFiles().stream()
                .filter(file -> file.toString().matches(".*\\.g\\d+"))
                .toList();
    }

    private long logBytes() {
        return logFiles().stream().mapToLong(file -> file.toFile().length()).sum();
    }

    private List<Path> logFiles() {
        try (Stream<Path> files = Files.walk(folder.resolve("log"))) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String head(StoredMessage message) {
        return new String(message.head(), StandardCharsets.UTF_8);
    }
}
