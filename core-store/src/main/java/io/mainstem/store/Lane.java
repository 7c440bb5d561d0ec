package io.mainstem.store;

import org.jspecify.annotations.Nullable;

/** A queue's entries of one priority, oldest first: an array that grows at its end. Thread: shard only. */
public interface Lane {
    /** {@code queueId << 8 | priority}. */
    long laneId();

    /** Lowest index still held. */
    long firstIndex();

    /** Index the next entry will get. */
    long nextIndex();

    /**
     * The entry, or null if its block is on disk only; then {@link #fetch} brings it.
     *
     * @throws IndexOutOfBoundsException if the index is not in [firstIndex, nextIndex), and maybe if it is settled
     */
    @Nullable
    Entry entry(long index);

    /**
     * Starts to read the block of {@code index} (and a few that follow) into memory; the shard is woken and
     * {@code whenResident} runs on the shard thread in a later {@link ShardStore#poll}. Several calls for one block
     * make one read.
     */
    void fetch(long index, Runnable whenResident);

    /** Bytes of the log that unsettled entries hold; of a message in several lanes, this one's share. */
    long bytes();

    /** The ack state of this lane's consumers. */
    Cursor cursor();
}
