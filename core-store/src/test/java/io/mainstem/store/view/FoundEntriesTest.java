package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which of the entries that the log still has are those of a block. */
@DisplayName("ADR 0050, 0057: a block is written anew only if it is certain which entry is which")
final class FoundEntriesTest {
    private static final long FIRST = 254;
    private static final long END = FIRST + Block.ENTRIES;

    /** Blocks know what was settled at the moment when they were found damaged; here it is shared. */
    private final Waiting waiting = new Waiting(FIRST);

    private FoundEntries found;

    @BeforeEach
    void nothingFound() {
        found = search(false);
    }

    @Test
    @DisplayName("what has not been compacted is counted from the front")
    void nothingIsMissing() {
        add(FIRST, END);

        mustHold(found.words(), index -> true);
    }

    @Test
    @DisplayName("or from the end, if its beginning is gone: at a queue's head that was consumed")
    void whatIsBelowTheFloorIsNotNeeded() {
        settle(FIRST, FIRST + 40);
        found.gap(false);
        add(FIRST + 30, END);

        mustHold(found.words(), index -> index >= FIRST + 30);
    }

    @Test
    @DisplayName(
            "where compaction has dropped some, those that waited have their marks, though some were settled since")
    void compactedWithMarks() {
        settle(FIRST + 10, FIRST + 20);
        add(FIRST, FIRST + 5);
        compacted(FIRST + 7, FIRST + 12, FIRST + 60);
        add(END - 5, END);
        settle(FIRST + 5, FIRST + 7);
        settle(FIRST + 8, FIRST + 60);
        settle(FIRST + 61, END - 5);

        mustHold(found.words(), index -> index < FIRST + 5 || index == FIRST + 7 || index == FIRST + 60);
    }

    @Test
    @DisplayName("a part between two that were compacted is placed by the mark of its first entry")
    void runBetweenCompactedParts() {
        settle(FIRST, FIRST + 50);
        settle(FIRST + 60, END);
        compacted(FIRST + 3);
        found.mark(lsn(FIRST + 45), FIRST + 45);
        add(FIRST + 45, FIRST + 70);
        compacted(FIRST + 100);

        mustHold(found.words(), index -> index >= FIRST + 50 && index < FIRST + 60);
    }

    @Test
    @DisplayName("without a mark it has no place, unless as many wait as are there")
    void runWithoutPlace() {
        settle(FIRST, FIRST + 50);
        settle(FIRST + 60, END);
        compacted();
        add(FIRST + 45, FIRST + 70);
        compacted();
        assertThat(found.words()).isNull();

        found = search(false);
        compacted();
        add(FIRST + 50, FIRST + 60);
        compacted();
        mustHold(found.words(), index -> index >= FIRST + 50 && index < FIRST + 60);
    }

    @Test
    @DisplayName("records that compaction has kept for other queues are left out")
    void keptForOthers() {
        settle(FIRST, FIRST + 126);
        found.compacted(true);
        found.mark(lsn(FIRST + 126), FIRST + 126);
        add(FIRST + 3, FIRST + 4);
        add(FIRST + 126, FIRST + 127);
        found.gap(false);

        mustHold(found.words(), index -> index == FIRST + 126);
    }

    @Test
    @DisplayName("what waits may be missing where the log is damaged: then as many is not enough")
    void damaged() {
        settle(FIRST + 1, END);
        found.gap(true);
        add(FIRST + 4, FIRST + 5);
        found.gap(false);

        // It might be one of those that have been settled, and the one that waits be lost.
        assertThat(found.words()).isNull();
    }

    @Test
    @DisplayName("damage in the middle leaves both sides their places, and is no matter if all between is settled")
    void damagedInTheMiddle() {
        add(FIRST, FIRST + 60);
        found.gap(true);
        add(FIRST + 61, END);
        assertThat(found.words()).isNull();

        settle(FIRST + 60, FIRST + 61);
        found = search(false);
        add(FIRST, FIRST + 60);
        found.gap(true);
        add(FIRST + 61, END);
        mustHold(found.words(), index -> index != FIRST + 60);
    }

    @Test
    @DisplayName("what contradicts itself is not certain")
    void contradiction() {
        add(FIRST, END - 1);

        assertThat(found.words()).isNull();
    }

    @Test
    @DisplayName("after salvage the log has records of others between: neither counting nor marks hold")
    void gathered() {
        settle(FIRST + 20, END);
        found = search(true);
        add(FIRST, END);
        found.mark(lsn(FIRST + 30), FIRST);
        assertThat(found.words()).isNull();

        found = search(true);
        add(FIRST, FIRST + 20);
        mustHold(found.words(), index -> index < FIRST + 20);
    }

    @Test
    @DisplayName(
            "in a checkpoint of an earlier build, which does not tell where blocks begin, they are counted from the end")
    void beginningNotKnown() {
        found = new FoundEntries(block(new LostBlock.Range(LostBlock.NOT_KNOWN, 0, END, lsn(END)), false));
        add(100, END);

        mustHold(found.words(), index -> true);
    }

    private FoundEntries search(boolean gathered) {
        return new FoundEntries(block(new LostBlock.Range(FIRST, lsn(FIRST), END, lsn(END)), gathered));
    }

    private LostBlock block(LostBlock.Range range, boolean gathered) {
        return new LostBlock(1 << 8, FIRST, 1L << 32, "", new LostBlock.Around(range, gathered, waiting));
    }

    private void add(long from, long to) {
        for (long index = from; index < to; index++) {
            found.add(entryAt(index));
        }
    }

    private void compacted(long... waited) {
        found.compacted(true);
        for (long index : waited) {
            found.mark(lsn(index), index);
        }
        for (long index : waited) {
            found.add(entryAt(index));
        }
        found.gap(false);
    }

    private void settle(long from, long to) {
        waiting.settle(from, to);
    }

    private void mustHold(long[] words, LongPredicate there) {
        assertThat(words).isNotNull();
        for (long index = FIRST; index < END; index++) {
            Entry entry = EntryWords.get(words, (int) (index - FIRST), index);
            boolean waits = waiting.contains(index);
            if (there.test(index) && (waits || entry.lsn() != 0)) {
                assertThat(entry).isEqualTo(entryAt(index));
            }
            assertThat(waits && entry.lsn() == 0)
                    .as("waits and is blank: " + index)
                    .isFalse();
        }
    }

    private static long lsn(long index) {
        return 64 + index * 512;
    }

    private static Entry entryAt(long index) {
        return new Entry(index, lsn(index), 100, 0, 1, index, 0);
    }
}
