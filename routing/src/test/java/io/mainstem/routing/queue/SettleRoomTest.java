package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import io.mainstem.store.Frames;
import io.mainstem.store.Settlement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one SETTLE record takes. */
final class SettleRoomTest {
    private static final long SEGMENT_BYTES = 1L << 40;

    private static Entry entry(long index, int mebibytes) {
        int flags = mebibytes == 0 ? 0 : Entry.FLAG_LARGE | mebibytes << Entry.PART_STEPS_SHIFT;
        // Far apart, out of order: numbers are long when written as differences.
        long lsn = SEGMENT_BYTES + (index + 1) * ((mebibytes + 1L) << 20);
        return new Entry(index * 1000, lsn, 1000, flags, 1, 0, 0);
    }

    @ParameterizedTest(name = "messages of {0} MiB")
    @ValueSource(ints = {0, 1, 16, 256, Entry.PART_STEPS_MAX})
    void asManyAsFitMakeARecordThatIsNotTooLarge(int mebibytes) {
        SettleRoom room = new SettleRoom();
        List<Settlement> settlements = new ArrayList<>();
        for (Entry next = entry(0, mebibytes); room.fits(next); next = entry(settlements.size(), mebibytes)) {
            room.add(next);
            settlements.add(new Settlement(256, next, Settlement.Kind.ACK));
        }

        assertThat(Frames.settle(settlements)).isNotNull();
        assertThat(settlements.size()).isBetween(1, 8192);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, Entry.PART_STEPS_MAX})
    void anEmptyRecordTakesAnyMessage(int mebibytes) {
        SettleRoom room = new SettleRoom();
        room.add(entry(0, Entry.PART_STEPS_MAX));
        room.add(entry(1, Entry.PART_STEPS_MAX));
        assertThat(room.fits(entry(2, mebibytes))).isFalse();

        room.clear();

        assertThat(room.fits(entry(2, mebibytes))).isTrue();
    }
}
