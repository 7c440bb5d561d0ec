package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.files.NioFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bits that flip, while the store runs, in what is derived from the log. */
@DisplayName("[L-11] damage in consume queues and checkpoints of a running store costs nothing (ADR 0050)")
final class DerivedDamageTest {
    private static final int MESSAGES = 1000;

    @TempDir
    private Path folder;

    private StoreRig rig;

    @BeforeEach
    void openWithBlocksAndCheckpoints() {
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, 86_400_000, 1L << 30));
        rig.publish(MESSAGES, 200);
        rig.checkpoint();
        rig.checkpoint();
        // Nothing of the blocks is in memory any more.
        rig.crash();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void theScrubFindsADamagedBlockAndTheLogHasItsEntries() throws IOException {
        Path view = files("view").get(0);
        flip(view, 4096 * 2 + 100);

        scrub();

        // Written anew in another file: what is read from now on is sound.
        rig.await(() -> rig.store().parts().view().liveBlocks().size() == 2);
        assertThat(rig.store().lane(rig.lane().laneId()).cursor().unsettled()).isEqualTo(MESSAGES);
        rig.checkpoint();
        rig.crash();
        everyMessageIsServed();
    }

    @Test
    void whoeverNeedsADamagedBlockWaitsForItAndGetsIt() throws IOException {
        for (Path view : files("view")) {
            for (int block = 0; block < Files.size(view) / 4096; block++) {
                flip(view, block * 4096L + 200);
            }
        }

        everyMessageIsServed();
        // Those before point at the damaged blocks still.
        rig.checkpoint();
        rig.checkpoint();
    }

    @Test
    void aDamagedCheckpointIsReplacedByAWholeOne() throws IOException {
        List<Path> before = files("ckpt").stream()
                .filter(path -> path.toString().endsWith(".ckp"))
                .toList();
        flip(before.get(before.size() - 1), Files.size(before.get(before.size() - 1)) / 2);
        rig.publish(10, 200);

        var done = rig.store().checkpoint().toCompletableFuture();
        rig.await(() -> {
            rig.advance(100);
            return done.isDone();
        });

        rig.crash();
        for (Path path : Checkpoints.paths(rig.config(), new NioFiles())) {
            assertThat(Checkpoints.verify(new NioFiles(), path).sequence()).isPositive();
        }
        assertThat(rig.lane().cursor().unsettled()).isEqualTo(MESSAGES + 10);
    }

    private void everyMessageIsServed() {
        for (int index = 0; index < MESSAGES; index++) {
            assertThat(rig.read(index)).isNotNull();
        }
    }

    private void scrub() {
        long before = rig.store().scrubs();
        rig.background();
        rig.advance(2L * 86_400_000);
        rig.await(() -> {
            rig.advance(50);
            return rig.store().scrubs() > before;
        });
    }

    private List<Path> files(String name) throws IOException {
        try (Stream<Path> found = Files.list(folder.resolve(name))) {
            return found.sorted().toList();
        }
    }

    private static void flip(Path file, long position) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        bytes[(int) position] ^= 1;
        Files.write(file, bytes);
    }
}
