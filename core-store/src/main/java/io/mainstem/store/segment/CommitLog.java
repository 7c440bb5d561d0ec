package io.mainstem.store.segment;

import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.Throttle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one log: batches, segments, syncs. Knows records, no queues.
 *
 * <p>A MSG frame whose body is above 1 MiB is written by the writer as MSG_PART records (pieces 1 and later of the
 * frame's body, cut at 1 MiB) followed, in its group, by a MSG record with header flag LARGE whose body is
 * {@code u32 partCount, partCount x (u64 lsn, u32 bytes), piece 0 of the frame} (little-endian). The parts
 * are groups of their own, written right before the group that lists them; {@link io.mainstem.store.Frame#parts} tells
 * where they are. They are pinned until that group has been drained: {@link #drainedLsn} does not pass them. The same is
 * done to the MSG frames of a group that would not fit into one batch (4 MiB), and with small segments parts are shorter.
 */
public interface CommitLog {
    /** Record header flag: the record belongs to the same group as the next one. */
    int FLAG_MORE = 1;
    /** Record header flag: an unknown type must stop the reader. */
    int FLAG_MUST_UNDERSTAND = 8;
    /** Record header flag: the body lists MSG_PART records. */
    int FLAG_LARGE = 16;

    // ---- any thread ----

    /**
     * See {@link io.mainstem.store.ShardStore#submit}.
     *
     * @throws IllegalArgumentException if the group can never be written: a record body above 1 MiB that is not a MSG
     *     with pieces, or more than fits into one batch
     */
    void submit(RecordGroup group);

    void submitAll(List<? extends RecordGroup> groups);

    /** See {@link io.mainstem.store.ShardStore#requireWritable}. */
    void requireWritable(List<Frame> frames);

    /** See {@link io.mainstem.store.ShardStore#writeDeferred}. */
    void writeDeferred();

    boolean writable();

    void onWritable(Runnable ready);

    StoreState state();

    String stateReason();

    /**
     * Reads and verifies one record.
     *
     * @param bodyBytesHint expected body length, so that one read suffices; 0 = unknown
     * @return completes on a read thread; fails with LostRecordException (MS-02xx) naming LSN and file if it is damaged or
     *     gone, with anything else if it could not be read this time
     */
    CompletionStage<LogRecord> read(long lsn, int bodyBytesHint);

    /** True if the run before this one has closed the log; a run that was killed may have written nothing and done much. */
    boolean closedBefore();

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
     * @param recordsMax about how many records, those of all groups together
     * @return number of records handed over; 0 only if there is nothing to hand over now
     */
    int drain(DrainedGroups to, int recordsMax);

    /**
     * LSN below which every group has been drained. Always the start of a batch, hence a legal {@code replayFromLsn}:
     * replay from it may bring groups again that were drained, never misses one. Stays put while a batch is only
     * partly drained, and before the parts of a group that is not. Works after {@link #close}.
     */
    long drainedLsn();

    /** All segments, oldest first; the last is the active one. */
    List<SegmentInfo> segments();

    /**
     * Gives up a sealed segment: recycled or removed in the background. The caller has made sure nothing needs it.
     *
     * @return false, and nothing happens, if the segment is not there, is not sealed or ends above {@link #drainedLsn}
     */
    boolean recycle(long baseLsn);

    // ---- compaction thread ----

    /**
     * Copies the records that are still needed of adjacent sealed segments into one file, makes it durable and puts it in
     * their place; no LSN changes. What is left out can never be read again, so the caller has made sure that nothing
     * needs it, judged at a state that is durable. Blocks; one call at a time, and no {@link #recycle} of these
     * segments meanwhile.
     *
     * @param live what to keep; its ends are those of whole sealed segments
     * @throws StoreException MS-0206 if a record that is needed is damaged; nothing has changed then
     * @throws IOException if there is no space, the disk fails or the throttle was cancelled; the old files stay in use
     */
    CompactionResult compact(LiveRecords live, Throttle throttle) throws IOException;

    // ---- any background thread that nobody interrupts ----

    /**
     * Reads sealed segments again, from the disk where possible, and says what does not hold any more. Blocks.
     *
     * @param fromLsn 0, or what the step before said
     * @param bytes about so much
     */
    ScrubStep scrub(long fromLsn, int bytes) throws IOException;

    /**
     * Reads a record of a sealed segment from the disk where possible. Blocks.
     *
     * @return null if it is not there any more, or stands in the active segment
     * @throws io.mainstem.store.DamagedRecordException if it is damaged, a second time
     */
    @Nullable
    LogRecord readAgain(long lsn) throws IOException;

    /**
     * Reads the MSG and MSG_REF records of [fromLsn, toLsn) that are still there, from the disk where possible, in their
     * order. Blocks.
     *
     * @param toLsn not above what has been written
     * @throws IOException also if files were recycled or compacted meanwhile: begin again
     */
    void messages(long fromLsn, long toLsn, MessageScan to) throws IOException;

    /**
     * Copies the sealed file that holds {@code lsn} to {@code log/attic}, once.
     *
     * @return the copy's path, or null if there is no such file any more
     */
    @Nullable
    String keepCopy(long lsn) throws IOException;

    /**
     * Puts what makes up the log now into another folder: sealed files as further names of the same files where the file
     * system can do that, else as copies; of the active one a copy of what is durable. The caller sees to it that no
     * segment is recycled and nothing compacted meanwhile. Blocks.
     *
     * @return bytes in the folder's log
     */
    long snapshotTo(Path storeDirectory) throws IOException;

    /** {@code listener} is told, on a read thread, of LSNs whose record turned out to be damaged. */
    void onDamage(LongConsumer listener);

    // ---- applier thread ----

    /** Recomputes free space and state; called every second and at each roll. */
    void checkDisk();

    /**
     * Waits for everything submitted to be durable, stops the threads, closes files. May block. What has become
     * durable and was not yet drained can still be drained afterwards.
     */
    void close();

    /** Stops without syncing or writing anything more. */
    void abandon();

    /** Receives completed groups. */
    interface DrainedGroups {
        void durable(RecordGroup group);

        /**
         * As {@link #durable}, some of it.
         *
         * @return false if the group is to be handed over again with the next {@link CommitLog#drain}, before any other
         */
        default boolean someDurable(RecordGroup group) {
            durable(group);
            return true;
        }

        void failed(RecordGroup group, StoreState why);
    }

    /** Receives at start, in log order, what the log holds from {@code replayFromLsn} on. */
    @FunctionalInterface
    interface ReplayedGroups {
        /** One complete group without its MSG_PART records. Thread: the one that opens the log. */
        void group(List<LogRecord> records);
    }

    /** One verified record. {@code body} is a fresh heap array. */
    record LogRecord(long lsn, int type, int flags, int epoch, byte[] body) {
        /** True if the body lists MSG_PART records and ends with piece 0 of the message. */
        public boolean isLarge() {
            return (flags & FLAG_LARGE) != 0;
        }
    }

    /**
     * One segment file.
     *
     * @param endLsn base + segment size; of a compacted file, the end of the last segment it stands for
     * @param generation 0 as it was written, else how often its records have been copied
     * @param fileBytes space it takes on disk
     * @param wholeTo the file cannot hold what was written from here on: it is shorter. endLsn if it is as long as it was
     */
    record SegmentInfo(long baseLsn, long endLsn, boolean sealed, int generation, long fileBytes, long wholeTo) {
        /** As long as it was made. */
        public SegmentInfo(long baseLsn, long endLsn, boolean sealed, int generation, long fileBytes) {
            this(baseLsn, endLsn, sealed, generation, fileBytes, endLsn);
        }
    }

    /** LSNs from {@code from}, up to and without {@code to}. */
    record LsnRange(long from, long to) {}

    /**
     * What a step of scrubbing found.
     *
     * @param nextLsn where to go on, or -1 if all sealed segments have been read
     * @param damaged ranges in which at least one record is damaged
     */
    record ScrubStep(long nextLsn, long bytesRead, List<LsnRange> damaged) {}

    /**
     * What a compaction has done.
     *
     * @param bytesBefore size of the files
     * @param bytesAfter size of the one in their place; as before if it was not worth it
     * @param records kept
     * @param done false if hardly anything would have been saved, and nothing has changed
     */
    record CompactionResult(long bytesBefore, long bytesAfter, long records, boolean done) {}

    /** Told what a part of the log still has, in its order. */
    interface MessageScan {
        /** The next record. Nothing is missing before it but where one of the others was called. */
        void record(LogRecord record);

        /**
         * Records may be missing between what was told before and what comes.
         *
         * @param needed some that are needed may be among them: they are damaged
         */
        void gap(boolean needed);

        /**
         * Up to the next gap records come that compaction has left, and any may be missing between them.
         *
         * @param withMarks of what was waiting then all have their marks
         */
        void compacted(boolean withMarks, MarksOfLanes marks);
    }

    /** What compaction has kept of lanes. */
    @FunctionalInterface
    interface MarksOfLanes {
        /** Tells those of one lane. */
        void forEach(long laneId, LaneMarks.Visitor to);
    }
}
