package io.mainstem.store;

import io.mainstem.store.spool.Spool;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * One log with everything that is folded from it: lanes, cursors, metadata. State = fold(records); live and replay use
 * the same fold.
 *
 * <p>Thread: methods say who may call them. The shard thread owns all folded state: it calls {@link #poll} in its
 * loop, and nothing here ever runs on another thread except the log's own writing, syncing and reading.
 */
public interface ShardStore extends AutoCloseable {
    /** Largest body of one record; messages above it are stored in parts, which the store does by itself. */
    int RECORD_BODY_BYTES_MAX = 1 << 20;

    // ---- any thread ------------------------------------------------------------------------------------------

    /**
     * Hands a group to the log. Never blocks; calls from one thread keep their order. After {@link #close} or a
     * failure the group's {@code onFailed} is still called, on the shard thread.
     */
    void submit(RecordGroup group);

    /**
     * Submits several groups in order with one wake-up of the writer: all of them, or none if it throws.
     *
     * @param groups read before the call returns
     */
    void submitAll(List<? extends RecordGroup> groups);

    /**
     * Whether frames may become a group, to be asked where it can still be answered.
     *
     * @throws IllegalArgumentException with the sizes, if such a group could never be written
     */
    void requireWritable(List<Frame> frames);

    /** Has groups written that are {@link Durability#DEFERRED} and were submitted before: nothing came to ride with. */
    void writeDeferred();

    /** False while publishers should hold back: in-flight bytes above budget, or {@link #state} is not RUNNING. */
    boolean writable();

    /** Calls {@code ready} once, on any thread, as soon as {@link #writable} is true (maybe at once). */
    void onWritable(Runnable ready);

    StoreState state();

    /** Why {@link #state} is not RUNNING, for people; empty when it is. */
    String stateReason();

    /**
     * Reads a message back: log, parts and MSG_REF, checksums verified.
     *
     * @return completes on a read thread; fails with {@link LostRecordException} if the record is damaged or not in the
     *     log, with anything else if it could not be read this time
     */
    CompletionStage<StoredMessage> read(Entry entry);

    /**
     * Makes a copy of the store, which opens as this one would after a power cut some moment after the call; work goes on
     * meanwhile. Sealed files are shared with it where the file system can do that.
     *
     * @param target an empty folder, or none yet
     * @return completes on the shard thread with the bytes of the log in it; fails with the cause, and may leave some files
     */
    CompletionStage<Long> snapshot(Path target);

    /** Highest LSN known durable. */
    long syncedLsn();

    /** Scratch space beside the log, for messages that need not survive a restart; closed with the store. */
    Spool spool();

    // ---- shard thread ----------------------------------------------------------------------------------------

    /**
     * Names the shard: {@code wake} is called from log threads, cheaply and often, whenever {@link #poll} has work.
     * To be called once before the first submit.
     */
    void attach(Runnable wake);

    /**
     * Folds groups that have become durable, in log order, calling each group's {@code onApplied}; runs finished
     * fetches; calls {@code onFailed} of failed groups.
     *
     * @param recordsMax of the log, about; a larger group is folded and applied piece by piece
     * @return number of things done, 0 = nothing to do
     */
    int poll(int recordsMax);

    /**
     * Does a slice (at most about 2 ms) of background work such as a fuzzy checkpoint, and looks at the free space once a
     * second; to be called at least that often.
     *
     * @param nowMs wall clock
     * @return true if there is more to do now
     */
    boolean backgroundSlice(long nowMs);

    /**
     * Tells what queues are called, for what is logged of them.
     *
     * @param names of a queue's id; null = not known
     */
    void nameQueues(IntFunction<@Nullable String> names);

    /** The lane, or null if it holds nothing and never did. */
    @Nullable
    Lane lane(long laneId);

    /** All lanes of the store that hold at least one unsettled entry; order unspecified. */
    Iterable<? extends Lane> lanes();

    /** The metadata image as of the last applied group; read-only. */
    NavigableMap<String, byte[]> meta();

    /** Asks for a checkpoint as soon as possible; completes on the shard thread when it is durable. */
    CompletionStage<Void> checkpoint();

    /**
     * Stops: waits for pending groups to become durable and folded, writes the final checkpoint, releases the lock.
     * Called on the shard thread (which must not call {@link #poll} again); may block. Idempotent.
     */
    @Override
    void close();

    /** Leaves at once as a crash would: no checkpoint, nothing synced. For tests and for a second stop signal. */
    void abandon();
}
