package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.StoreUpkeep;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What consume queues take on disk. */
@DisplayName("[L-5] ADR 0058: a message that waits for ever keeps its block, not a whole file of consume queues")
final class ViewSpaceTest {
    private static final int FILE_BYTES = 64 << 10;
    private static final int BLOCK_BYTES = 4096;
    private static final int ROUNDS = 24;
    /** About a file full of blocks. */
    private static final int ROUND_MESSAGES = 16 * 127;

    @TempDir
    private Path folder;

    private StoreRig rig;

    @BeforeEach
    void open() {
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, 86_400_000, 0));
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("files take at most four times what is live, and four files")
    void boundedByWhatIsLive() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            long first = rig.lane() == null ? 0 : rig.lane().nextIndex();
            rig.publish(ROUND_MESSAGES, 1);
            rig.settle(first + 1, first + ROUND_MESSAGES);
            if (round % 8 == 5) {
                rig.restart();
            }
            upkeep();
        }

        long live = liveBlocks();
        assertThat(live).isBetween((long) ROUNDS - 2, (long) ROUNDS + 2);
        assertThat(viewBytes()).isLessThanOrEqualTo(4 * live * BLOCK_BYTES + 4 * FILE_BYTES);
        for (int round = 0; round < ROUNDS; round++) {
            long stuck = (long) round * ROUND_MESSAGES;
            assertThat(new String(rig.read(stuck).head(), StandardCharsets.UTF_8))
                    .isEqualTo("m0");
        }
    }

    @Test
    @DisplayName("a file that is full of what is needed is left alone")
    void fullFilesAreLeftAlone() {
        rig.publish(3 * ROUND_MESSAGES, 1);

        upkeep();

        assertThat(rig.store().blocksMoved()).isZero();
    }

    /** Lets sparse files be looked for, and checkpoints forget them. */
    private void upkeep() {
        rig.advance(20_000);
        long[] before = {-1};
        rig.await(() -> {
            boolean same =
                    before[0] == rig.store().blocksMoved() && !rig.store().movingBlocks();
            before[0] = rig.store().blocksMoved();
            return same;
        });
        for (int i = 0; i < 3; i++) {
            rig.checkpoint();
        }
    }

    private long liveBlocks() {
        return rig.store().parts().view().liveBlocks().values().stream()
                .mapToLong(Integer::longValue)
                .sum();
    }

    private long viewBytes() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("view"))) {
            return files.mapToLong(path -> path.toFile().length()).sum();
        }
    }
}
