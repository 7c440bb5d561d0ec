package io.mainstem.store;

/**
 * Ack state of one lane for competing consumers [L-6]. Thread: shard only.
 *
 * <p>An entry is <em>ready</em>, <em>taken</em> (in flight, memory only) or <em>settled</em> (by an applied SETTLE
 * record). After a crash taken entries are ready again and flagged redelivered.
 */
public interface Cursor {
    /** All entries below are settled. */
    long floor();

    /** Number of ready entries. */
    long ready();

    /** Number of entries not settled. */
    long unsettled();

    /** Lowest ready index (given-back ones come first because they are lower), or -1. */
    long next();

    /** Lowest ready index >= {@code from}, or -1. */
    long nextFrom(long from);

    /** Marks a ready entry as taken. */
    void take(long index);

    /** Makes a taken entry ready again at its old position. */
    void giveBack(long index);

    /** As {@link #giveBack}, but whoever had it says that nobody has seen it: that is remembered until the next stop. */
    void giveBackUnseen(long index);

    /** True if the entry was given back, by all who had it as one that nobody has seen. */
    boolean unseen(long index);

    /** Failed deliveries so far, from applied RELEASE records. */
    int failedCount(long index);

    /** True if the entry may have been delivered before the last restart or was given back since. */
    boolean redelivered(long index);

    /** True if the entry is settled. */
    boolean settled(long index);
}
