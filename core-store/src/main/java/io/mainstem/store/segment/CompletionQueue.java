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

    int drain(CommitLog.DrainedGroups to, int groupsMax) {
        int done = 0;
        while (done < groupsMax) {
            WrittenBatch batch = current != null ? current : batches.poll();
            current = batch;
            if (batch == null) {
                break;
            }
            StoreState failure = failureOf(batch);
            if (failure == null && batch.needsSync() && batch.endLsn() > syncedLsn.getAsLong()) {
                break;
            }
            done += handOver(batch, failure, to, groupsMax - done);
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

    private int handOver(WrittenBatch batch, @Nullable StoreState failure, CommitLog.DrainedGroups to, int groupsMax) {
        int count = Math.min(batch.groups().size() - handedOver, groupsMax);
        int end = handedOver + count;
        long bytes = 0;
        for (RecordGroup group : batch.groups().subList(handedOver, end)) {
            bytes += group.encodedBytes();
            if (failure == null) {
                to.durable(group);
            } else {
                to.failed(group, failure);
            }
        }
        bytesInFlight.addAndGet(-bytes);
        handedOver = end;
        if (end == batch.groups().size()) {
            current = null;
            handedOver = 0;
            if (failure == null) {
                drainedLsn = batch.resumeLsn();
            }
        }
        return count;
    }
}
