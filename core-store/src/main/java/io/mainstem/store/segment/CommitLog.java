package io.mainstem.store.segment;

import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The bytes of one log: batches, segments, syncs. Knows records, no queues.
 *
 * <p>A MSG frame whose body is above 1 MiB is written by the writer as MSG_PART records (pieces 1 and later of the
 * frame's body, cut at 1 MiB) followed, in its group, by a MSG record with header flag LARGE whose body is
 * {@code u32 partCount, partCount x (u64 lsn, u32 bytes), piece 0 of the frame}. Parts are pinned from writing until the group
 * that lists them has been drained.
 */
public interface CommitLog {
    // ---- any thread ----

    /** See {@link io.mainstem.store.ShardStore#submit}. */
    void submit(RecordGroup group);

    void submitAll(List<? extends RecordGroup> groups);

    boolean writable();

    void onWritable(Runnable ready);

    StoreState state();

    String stateReason();

    /**
     * Reads and verifies one record.
     *
     * @param bodyBytesHint expected body length, so that one read suffices; 0 = unknown
     * @return completes on a read thread; fails with StoreException (MS-02xx) naming LSN and file if it is damaged or
     *     gone
     */
    CompletionStage<LogRecord> read(long lsn, int bodyBytesHint);

    /** Lowest LSN still there. */
    long startLsn();

    /** End of what has been written. */
    long writtenLsn();

    /** Everything below is durable. */
    long syncedLsn();

    // ---- applier thread ----

    /** {@code wake} is called from log threads when {@link #drain} has work. */
    void attach(Runnable wake);

    /**
     * Hands over completed groups in log order: durable per their durability (frames carry their LSNs), or failed.
     *
     * @return number of groups handed over
     */
    int drain(DrainedGroups to, int groupsMax);

    /** LSN below which every group has been drained. */
    long drainedLsn();

    /** All segments, oldest first; the last is the active one. */
    List<SegmentInfo> segments();

    /** Gives up a sealed segment: recycled or removed. The caller has made sure nothing needs it. */
    void recycle(long baseLsn);

    /** Recomputes free space and state; called every second and at each roll. */
    void checkDisk();

    /** Waits for everything submitted to be durable, stops the threads, closes files. May block. */
    void close();

    /** Stops without syncing or writing anything more. */
    void abandon();

    /** Receives completed groups. */
    interface DrainedGroups {
        void durable(RecordGroup group);

        void failed(RecordGroup group, StoreState why);
    }

    /** One verified record. {@code body} is a fresh heap array. */
    record LogRecord(long lsn, int type, int flags, int epoch, byte[] body) {}

    /** One segment file. {@code endLsn} = base + segment size. */
    record SegmentInfo(long baseLsn, long endLsn, boolean sealed) {}
}
