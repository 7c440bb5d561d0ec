package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Much of what the block at a queue's head was made of may be gone. */
@DisplayName("[L-11] ADR 0050: a damaged block at a queue's head is never filled with other entries")
final class DamagedHeadBlockTest {
    private static final int LARGE = 30_000;
    /** First entry of the third block. */
    private static final int HEAD = 254;

    @TempDir
    private Path folder;

    private StoreRig rig;

    @BeforeEach
    void open() {
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, 86_400_000, 0));
    }

    @Test
    @DisplayName("it is known where it begins, so it is found although files behind it have been given back")
    void filesBehindItAreGone() throws IOException {
        rig.publish(HEAD + 6, 20);
        publish(121 + 5 + 100, LARGE);
        rig.settle(0, HEAD);
        rig.settle(HEAD + 1, 486);
        Entry before = rig.entry(HEAD);
        rig.checkpoint();
        rig.checkpoint();
        rig.await(() -> {
            rig.advance(100);
            return rig.store().parts().log().segments().size() == 2;
        });

        damageAllBlocksAfterRestart();

        assertThat(fetched(HEAD)).isEqualTo(before);
        // Those before point at the damaged block still.
        rig.checkpoint();
        rig.checkpoint();
        rig.close();
    }

    @Test
    @DisplayName("not when a batch in the segment that is written now is damaged too")
    void theActiveSegmentIsDamaged() throws IOException {
        rig.publish(300, 20);
        rig.publish(10, 20);
        rig.publish(91, 20);
        rig.settle(0, HEAD);
        long lsn = rig.entry(300).lsn();

        damageAllBlocksAfterRestart();
        long base = lsn / (1 << 20) * (1 << 20);
        flip(folder.resolve("log").resolve(String.format("%020d.log", base)), lsn - base + 40);

        assertThat(fetched(HEAD)).isNull();
        assertThat(rig.store().stateReason()).contains("MS-0243");
        rig.store().abandon();
    }

    @Test
    @DisplayName("it is found although its first entries, which are settled, are gone with their file")
    void settledEntriesBeforeAreNotNeeded() throws IOException {
        publish(60, LARGE);
        rig.publish(140, 20);
        rig.settle(0, 63);
        Entry before = rig.entry(63);

        damageAllBlocksAfterRestart();

        assertThat(fetched(63)).isEqualTo(before);
        // Those before point at the damaged block still.
        rig.checkpoint();
        rig.checkpoint();
        rig.close();
    }

    private void publish(int count, int bytes) {
        for (int left = count; left > 0; left -= 20) {
            rig.publish(Math.min(20, left), bytes);
        }
    }

    private void damageAllBlocksAfterRestart() throws IOException {
        rig.checkpoint();
        rig.checkpoint();
        rig.crash();
        for (Path file : files()) {
            for (long at = 200; at < Files.size(file); at += 4096) {
                flip(file, at);
            }
        }
    }

    /** Null if the store has stopped instead. */
    private Entry fetched(long index) {
        boolean[] here = new boolean[1];
        rig.lane().fetch(index, () -> here[0] = true);
        rig.await(() -> here[0] || rig.store().state() == StoreState.FAILED);
        return here[0] ? rig.lane().entry(index) : null;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> found = Files.list(folder.resolve("view"))) {
            return found.sorted().toList();
        }
    }

    private static void flip(Path file, long position) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            channel.read(one, position);
            one.put(0, (byte) (one.get(0) ^ 1)).rewind();
            channel.write(one, position);
        }
    }
}
