package io.mainstem.store.segment;

import io.mainstem.store.Durability;
import io.mainstem.store.RecordGroup;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Groups on their way to the writer, in order. Deferred ones alone are no reason to write: they wait for one that is not,
 * or until they are asked for.
 *
 * <p>Thread: {@link #add} and {@link #askForDeferred} any, the rest the writer.
 */
final class SubmittedGroups {
    private final MpscUnboundedArrayQueue<RecordGroup> submitted = new MpscUnboundedArrayQueue<>(1024);
    /** Taken from there, older than all that is left in it. */
    private final Queue<RecordGroup> waiting = new ArrayDeque<>();
    /** How many of the waiting ones have a reason to go. */
    private int going;
    /** The reason was a group that waits for a sync. */
    private boolean forSync;

    private volatile boolean deferredAskedFor;

    void add(RecordGroup group) {
        submitted.offer(group);
    }

    /** What is deferred and was added before this call goes with the next look. */
    void askForDeferred() {
        deferredAskedFor = true;
    }

    /** The next group if there is a reason to write, else null. */
    @Nullable
    RecordGroup pollUrgent() {
        if (going == 0) {
            lookForReason();
        }
        return going == 0 ? null : poll();
    }

    private void lookForReason() {
        boolean asked = deferredAskedFor;
        if (asked) {
            deferredAskedFor = false;
        }
        boolean urgent = false;
        forSync = false;
        while (!urgent) {
            RecordGroup next = submitted.poll();
            if (next == null) {
                break;
            }
            waiting.add(next);
            urgent = next.durability() != Durability.DEFERRED;
            forSync = next.durability() == Durability.SYNC;
        }
        if (asked && urgent) {
            // What was asked for may lie behind it, and what goes now may be refused, or fill the batch.
            deferredAskedFor = true;
        }
        if (asked || urgent) {
            going = waiting.size();
        }
    }

    /** The next group, be it deferred: there is a batch it can ride with. Null if there is none. */
    @Nullable
    RecordGroup poll() {
        RecordGroup next = waiting.poll();
        if (next == null) {
            return submitted.poll();
        }
        going = Math.max(0, going - 1);
        return next;
    }

    /** True if what {@link #pollUrgent} has given last goes because a group in its company waits for a sync. */
    boolean forSync() {
        return forSync;
    }

    /** About how many there are. Thread: any. */
    int size() {
        return submitted.size();
    }

    boolean isEmpty() {
        return waiting.isEmpty() && submitted.isEmpty();
    }
}
