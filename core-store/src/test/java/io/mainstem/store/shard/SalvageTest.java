package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Frame;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.NioFiles;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("[L-11] salvage: a new store of what can be read of a damaged one")
final class SalvageTest {
    private static final int BYTES = 20_000;

    @TempDir
    private Path folder;

    private Path damaged;
    private Path target;
    private StoreRig rig;

    @BeforeEach
    void aStore() {
        damaged = folder.resolve("damaged");
        target = folder.resolve("salvaged");
        rig = new StoreRig(config(damaged));
    }

    private static StoreConfig config(Path directory) {
        StoreUpkeep upkeep = new StoreUpkeep(0, 24L * 3_600_000, 1L << 30);
        return new StoreConfig(directory, 1 << 20, 64 << 10, 512, 2, 64 << 20, 1 << 30, 3_600_000, 0, 2, 1000, upkeep);
    }

    @Test
    @DisplayName(
            "behind the checkpoint: the damaged message is missing, acks behind it find theirs, the rest waits in order")
    void damageBehindTheCheckpoint() throws IOException {
        publish(0, 40);
        rig.checkpoint();
        publish(40, 120);
        long bad = rig.entry(60).lsn();
        rig.settle(10, 20);
        rig.settle(50, 55);
        rig.settle(70, 80);
        rig.store().abandon();
        flip(bad + 1000);
        assertThatThrownBy(rig::open).hasMessageContaining("MS-0205");

        Salvage.Report report = salvage();

        assertThat(report.damages()).isNotEmpty();
        assertThat(report.unmatched()).isZero();
        List<String> expected = heads(0, 120);
        expected.removeAll(heads(10, 20));
        expected.removeAll(heads(50, 55));
        expected.removeAll(heads(70, 80));
        expected.remove("m60");
        assertThat(waiting()).isEqualTo(expected);
        assertThat(report.waiting()).isEqualTo(expected.size());
    }

    @Test
    @DisplayName("a missing file: what it held is lost and counted by queue, all else is there, and can be added to")
    void aMissingFile() throws IOException {
        publish(0, 150);
        rig.checkpoint();
        rig.checkpoint();
        List<String> expected = heads(0, 150);
        for (int index = 0; index < 150; index++) {
            if (rig.entry(index).lsn() >> 20 == 1) {
                expected.remove("m" + index);
            }
        }
        rig.store().abandon();
        Files.delete(damaged.resolve("log").resolve(String.format("%020d.log", 1 << 20)));
        assertThatThrownBy(rig::open).hasMessageContaining("MS-0250");

        Salvage.Report report = salvage();

        assertThat(report.lostByQueue()).isEqualTo(Map.of(1L, 150L - expected.size()));
        assertThat(waiting()).isEqualTo(expected);
    }

    @Test
    @DisplayName("a damaged block of a consume queue: its entries are found in the log again")
    void aDamagedBlock() throws IOException {
        publish(0, 400);
        rig.settle(3, 9);
        rig.checkpoint();
        rig.checkpoint();
        rig.store().abandon();
        Path block = damaged.resolve("view").resolve(String.format("%020d.view", 1));
        try (RandomAccessFile file = new RandomAccessFile(block.toFile(), "rw")) {
            file.seek(500);
            int old = file.read();
            file.seek(500);
            file.write(old ^ 1);
        }

        Salvage.Report report = salvage();

        assertThat(report.lost()).isZero();
        assertThat(report.againByQueue()).containsOnlyKeys(1L);
        List<String> expected = heads(0, 400);
        expected.removeAll(heads(3, 9));
        assertThat(waiting()).isEqualTo(expected);
    }

    @Test
    @DisplayName("ADR 0057: damage to its new blocks never serves one message in place of another")
    void blocksOfASalvagedStore() throws IOException {
        publish(0, 400);
        rig.settle(3, 9);
        rig.checkpoint();
        rig.checkpoint();
        rig.store().abandon();
        flipInBlocks(damaged);
        salvage();
        flipInBlocks(target);

        StoreRig made = new StoreRig(config(target));
        try {
            // In the part of the log that made the second block nothing had been settled, in that of the first it had.
            long second = made.lane().firstIndex() + 127;
            assertThat(new String(made.read(second).head(), StandardCharsets.UTF_8))
                    .isEqualTo("m" + (127 + 6));
            made.lane().fetch(second - 127, () -> {});
            made.await(() -> made.store().state() == StoreState.FAILED);
            assertThat(made.store().stateReason()).contains("MS-0243");
        } finally {
            made.store().abandon();
        }
    }

    private static void flipInBlocks(Path store) throws IOException {
        try (Stream<Path> files = Files.list(store.resolve("view"))) {
            for (Path path : files.toList()) {
                byte[] bytes = Files.readAllBytes(path);
                for (int at = 500; at < bytes.length; at += 4096) {
                    bytes[at] ^= 1;
                }
                Files.write(path, bytes);
            }
        }
    }

    @Test
    void theDamagedStoreIsNotTouchedAndTheTargetMustBeEmpty() throws IOException {
        publish(0, 30);
        rig.store().abandon();
        List<String> before = sizes();
        salvage();

        assertThat(sizes()).isEqualTo(before);
        assertThatThrownBy(this::salvage).hasMessageContaining("MS-0251").hasMessageContaining("fix:");
        assertThat(waiting()).isEqualTo(heads(0, 30));
    }

    // ---- steps -----------------------------------------------------------------------------------------------

    private void publish(int from, int to) {
        for (int i = from; i < to; i += 10) {
            List<Frame> frames = new ArrayList<>();
            for (int k = i; k < i + 10; k++) {
                frames.add(StoreRig.message("m" + k, new byte[BYTES]));
            }
            rig.apply(frames.toArray(new Frame[0]));
        }
    }

    private void flip(long lsn) throws IOException {
        Path path = damaged.resolve("log").resolve(String.format("%020d.log", (lsn >> 20) << 20));
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            file.seek(lsn & ((1 << 20) - 1));
            int old = file.read();
            file.seek(lsn & ((1 << 20) - 1));
            file.write(old ^ 4);
        }
    }

    private Salvage.Report salvage() throws IOException {
        return Salvage.run(config(damaged), target, new NioFiles(), line -> {});
    }

    private static List<String> heads(int from, int to) {
        List<String> heads = new ArrayList<>();
        for (int i = from; i < to; i++) {
            heads.add("m" + i);
        }
        return heads;
    }

    /** What waits in the salvaged store, which is then used and closed like any other. */
    private List<String> waiting() {
        List<String> heads = new ArrayList<>();
        try (StoreRig made = new StoreRig(config(target))) {
            for (long index = 0; index < made.lane().nextIndex(); index++) {
                if (!made.lane().cursor().settled(index)) {
                    heads.add(new String(made.read(index).head(), StandardCharsets.UTF_8));
                }
            }
            made.publish(1, 10);
            made.checkpoint();
        }
        return heads;
    }

    private List<String> sizes() throws IOException {
        try (Stream<Path> all = Files.walk(damaged)) {
            return all.filter(Files::isRegularFile)
                    .map(path -> path + " " + path.toFile().length() + " "
                            + path.toFile().lastModified())
                    .sorted()
                    .toList();
        }
    }
}
