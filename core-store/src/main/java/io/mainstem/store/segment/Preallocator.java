package io.mainstem.store.segment;

import java.io.IOException;
import java.io.SyncFailedException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has disk space ready before the writer needs it, so that a full disk hurts here and nowhere else.
 *
 * <p>The active segment is filled with zeros at least 16 MiB ahead of the writer (a new store starts with one piece, the
 * rest follows while it works); from a quarter of a segment on the next one is there, taken from the pool of dead
 * segments or made; two more lie in the pool as reserve for groups that free space. Filling is throttled unless somebody
 * waits.
 *
 * <p>Thread: {@link #step} by the log's keeper thread; the writer takes and asks, any thread recycles.
 */
final class Preallocator {
    private static final Logger LOG = LoggerFactory.getLogger(Preallocator.class);
    private static final int RESERVE = 2;
    private static final long AHEAD_BYTES = 16L << 20;
    private static final long HURRY_BYTES = 4L << 20;
    /** One piece of 1 MiB at 32 MiB/s. */
    private static final long PIECE_NANOS = 31_000_000L;

    private static final long RETRY_NANOS = 1_000_000_000L;

    private final SegmentFiles segmentFiles;
    private final SegmentTable table;
    private final LogHealth health;
    private final LongSupplier writtenLsn;
    private final Runnable spaceReady;
    private final int epoch;
    private final int pooledMax;
    private final Queue<Segment> dead = new ConcurrentLinkedQueue<>();
    private final AtomicReference<@Nullable Segment> next = new AtomicReference<>();
    private volatile boolean writerWaits;
    private volatile boolean reserveAsked;
    private volatile boolean retry;
    private volatile boolean blocked;
    private volatile long wakeAtLsn;
    private volatile int reserve;
    private long preparedEnd;
    private long spareFilled;
    private long notBefore;

    /** @param spaceReady called when a waiting writer should look again */
    Preallocator(
            SegmentFiles segmentFiles,
            SegmentTable table,
            LogHealth health,
            LongSupplier writtenLsn,
            Runnable spaceReady,
            int epoch,
            int pooledMax) {
        this.segmentFiles = segmentFiles;
        this.table = table;
        this.health = health;
        this.writtenLsn = writtenLsn;
        this.spaceReady = spaceReady;
        this.epoch = epoch;
        this.pooledMax = Math.max(pooledMax, RESERVE);
        this.reserve = segmentFiles.pooled();
        this.preparedEnd = table.active().endLsn();
    }

    // ---- writer ----------------------------------------------------------------------------------------------

    /** The next segment, or null if it is not ready; the caller owns it. */
    @Nullable
    Segment takeNext() {
        return next.getAndSet(null);
    }

    boolean nextReady() {
        return next.get() != null;
    }

    /** An unused next segment found at start. */
    void offerNext(Segment segment) {
        preparedEnd = segment.endLsn();
        next.set(segment);
    }

    /** True while the disk has no space for what is missing. */
    boolean blocked() {
        return blocked;
    }

    /** True if a reserved segment can still be asked for. */
    boolean reserveLeft() {
        return reserve > 0;
    }

    /** The writer cannot go on; with {@code fromReserve} it may have a reserved segment. */
    void hurry(boolean fromReserve) {
        writerWaits = true;
        reserveAsked |= fromReserve;
    }

    /** From this LSN on the keeper thread has work to do. */
    long wakeAtLsn() {
        return wakeAtLsn;
    }

    // ---- any thread ------------------------------------------------------------------------------------------

    void recycle(Segment segment) {
        dead.add(segment);
    }

    /** Space may have come back: do not wait for the next retry. */
    void retry() {
        retry = true;
    }

    // ---- keeper ----------------------------------------------------------------------------------------------

    /** One piece of work; 0 if something was done, else nanoseconds until there is work, or UNTIL_WOKEN. */
    long step(long nowNanos) {
        if (health.failed()) {
            return LogWorker.UNTIL_WOKEN;
        }
        if (buryOne()) {
            return 0;
        }
        if (retry) {
            retry = false;
            notBefore = nowNanos;
        }
        // While this thread has work it comes back by itself.
        wakeAtLsn = Long.MAX_VALUE;
        boolean hurry = writerWaits && (!blocked || reserveAsked);
        if (!hurry && notBefore - nowNanos > 0) {
            return notBefore - nowNanos;
        }
        try {
            return work(nowNanos);
        } catch (SyncFailedException e) {
            health.fail("Syncing new space failed", e);
            wakeWriter();
            return 0;
        } catch (IOException e) {
            spareFilled = 0;
            noSpace(e, nowNanos);
            return 0;
        }
    }

    private long work(long nowNanos) throws IOException {
        Segment active = table.active();
        long written = writtenLsn.getAsLong();
        Segment prepared = next.get();
        boolean nextWanted = writerWaits || written - active.baseLsn() >= segmentBytes() / 4;
        if (reserveAsked && prepared == null && segmentFiles.pooled() > 0) {
            prepareNext(true);
            reserveAsked = false;
        } else if (active.filledTo() < Math.min(active.endLsn(), written + AHEAD_BYTES)) {
            fill(active, nowNanos, active.filledTo() - written < HURRY_BYTES);
        } else if (prepared == null && nextWanted) {
            prepareNext(segmentFiles.pooled() > RESERVE);
        } else if (prepared != null && !prepared.filled()) {
            fill(prepared, nowNanos, false);
        } else if (segmentFiles.pooled() < RESERVE && reserveWanted(active, prepared)) {
            throttle(nowNanos, blocked);
            spareFilled = segmentFiles.fillSpare(spareFilled) % segmentBytes();
        } else {
            return satisfied(active, written);
        }
        reserve = segmentFiles.pooled();
        wakeWriter();
        return 0;
    }

    /** The base is counted here: the writer may have taken the segment before without having put it into the table. */
    private void prepareNext(boolean fromPool) throws IOException {
        Segment made = fromPool ? segmentFiles.reuse(preparedEnd, epoch) : segmentFiles.create(preparedEnd, epoch);
        preparedEnd = made.endLsn();
        next.set(made);
    }

    /** Small stores, such as embedded ones in tests, do not pay for a reserve before they have some size. */
    private boolean reserveWanted(Segment active, @Nullable Segment prepared) {
        return prepared != null || active.baseLsn() > 0;
    }

    private void fill(Segment segment, long nowNanos, boolean hurry) throws IOException {
        throttle(nowNanos, hurry);
        segmentFiles.fill(segment);
    }

    private void throttle(long nowNanos, boolean hurry) {
        notBefore = hurry ? nowNanos : nowNanos + PIECE_NANOS;
    }

    private long satisfied(Segment active, long written) {
        if (blocked) {
            blocked = false;
            health.spaceAgain();
        }
        // The writer may have asked right after the last piece was handed over, when it did not yet say that it waits.
        wakeWriter();
        long quarter = active.baseLsn() + segmentBytes() / 4;
        long fillFrom = active.filled() ? Long.MAX_VALUE : active.filledTo() - AHEAD_BYTES + 1;
        long nextFrom = nextReady() ? Long.MAX_VALUE : quarter;
        wakeAtLsn = Math.max(Math.min(fillFrom, nextFrom), written + 1);
        return LogWorker.UNTIL_WOKEN;
    }

    private void noSpace(IOException cause, long nowNanos) {
        blocked = true;
        notBefore = nowNanos + RETRY_NANOS;
        health.noSpace(cause);
        reserve = segmentFiles.pooled();
        wakeWriter();
    }

    private void wakeWriter() {
        if (writerWaits) {
            writerWaits = false;
            spaceReady.run();
        }
    }

    private boolean buryOne() {
        Segment segment = dead.poll();
        if (segment == null) {
            return false;
        }
        try {
            if (segment.filled() && segmentFiles.pooled() < pooledMax && !segmentFiles.shared(segment)) {
                if (spareFilled > 0) {
                    segmentFiles.dropSpare();
                    spareFilled = 0;
                }
                segmentFiles.pool(segment);
            } else {
                segmentFiles.delete(segment);
            }
        } catch (IOException e) {
            LOG.warn(
                    "MS-0214 file={} could not be recycled: {} fix: check permissions and the disk; it is tried again"
                            + " at the next start",
                    segment.path(),
                    e.toString());
        }
        reserve = segmentFiles.pooled();
        retry = true;
        return true;
    }

    private long segmentBytes() {
        return segmentFiles.layout().segmentBytes();
    }
}
