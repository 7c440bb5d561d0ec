package io.mainstem.store.view;

import io.mainstem.store.Entry;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A block of a lane that cannot be read, with what its lane knows of where its entries must be: between those before and
 * behind it, in the order of the log. Immutable. Thread: made by the shard, used on any.
 */
public final class LostBlock {
    private final long laneId;
    private final long firstIndex;
    private final long position;
    private final String problem;
    private final Around around;

    /**
     * What stands around it.
     *
     * @param below blocks before it, the nearest first
     * @param above blocks behind it, the nearest first
     * @param tailFirst index of the first entry in memory
     * @param tail it, if there is one
     * @param appliedLsn of the last record folded into the lane
     * @param lowestLsn no unsettled entry of the lane needs anything before it
     */
    record Around(
            List<Neighbour> below,
            List<Neighbour> above,
            long tailFirst,
            @Nullable Entry tail,
            long appliedLsn,
            long lowestLsn,
            long floor,
            @Nullable IndexSet acked) {}

    /** @param words if they are in memory */
    record Neighbour(long position, long firstIndex, long @Nullable [] words) {}

    /**
     * Between what its entries are.
     *
     * @param belowIndex of the nearest entry before it that is known, or -1
     * @param fromLsn records of all entries behind that one stand here or later
     * @param aboveIndex of the nearest entry behind it that is known, or the end of the lane
     * @param toLsn records of all entries before that one stand before
     */
    public record Bounds(long belowIndex, long fromLsn, long aboveIndex, long toLsn) {}

    LostBlock(long laneId, long firstIndex, long position, String problem, Around around) {
        this.laneId = laneId;
        this.firstIndex = firstIndex;
        this.position = position;
        this.problem = problem;
        this.around = around;
    }

    public long laneId() {
        return laneId;
    }

    public long firstIndex() {
        return firstIndex;
    }

    /** Where it should be. */
    public long position() {
        return position;
    }

    /** Why it cannot be read. */
    public String problem() {
        return problem;
    }

    /** LSN of the record that has made an entry. */
    public static long madeAt(Entry entry) {
        return entry.isRef() ? entry.aux() : entry.lsn();
    }

    /** Looks at the neighbours. Blocks. */
    public Bounds bounds(ViewFiles view) {
        Entry below = nearest(view, around.below, Block.ENTRIES - 1, -1);
        Entry above = nearest(view, around.above, 0, 1);
        above = above == null ? around.tail : above;
        return new Bounds(
                below == null ? -1 : below.index(),
                below == null ? around.lowestLsn : madeAt(below) + 1,
                above == null ? around.tailFirst : above.index(),
                above == null ? around.appliedLsn + 1 : madeAt(above));
    }

    private @Nullable Entry nearest(ViewFiles view, List<Neighbour> blocks, int fromSlot, int step) {
        for (Neighbour block : blocks) {
            try {
                long[] words = block.words == null ? view.read(block.position, laneId, block.firstIndex) : block.words;
                for (int slot = fromSlot; slot >= 0 && slot < Block.ENTRIES; slot += step) {
                    Entry entry = EntryWords.get(words, slot, block.firstIndex + slot);
                    if (entry.lsn() != 0) {
                        return entry;
                    }
                }
            } catch (IOException | IllegalStateException unreadable) {
                // The one behind it will do.
            }
        }
        return null;
    }

    /**
     * The block, if it is certain which of its entries are which. Settled entries that the log does not have any more are
     * left blank, LSN 0.
     *
     * @param found what records within the bounds have appended to the lane, in the order of the log
     * @param wholeFromLsn from here on nothing that was written there is missing in {@code found}
     * @param damaged something that waits may be missing before
     * @return null if it is not certain
     */
    public long @Nullable [] words(Bounds bounds, List<Entry> found, long wholeFromLsn, boolean damaged) {
        long firstFound = bounds.aboveIndex - found.size();
        // Nobody needs what is settled from the lane's beginning on.
        long needed = Math.max(firstIndex, around.floor);
        boolean all = bounds.belowIndex >= 0 && firstFound == bounds.belowIndex + 1;
        boolean enough = firstFound <= needed && madeAt(found.get((int) (needed - firstFound))) >= wholeFromLsn;
        if (!all && !enough) {
            return damaged ? null : ofUnsettled(bounds, found);
        }
        long[] words = blank();
        for (long index = all ? firstIndex : needed; index < firstIndex + Block.ENTRIES; index++) {
            EntryWords.put(words, (int) (index - firstIndex), found.get((int) (index - firstFound)));
        }
        return words;
    }

    /** Those that wait are missing only where the log is damaged: if there are as many, they are these. */
    private long @Nullable [] ofUnsettled(Bounds bounds, List<Entry> found) {
        long[] words = blank();
        int next = 0;
        for (long index = Math.max(bounds.belowIndex + 1, around.floor); index < bounds.aboveIndex; index++) {
            if (around.acked == null || !around.acked.contains(index)) {
                if (next == found.size()) {
                    return null;
                }
                if (index >= firstIndex && index < firstIndex + Block.ENTRIES) {
                    EntryWords.put(words, (int) (index - firstIndex), found.get(next));
                }
                next++;
            }
        }
        return next == found.size() ? words : null;
    }

    private static long[] blank() {
        long[] words = new long[Block.WORDS];
        for (int slot = 0; slot < Block.ENTRIES; slot++) {
            EntryWords.put(words, slot, new Entry(0, 0, 0, 0, 1, 0, 0));
        }
        return words;
    }
}
