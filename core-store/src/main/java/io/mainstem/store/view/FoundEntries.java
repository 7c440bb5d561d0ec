package io.mainstem.store.view;

import io.mainstem.store.Entry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the log still has of the entries of a block that cannot be read, and which of them is which. It is told, in the order
 * of the log, what records of the block's range appended to its lane.
 *
 * <p>Where nothing is missing, entries follow one another: such a run has its place as soon as the place of one of them is
 * known, by the ends of the range or by a mark that compaction left. What compaction has dropped was settled. What waits is
 * never missing unless the log is damaged: so where as many entries have no place as wait without one, these are they.
 *
 * <p>Thread: one.
 */
public final class FoundEntries {
    /** Reached only where the checkpoint of an earlier build did not tell where blocks begin. */
    private static final int UNPLACED_MAX = 1 << 20;

    private final LostBlock block;
    private final LostBlock.Range range;
    private final List<Run> runs = new ArrayList<>();
    private final Map<Long, Long> marked = new HashMap<>();
    private @Nullable Run run;
    private boolean atStart = true;
    private boolean single;
    private boolean dropUnmarked;
    private boolean damaged;
    private int unplaced;

    public FoundEntries(LostBlock block) {
        this.block = block;
        this.range = block.range();
    }

    /** Entries that follow one another without a gap. */
    private static final class Run {
        private long first;
        private long count;
        private final List<Entry> entries = new ArrayList<>();

        private Run(long first) {
            this.first = first;
        }

        private boolean placed() {
            return first != LostBlock.NOT_KNOWN;
        }
    }

    /** The next entry. */
    public void add(Entry entry) {
        if (single) {
            Long index = marked.get(LostBlock.madeAt(entry));
            if (index == null && dropUnmarked) {
                return;
            }
            append(begin(index == null ? LostBlock.NOT_KNOWN : index), entry);
            run = null;
        } else {
            if (run == null) {
                run = begin(atStart && !block.gathered() ? range.fromIndex() : LostBlock.NOT_KNOWN);
            }
            append(run, entry);
        }
        atStart = false;
    }

    private Run begin(long first) {
        Run begun = new Run(first);
        runs.add(begun);
        return begun;
    }

    private void append(Run to, Entry entry) {
        if (!to.placed() || block.has(to.first + to.count)) {
            to.entries.add(entry);
            unplaced += to.placed() ? 0 : 1;
        }
        to.count++;
    }

    /**
     * Entries may be missing between what was told before and what comes.
     *
     * @param needed some that wait may be among them
     */
    public void gap(boolean needed) {
        damaged |= needed;
        run = null;
        atStart = false;
        single = false;
    }

    /** Up to the next gap entries come that compaction has left; any may be missing between them. */
    public void compacted(boolean withMarks) {
        gap(false);
        single = true;
        dropUnmarked = withMarks && !block.gathered();
    }

    /** The entry of the block's lane that the record at {@code lsn} made has this index, whatever happened since. */
    public void mark(long lsn, long index) {
        if (lsn >= range.fromLsn() && lsn < range.toLsn() && !block.gathered()) {
            marked.put(lsn, index);
        }
    }

    /** True if more was found than is worth keeping: it will not be certain which is which. */
    public boolean tooMany() {
        return unplaced > UNPLACED_MAX;
    }

    /**
     * The block; settled entries that the log does not have any more, or that are not certain, are left blank, LSN 0.
     *
     * @return null if it is not certain of all that wait which they are
     */
    public long @Nullable [] words() {
        if (tooMany() || !placeRuns()) {
            return null;
        }
        long[] words = blank();
        long at = range.fromIndex();
        List<Entry> loose = new ArrayList<>();
        for (Run each : runs) {
            if (!each.placed()) {
                loose.addAll(each.entries);
                continue;
            }
            if (each.first < at || !fill(at, each.first, loose, words)) {
                return null;
            }
            loose.clear();
            boolean all = each.entries.size() == each.count;
            long from = all ? each.first : Math.max(each.first, block.firstIndex());
            for (int i = 0; i < each.entries.size(); i++) {
                put(words, from + i, each.entries.get(i));
            }
            at = each.first + each.count;
        }
        return at <= range.toIndex() && fill(at, range.toIndex(), loose, words) ? words : null;
    }

    /** False if what is known contradicts itself. */
    private boolean placeRuns() {
        for (Run each : runs) {
            for (int i = 0; i < each.entries.size() && !each.placed(); i++) {
                Long index = marked.get(LostBlock.madeAt(each.entries.get(i)));
                each.first = index == null ? LostBlock.NOT_KNOWN : index - i;
            }
        }
        if (run == null || block.gathered()) {
            return true;
        }
        long first = range.toIndex() - run.count;
        boolean fits = !run.placed() || run.first == first;
        run.first = first;
        return fits;
    }

    /** What has no place between two that have: certain only if there are as many as wait. False if it is not. */
    private boolean fill(long from, long to, List<Entry> loose, long[] words) {
        int next = 0;
        boolean needed = false;
        for (long index = block.notBelowFloor(from); index < to; index++) {
            if (block.waits(index)) {
                needed |= block.has(index);
                if (next < loose.size()) {
                    put(words, index, loose.get(next));
                }
                next++;
            }
        }
        return !needed || (next == loose.size() && !damaged);
    }

    private void put(long[] words, long index, Entry entry) {
        if (block.has(index)) {
            EntryWords.put(words, (int) (index - block.firstIndex()), entry);
        }
    }

    private static long[] blank() {
        long[] words = new long[Block.WORDS];
        for (int slot = 0; slot < Block.ENTRIES; slot++) {
            EntryWords.put(words, slot, new Entry(0, 0, 0, 0, 1, 0, 0));
        }
        return words;
    }
}
