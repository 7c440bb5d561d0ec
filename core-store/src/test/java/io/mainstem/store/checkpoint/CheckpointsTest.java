package io.mainstem.store.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.SimDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Two generations of images: merged, checked, never half believed. */
final class CheckpointsTest {
    private static final StoreConfig CONFIG = StoreConfig.defaults(Path.of("/store"));

    private final SimDisk disk = new SimDisk();

    @Test
    void changesAreLaidOverTheImageBefore() throws IOException {
        write(100, changes(Map.of(1L, "a", 2L, "b", 9L, "c"), Map.of("x", "1", "z", "3")));
        write(200, changes(Map.of(2L, "B", 5L, "d"), Map.of("a", "0", "z", "4")));

        assertThat(load()).isEqualTo("dropped=queues 1=a 2=B 5=d 9=c a=0 x=1 z=4");
    }

    @Test
    void lanesAndKeysThatAreGoneAreLeftOut() throws IOException {
        write(100, changes(Map.of(1L, "a", 2L, "b", 3L, "c"), Map.of("x", "1", "y", "2")));
        ImageChanges changes = changes(Map.of(2L, ""), Map.of());
        changes.meta("x".getBytes(StandardCharsets.UTF_8), null);
        Checkpoints checkpoints = Checkpoints.open(CONFIG, disk);
        checkpoints.write(new ImageHeader(checkpoints.nextSequence(), 200, 200, false), changes, id -> id == 3, false);

        assertThat(load()).isEqualTo("dropped=queues 1=a y=2");
    }

    @Test
    void twoGenerationsAreKept() throws IOException {
        write(100, changes(Map.of(), Map.of()));
        write(200, changes(Map.of(), Map.of()));
        write(300, changes(Map.of(), Map.of()));

        assertThat(Checkpoints.paths(CONFIG, disk)).hasSize(2);
        Checkpoints checkpoints = Checkpoints.open(CONFIG, disk);
        assertThat(checkpoints.newest().replayLsn()).isEqualTo(300);
        assertThat(checkpoints.older().replayLsn()).isEqualTo(200);
    }

    @Test
    void twoGenerationsMayStandAtTheSamePlaceInTheLog() throws IOException {
        write(100, changes(Map.of(), Map.of()));
        write(100, changes(Map.of(1L, "a"), Map.of()));

        assertThat(Checkpoints.paths(CONFIG, disk)).hasSize(2);
        assertThat(load()).isEqualTo("dropped=queues 1=a");
    }

    @Test
    void aStateLargerThanTheBufferComesBackWhole() throws IOException {
        byte[] large = new byte[1_000_000];
        Arrays.fill(large, (byte) 'x');
        write(100, changes(Map.of(1L, new String(large, StandardCharsets.US_ASCII), 2L, "b"), Map.of("k", "v")));

        assertThat(load()).hasSize(1_000_000 + "dropped=queues 1= 2=b k=v".length());
    }

    @Test
    void anImageCutAnywhereOrWithAnyBitFlippedGivesWayToTheOneBefore() throws IOException {
        write(100, changes(Map.of(1L, "old"), Map.of()));
        write(200, changes(Map.of(1L, "new"), Map.of("k", "v")));
        Path newest = Checkpoints.paths(CONFIG, disk).get(1);
        byte[] sound = disk.contents(newest);

        for (int bytes = 0; bytes < sound.length; bytes++) {
            disk.replace(newest, Arrays.copyOf(sound, bytes));
            assertThat(load()).isEqualTo("dropped=queues 1=old");
        }
        for (int bit = 0; bit < sound.length * 8; bit++) {
            byte[] flipped = sound.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            disk.replace(newest, flipped);
            assertThat(load()).isEqualTo("dropped=queues 1=old");
        }
    }

    @Test
    void withoutASoundImageTheStoreRefusesToStart() throws IOException {
        write(100, changes(Map.of(1L, "a"), Map.of()));
        disk.flipBit(Checkpoints.paths(CONFIG, disk).get(0), 70, 1);

        assertThatThrownBy(() -> Checkpoints.open(CONFIG, disk))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("MS-0220")
                .hasMessageContaining("fix:");
    }

    @Test
    void anImageOfALaterVersionIsRefusedByNumber() throws IOException {
        write(100, changes(Map.of(1L, "a"), Map.of()));
        Path path = Checkpoints.paths(CONFIG, disk).get(0);
        byte[] later = disk.contents(path);
        later[8] = 2;
        CRC32C crc = new CRC32C();
        crc.update(later, 0, 60);
        for (int i = 0; i < 4; i++) {
            later[60 + i] = (byte) (crc.getValue() >>> (8 * i));
        }
        disk.replace(path, later);

        assertThatThrownBy(() -> Checkpoints.open(CONFIG, disk))
                .hasMessageContaining("MS-0222")
                .hasMessageContaining("2");
    }

    @Test
    void anImageThatCannotBeSyncedLeavesTheOneBeforeAndIsWrittenAgain() throws IOException {
        write(100, changes(Map.of(1L, "a"), Map.of()));
        disk.faults().syncFailsIn(0);
        assertThatThrownBy(() -> write(200, changes(Map.of(1L, "b"), Map.of()))).isInstanceOf(IOException.class);
        assertThat(load()).isEqualTo("dropped=queues 1=a");

        write(200, changes(Map.of(1L, "b"), Map.of()));

        assertThat(load()).isEqualTo("dropped=queues 1=b");
    }

    private void write(long replayLsn, ImageChanges changes) throws IOException {
        Checkpoints checkpoints = Checkpoints.open(CONFIG, disk);
        ImageHeader header = new ImageHeader(checkpoints.nextSequence(), replayLsn, replayLsn, false);
        checkpoints.write(header, changes, id -> false, false);
    }

    private static ImageChanges changes(Map<Long, String> lanes, Map<String, String> meta) {
        TreeMap<Long, String> sorted = new TreeMap<>(lanes);
        ImageChanges changes =
                new ImageChanges(sorted.keySet().stream().mapToLong(id -> id).toArray());
        sorted.values().forEach(state -> {
            changes.state().raw(state.getBytes(StandardCharsets.UTF_8));
            changes.laneDone();
        });
        meta.forEach((key, value) ->
                changes.meta(key.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8)));
        changes.dropped("queues".getBytes(StandardCharsets.UTF_8));
        return changes;
    }

    private String load() throws IOException {
        StringBuilder all = new StringBuilder();
        Checkpoints.open(CONFIG, disk).load(new ImageVisitor() {
            @Override
            public void dropped(byte[] queues) {
                all.append("dropped=").append(text(queues));
            }

            @Override
            public void lane(long laneId, byte[] state) {
                all.append(' ').append(laneId).append('=').append(text(state));
            }

            @Override
            public void meta(byte[] key, byte[] value) {
                all.append(' ').append(text(key)).append('=').append(text(value));
            }
        });
        return all.toString();
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
