package io.mainstem.store.segment;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Turns written into durable: one fdatasync covers everything written before it began.
 *
 * <p>Thread: {@link #step} by the sync thread, {@link #syncNow} by the writer when handing over would only cost a
 * wake-up. All syncs of log files run under one lock, because a failure is reported by the system only once: no other
 * sync may be believed in the meantime.
 */
final class Syncer implements LogWorker.Steps {
    private final LogHealth health;
    private final Runnable advanced;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Mark written;
    private final AtomicLong requestedLsn;
    private volatile long syncedLsn;

    /** Up to where the writer has come, and in which segment; older segments are synced when they are left. */
    private record Mark(long lsn, Segment segment) {}

    /** @param advanced called on the syncing thread after every sync */
    Syncer(LogHealth health, long syncedLsn, Segment active, Runnable advanced) {
        this.health = health;
        this.advanced = advanced;
        this.syncedLsn = syncedLsn;
        this.requestedLsn = new AtomicLong(syncedLsn);
        this.written = new Mark(syncedLsn, active);
    }

    long syncedLsn() {
        return syncedLsn;
    }

    long writtenLsn() {
        return written.lsn();
    }

    /** Writer: all bytes below {@code lsn} are in the file. */
    void written(long lsn, Segment segment) {
        written = new Mark(lsn, segment);
    }

    /** Asks for what has been written so far; the sync thread must be woken by the caller. Thread: writer and keeper. */
    void request() {
        requestedLsn.accumulateAndGet(written.lsn(), Math::max);
    }

    /** True if nothing can be made durable any more. */
    boolean failed() {
        return health.failed();
    }

    /** True if nothing has been asked for that is not done. */
    boolean idle() {
        return requestedLsn.get() <= syncedLsn;
    }

    @Override
    public long step() {
        if (idle() || health.failed()) {
            return LogWorker.UNTIL_WOKEN;
        }
        syncNow();
        return 0;
    }

    /** Makes durable what has been written when it starts; false if the log has failed. */
    boolean syncNow() {
        lock.lock();
        try {
            Mark mark = written;
            if (!health.failed() && mark.lsn() > syncedLsn && force(mark.segment())) {
                syncedLsn = mark.lsn();
            }
        } finally {
            lock.unlock();
        }
        advanced.run();
        return !health.failed();
    }

    /** Syncs a segment that is about to be left, so that no later sync vouches for it wrongly. */
    boolean syncSealed(Segment segment) {
        lock.lock();
        try {
            return !health.failed() && force(segment);
        } finally {
            lock.unlock();
        }
    }

    private boolean force(Segment segment) {
        try {
            segment.file().sync();
            return true;
        } catch (IOException e) {
            health.fail("Syncing " + segment.path() + " failed", e);
            return false;
        }
    }
}
