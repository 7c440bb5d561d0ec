package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which of the entries that the log still has are those of a block. */
@DisplayName("ADR 0050: a block is written anew only if it is certain which entry is which")
final class LostBlockTest {
    private static final long FIRST = 254;
    private static final long ABOVE = FIRST + Block.ENTRIES;

    @Test
    @DisplayName("at a queue's head what has been consumed need not be found")
    void whatIsBelowTheFloorIsNotNeeded() {
        long floor = FIRST + 40;

        long[] words = words(floor, null, found(index -> index >= FIRST + 30), 0, false);

        assertThat(words).isNotNull();
        for (long index = floor; index < ABOVE; index++) {
            assertThat(EntryWords.get(words, (int) (index - FIRST), index)).isEqualTo(entryAt(index));
        }
    }

    @Test
    @DisplayName("counting from the end is trusted only where nothing can be missing")
    void notCountedAcrossWhatMayBeMissing() {
        List<Entry> found = found(index -> index != FIRST + 60);

        assertThat(words(FIRST, null, found, entryAt(FIRST + 70).lsn(), true)).isNull();
    }

    @Test
    @DisplayName("those that wait are never missing, unless the log is damaged")
    void whatWaitsIsTrustedInASoundLogOnly() {
        IndexSet acked = new IndexSet(FIRST);
        acked.addRange(FIRST + 1, ABOVE);
        List<Entry> found = List.of(entryAt(FIRST));

        assertThat(words(FIRST, acked, found, Long.MAX_VALUE, false)).isNotNull();
        // It might be one of those that have been settled, and the one that waits be lost.
        assertThat(words(FIRST, acked, found, Long.MAX_VALUE, true)).isNull();
    }

    private static long[] words(long floor, IndexSet acked, List<Entry> found, long wholeFromLsn, boolean damaged) {
        LostBlock.Around around = new LostBlock.Around(
                List.of(), List.of(), ABOVE, entryAt(ABOVE), entryAt(ABOVE).lsn(), 0, floor, acked);
        LostBlock block = new LostBlock(1 << 8, FIRST, 1L << 32, "", around);
        LostBlock.Bounds bounds =
                new LostBlock.Bounds(-1, 0, ABOVE, entryAt(ABOVE).lsn());
        return block.words(bounds, found, wholeFromLsn, damaged);
    }

    private static List<Entry> found(LongPredicate there) {
        List<Entry> found = new ArrayList<>();
        for (long index = 0; index < ABOVE; index++) {
            if (there.test(index)) {
                found.add(entryAt(index));
            }
        }
        return found;
    }

    private static Entry entryAt(long index) {
        return new Entry(index, 64 + index * 512, 100, 0, 1, index, 0);
    }
}
