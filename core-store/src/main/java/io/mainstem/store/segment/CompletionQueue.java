package io.mainstem.store.segment;

import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jctools.queues.SpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What the writer has done with and the applier has not yet taken, in log order, and the budget of bytes in flight.
 *
 * <p>Thread: {@link #add} by the writer, {@link #drain} by the applier, the budget by any. A sync only moves a number;
 * nobody walks the groups but the applier.
 */
final class CompletionQueue {
    private final Queue<WrittenBatch> batches = new SpscUnboundedArrayQueue<>(256);
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytesInFlight = new AtomicLong();
    private final long bytesMax;
    private final LongSupplier syncedLsn;
    private final LogHealth health;
    private @Nullable WrittenBatch current;
    private int handedOver;
    private volatile long drainedLsn;

    CompletionQueue(long bytesMax, LongSupplier syncedLsn, LogHealth health) {
        this.bytesMax = bytesMax;
        this.syncedLsn = syncedLsn;
        this.health = health;
    }

    void reserve(RecordGroup group) {
        bytesInFlight.addAndGet(group.encodedBytes());
    }

    void add(WrittenBatch batch) {
        batches.add(batch);
    }

    boolean writable() {
        return bytesInFlight.get() < bytesMax && health.state() == StoreState.RUNNING;
    }

    void onWritable(Runnable ready) {
        waiting.add(ready);
        notifyIfWritable();
    }

    /** To be called after anything that may have made {@link #writable} true. */
    void notifyIfWritable() {
        while (!waiting.isEmpty() && writable()) {
            Runnable ready = waiting.poll();
            if (ready != null) {
                ready.run();
            }
        }
    }

    long drainedLsn() {
        return drainedLsn;
    }

    void startAt(long lsn) {
        drainedLsn = lsn;
    }

    int drain(CommitLog.DrainedGroups to, int recordsMax) {
        int done = 0;
        boolean paused = false;
        while (done < recordsMax && !paused) {
            WrittenBatch batch = current != null ? current : batches.poll();
            current = batch;
            if (batch == null) {
                break;
            }
            StoreState failure = failureOf(batch);
            if (failure == null && batch.needsSync() && batch.endLsn() > syncedLsn.getAsLong()) {
                break;
            }
            int before = handedOver;
            done += handOver(batch, failure, to, recordsMax - done);
            paused = current != null && done < recordsMax;
            done += paused && handedOver == before ? 1 : 0;
        }
        if (done > 0) {
            notifyIfWritable();
        }
        return done;
    }

    private @Nullable StoreState failureOf(WrittenBatch batch) {
        if (batch.failure() != null) {
            return batch.failure();
        }
        // Order matters: a sync that came before the failure still counts.
        boolean failed = health.failed();
        return failed && batch.endLsn() > syncedLsn.getAsLong() ? StoreState.FAILED : null;
    }

    private int handOver(WrittenBatch batch, @Nullable StoreState failure, CommitLog.DrainedGroups to, int recordsMax) {
        int records = 0;
        long bytes = 0;
        int at = handedOver;
        for (; at < batch.groups().size() && records < recordsMax; at++) {
            RecordGroup group = batch.groups().get(at);
            if (failure != null) {
                to.failed(group, failure);
            } else if (!to.someDurable(group)) {
                break;
            }
            records += group.frames().size();
            bytes += group.encodedBytes();
        }
        bytesInFlight.addAndGet(-bytes);
        handedOver = at;
        if (at == batch.groups().size()) {
            current = null;
            handedOver = 0;
            if (failure == null) {
                drainedLsn = batch.resumeLsn();
            }
        }
        return records;
    }
}
