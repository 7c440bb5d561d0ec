package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.codec.MalformedException;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("ADR 0057: what a compacted file keeps of the lanes whose entries waited in it")
final class LaneMarksTest {
    private static final long BASE = 1 << 20;
    private static final long END = 2 << 20;

    private final LaneMarks marks = new LaneMarks(BASE, END);

    @Test
    @DisplayName(
            "those that wait, and the nearest known entry before and behind, settled or not; for each lane its own")
    void whatIsMarked() {
        marks.entry(7, BASE - 800, 0, true);
        marks.entry(7, BASE - 80, 1, false);
        marks.entry(7, BASE, 2, true);
        marks.entry(7, BASE + 80, 3, false);
        marks.entry(7, BASE + 160, 4, true);
        marks.entry(7, END, 5, false);
        marks.entry(7, END + 80, 6, true);
        marks.entry(9, BASE + 240, 0, true);
        byte[] bytes = marks.toBytes();

        assertThat(of(bytes, 7)).isEqualTo(Map.of(BASE - 80, 1L, BASE, 2L, BASE + 160, 4L, END, 5L));
        assertThat(of(bytes, 9)).isEqualTo(Map.of(BASE + 240, 0L));
        assertThat(of(bytes, 8)).isEmpty();
    }

    @Test
    @DisplayName("more than 32 MiB of them are not kept: the file has none then")
    void bounded() {
        for (long lane = 0; lane < 4_000_000; lane++) {
            marks.entry(1L << 30 | lane, BASE + 8, lane, true);
        }

        assertThat(marks.toBytes()).isEmpty();
    }

    @Test
    @DisplayName("[D-5] whatever the bytes are: marks, or MalformedException")
    void damaged() {
        for (int lane = 1; lane < 4; lane++) {
            for (int index = 0; index < 20; index++) {
                marks.entry(lane << 8, BASE + (index - 2) * 80L * lane, index, index % 3 == 0);
            }
        }
        byte[] sound = marks.toBytes();

        for (int at = 0; at < sound.length; at++) {
            for (int mask : new int[] {1, 0x80, 0xFF, 0x55}) {
                byte[] damaged = sound.clone();
                damaged[at] ^= (byte) mask;
                mustEnd(damaged);
            }
            mustEnd(Arrays.copyOf(sound, at));
        }
    }

    private static void mustEnd(byte[] bytes) {
        try {
            assertThat(of(bytes, 2 << 8).size()).isLessThanOrEqualTo(bytes.length);
        } catch (MalformedException expected) {
            // As good: the block is not found, or the next try has the file that has taken its place.
        }
    }

    private static Map<Long, Long> of(byte[] bytes, long laneId) {
        Map<Long, Long> found = new TreeMap<>();
        LaneMarks.forEach(bytes, laneId, found::put);
        return found;
    }
}
