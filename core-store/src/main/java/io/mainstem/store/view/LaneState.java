package io.mainstem.store.view;

import org.jspecify.annotations.Nullable;

/**
 * A lane as it was at one moment. Making one costs a reference for each page of what the lane keeps, never a walk through its
 * entries; what it is wanted for (an image, compaction, an audit) is done with it bit by bit, or on another thread.
 * Immutable.
 *
 * @param appliedLsn of the last record folded into it
 * @param refs what its unsettled entries hold of the log
 */
record LaneState(long laneId, long appliedLsn, Acks acks, Entries entries, SegmentRefs refs) {
    /**
     * What is settled.
     *
     * @param waiting is not
     * @param deliveredBelow {@link LaneCursor#deliveredBelow}
     * @param failed deliveries, by entry
     */
    record Acks(
            Waiting waiting, long deliveredBelow, @Nullable FailureCounts failed) {}

    /**
     * Where the entries are.
     *
     * @param tail words of those from {@code tailFirst} on
     * @param gatheredEnd see {@link LaneView#gathered}
     */
    record Entries(BlockDirectory blocks, long tailFirst, long[] tail, long gatheredEnd) {
        int tailSize() {
            return tail.length / EntryWords.PER_ENTRY;
        }

        /** Index of the next entry to come. */
        long nextIndex() {
            return tailFirst + tailSize();
        }
    }
}
