package io.mainstem.store.view;

import io.mainstem.store.Entry;

/**
 * A block of a lane that cannot be read, with what its lane knows of where its entries were made: the entries of a lane stand
 * in the order of the log. Immutable. Thread: made by the shard, used on any.
 */
public final class LostBlock {
    /** In place of an index. */
    static final long NOT_KNOWN = -1;

    private final long laneId;
    private final long firstIndex;
    private final long position;
    private final String problem;
    private final Around around;

    /**
     * What its lane knows.
     *
     * @param gathered indexes do not follow from the log, see {@link Lanes#markGathered}
     * @param waiting which entries of the lane are not settled
     */
    record Around(Range range, boolean gathered, Waiting waiting) {}

    /**
     * A stretch of the log that made a stretch of the lane; of this block alone, unless a checkpoint of an earlier build told
     * less.
     *
     * @param fromIndex of the first entry made there, or {@link #NOT_KNOWN}
     * @param toIndex behind the last one
     */
    public record Range(long fromIndex, long fromLsn, long toIndex, long toLsn) {}

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

    /** Where to look for its entries. */
    public Range range() {
        return around.range;
    }

    /** LSN of the record that has made an entry. */
    public static long madeAt(Entry entry) {
        return entry.isRef() ? entry.aux() : entry.lsn();
    }

    boolean gathered() {
        return around.gathered;
    }

    boolean has(long index) {
        return index >= firstIndex && index < firstIndex + Block.ENTRIES;
    }

    /** True if that entry is not settled. */
    boolean waits(long index) {
        return around.waiting.contains(index);
    }

    /** The first index at or behind {@code index} that is not below the floor. */
    long notBelowFloor(long index) {
        return Math.max(index, around.waiting.floor());
    }
}
