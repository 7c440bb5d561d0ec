package io.mainstem.store.segment;

import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Takes groups from all threads, lays them out in batches and writes each batch with one call.
 *
 * <p>A batch closes when the queue is empty, or it is full; nobody waits for more to come: while one sync runs the next
 * batch gathers by itself. If nothing else is pending the writer syncs on its own thread, which saves two wake-ups for a
 * lone message; else the sync thread works while up to four batches are written ahead.
 *
 * <p>Thread: {@link #step} by the writer thread (or a test in its place), {@link #submit} by any.
 */
final class BatchWriter implements LogWorker.Steps {
    private static final int BATCHES_AHEAD = 4;
    private static final long BYTES_AHEAD = 16L << 20;

    private final LogLayout layout;
    private final SegmentTable table;
    private final Preallocator preallocator;
    private final Syncer syncer;
    private final CompletionQueue completions;
    private final LogHealth health;
    private final InstantSource clock;
    private final Convoy convoy;
    private final Wakers wakers;
    private final int epoch;
    private final BatchBuilder batch;
    private final SubmittedGroups queue = new SubmittedGroups();
    private final long[] unsynced = new long[BATCHES_AHEAD];
    private int unsyncedAt;
    private @Nullable RecordGroup carry;
    private @Nullable LargeGroup large;
    private long carryBytes;
    private Segment active;
    private long position;
    private long lastTimeMs;
    private volatile long lastBatchLsn;
    private volatile long lastBatchIndex;
    private volatile boolean waits;

    /**
     * Whom the writer wakes.
     *
     * @param unsynced the keeper, to see to a sync soon
     */
    record Wakers(Runnable sync, Runnable keeper, Runnable unsynced, Runnable applier) {}

    /** What the writer works with. */
    record Parts(
            SegmentTable table,
            Preallocator preallocator,
            Syncer syncer,
            CompletionQueue completions,
            LogHealth health,
            InstantSource clock,
            Convoy convoy,
            Wakers wakers) {}

    BatchWriter(Parts parts, LogLayout layout, UUID store, LogTail tail) {
        this.layout = layout;
        this.table = parts.table();
        this.preallocator = parts.preallocator();
        this.syncer = parts.syncer();
        this.completions = parts.completions();
        this.health = parts.health();
        this.clock = parts.clock();
        this.convoy = parts.convoy();
        this.wakers = parts.wakers();
        this.epoch = tail.epoch();
        this.batch = new BatchBuilder(layout, store);
        this.active = table.active();
        this.position = tail.lsn();
        this.lastBatchLsn = tail.lastBatchLsn();
        this.lastBatchIndex = tail.lastBatchIndex();
    }

    // ---- any thread ------------------------------------------------------------------------------------------

    /** @throws IllegalArgumentException see {@link CommitLog#submit} */
    void check(RecordGroup group) {
        LargeGroup.checkWritable(group, layout);
    }

    /** @param group that was checked */
    void submit(RecordGroup group) {
        completions.reserve(group);
        queue.add(group);
    }

    /** Groups that are deferred shall be written now; the writer has to be woken. */
    void writeDeferred() {
        queue.askForDeferred();
    }

    /**
     * True while submitting need not wake the writer: only the sync or keeper thread can get it going, or it waits for
     * more.
     */
    boolean waits() {
        return waits || convoy.awaits(queue.size() + 1);
    }

    /** True while only the sync or keeper thread can get the writer going. */
    boolean waitsForSync() {
        return waits;
    }

    long lastBatchLsn() {
        return lastBatchLsn;
    }

    long lastBatchIndex() {
        return lastBatchIndex;
    }

    // ---- writer ----------------------------------------------------------------------------------------------

    @Override
    public long step() {
        waits = false;
        convoy.woken();
        RecordGroup group = carry == null ? inHand(queue.pollUrgent()) : carry;
        if (group == null) {
            return LogWorker.UNTIL_WOKEN;
        }
        if (health.failed()) {
            refuse(StoreState.FAILED);
            return 0;
        }
        try {
            return writeBatch(group);
        } catch (IOException e) {
            health.fail("Writing " + active.path() + " failed", e);
            return 0;
        }
    }

    /** True if nothing is left to write. */
    boolean drained() {
        return carry == null && queue.isEmpty();
    }

    /** The group to work on, the one in hand or the queue's next; null if there is none. */
    private @Nullable RecordGroup next() {
        return carry == null ? inHand(queue.poll()) : carry;
    }

    private @Nullable RecordGroup inHand(@Nullable RecordGroup group) {
        carry = group;
        if (group != null) {
            large = LargeGroup.is(group, layout) ? LargeGroup.of(group, layout) : null;
            carryBytes = LargeGroup.plainBytes(group);
        }
        return group;
    }

    /** Fails the group in hand without writing it. */
    private void refuse(StoreState why) {
        if (carry != null) {
            completions.add(WrittenBatch.failed(carry, why));
            carry = null;
            large = null;
            wakers.applier().run();
        }
    }

    /** After the log has ended, on the applier's thread: what is still in the queue fails. */
    int refuseRest(CommitLog.DrainedGroups to, int groupsMax) {
        int done = 0;
        for (RecordGroup group = next(); done < groupsMax && group != null; group = next()) {
            to.failed(group, health.state());
            carry = null;
            large = null;
            done++;
        }
        return done;
    }

    private long writeBatch(RecordGroup group) throws IOException {
        if (tooFarAhead()) {
            return awaitSync();
        }
        if (syncer.idle() && queue.forSync()) {
            long gathering = convoy.waitNanos(queue.size() + 1);
            if (gathering > 0) {
                return gathering;
            }
        } else {
            convoy.departs();
        }
        if (health.state() == StoreState.DISK_CRITICAL && group.publishes()) {
            refuse(StoreState.DISK_CRITICAL);
            return 0;
        }
        if (!hasRoom(group)) {
            return makeRoom(group);
        }
        batch.begin(position, room(false), epoch, timeMs());
        List<RecordGroup> groups = new ArrayList<>();
        long resumeLsn = fill(groups);
        boolean written = false;
        try {
            write(groups, resumeLsn);
            written = true;
        } finally {
            if (!written && !groups.isEmpty()) {
                completions.add(new WrittenBatch(groups, 0, 0, false, StoreState.FAILED));
            }
        }
        return 0;
    }

    private long nextBytes() {
        return large != null ? large.nextBytes() : carryBytes;
    }

    private boolean hasRoom(RecordGroup group) {
        return BatchHeader.RECORD_BYTES + nextBytes() <= room(group.publishes());
    }

    /** Bytes from the writer's position on that surely have disk space and belong to this segment. */
    private long room(boolean publishes) {
        long kept = publishes ? kept() : 0;
        return active.filled()
                ? active.endLsn() - position - kept
                : active.filledTo() - position - LogLayout.PAD_ROOM - kept;
    }

    /** While the disk is full, and no segment is ready, the last piece is kept for groups that free space. */
    private long kept() {
        return preallocator.blocked() && !preallocator.nextReady() ? layout.segmentBytes() / 64 : 0;
    }

    /** Packs groups into the batch; returns where replay has to start once they are drained. */
    private long fill(List<RecordGroup> groups) {
        for (RecordGroup group = next(); group != null; group = next()) {
            int records = large != null ? 1 : group.frames().size();
            boolean refused = health.state() == StoreState.DISK_CRITICAL && group.publishes();
            if (refused || !batch.fits(nextBytes(), records, group.publishes() ? kept() : 0)) {
                break;
            }
            if (large != null && large.partsLeft()) {
                large.addPartTo(batch);
                continue;
            }
            if (large != null) {
                large.addGroupTo(batch);
            } else {
                batch.add(group);
            }
            groups.add(group);
            carry = null;
            large = null;
        }
        return large != null && large.firstBatchLsn() >= 0 ? large.firstBatchLsn() : batch.endLsn();
    }

    private void write(List<RecordGroup> groups, long resumeLsn) throws IOException {
        long start = position;
        long end = batch.endLsn();
        long index = lastBatchIndex + 1;
        ByteBuffer bytes = batch.finish(index, lastBatchLsn, syncer.syncedLsn());
        active.file().write(bytes, start - active.baseLsn());
        position = end;
        lastBatchLsn = start;
        lastBatchIndex = index;
        syncer.written(end, active);
        boolean needsSync = WrittenBatch.needsSync(groups);
        if (!groups.isEmpty()) {
            completions.add(new WrittenBatch(groups, end, resumeLsn, needsSync, null));
        }
        if (end >= preallocator.wakeAtLsn()) {
            wakers.keeper().run();
        }
        settle(needsSync, end, groups.size());
    }

    private void settle(boolean needsSync, long end, int groups) {
        if (!needsSync && end - syncer.syncedLsn() < BYTES_AHEAD) {
            wakers.unsynced().run();
            wakers.applier().run();
            return;
        }
        unsynced[unsyncedAt] = end;
        unsyncedAt = (unsyncedAt + 1) % BATCHES_AHEAD;
        if (syncer.idle() && (drained() || convoy.gathers())) {
            long begin = convoy.now();
            syncer.syncNow();
            convoy.synced(begin, groups, queue.size());
        } else {
            convoy.written(groups, queue.size());
            syncer.request();
            wakers.sync().run();
        }
    }

    private boolean tooFarAhead() {
        long synced = syncer.syncedLsn();
        return unsynced[unsyncedAt] > synced || (position - synced > BYTES_AHEAD && !syncer.idle());
    }

    /** Sleeps until the sync thread wakes the writer. A sync that ended before the flag was up is seen by the second look. */
    private long awaitSync() {
        waits = true;
        return tooFarAhead() ? LogWorker.UNTIL_WOKEN : 0;
    }

    private long makeRoom(RecordGroup group) throws IOException {
        boolean growing = !active.filled();
        boolean fitsGrown = BatchHeader.RECORD_BYTES + nextBytes() <= active.endLsn() - position;
        if (growing && fitsGrown && !preallocator.blocked()) {
            return awaitSpace(false);
        }
        Segment next = preallocator.takeNext();
        if (next != null) {
            roll(next);
            return 0;
        }
        if (!preallocator.blocked()) {
            return awaitSpace(false);
        }
        health.critical();
        if (!group.publishes() && preallocator.reserveLeft()) {
            return awaitSpace(true);
        }
        refuse(StoreState.DISK_CRITICAL);
        return 0;
    }

    private long awaitSpace(boolean fromReserve) {
        waits = true;
        preallocator.hurry(fromReserve);
        wakers.keeper().run();
        return LogWorker.UNTIL_WOKEN;
    }

    private void roll(Segment next) throws IOException {
        Segment old = active;
        if (old.endLsn() - position >= RecordHeader.BYTES) {
            old.file().write(batch.pad(position, old.endLsn(), epoch, timeMs()), position - old.baseLsn());
        }
        if (!syncer.syncSealed(old)) {
            return;
        }
        old.seal();
        table.add(next);
        active = next;
        position = layout.firstBatch(next.baseLsn());
        lastTimeMs = 0;
        wakers.keeper().run();
    }

    /** Milliseconds since the segment's base time; never goes back within a segment. */
    private int timeMs() {
        long now = Math.min(clock.millis() - active.baseTimeMs(), 0xffff_ffffL);
        lastTimeMs = Math.max(lastTimeMs, now);
        return (int) lastTimeMs;
    }
}
