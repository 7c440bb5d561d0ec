package io.mainstem.store.view;

import io.mainstem.store.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * Ack state of one lane: what is not settled, and where reading stands.
 *
 * <pre>
 *      floor            readPos             end
 *   ----|-----------------|-------------------|
 *       settled: some     settled: some
 *       ready:   returned ready:   the rest
 *       taken:   the rest
 * </pre>
 *
 * <p>In the common case (in order) no set exists; all sets are of entries that still wait. INVARIANT: floor and readPos are
 * not settled; returned lies below readPos.
 *
 * <p>Thread: shard only.
 */
final class LaneCursor implements Cursor {
    private final Waiting waiting;
    private long readPos;
    private long end;
    private long unsettled;
    private long taken;
    private long redeliveredBelow;
    private boolean moved;
    private @Nullable IndexSet returned;
    private @Nullable IndexSet givenBack;
    /** Of those. */
    private @Nullable IndexSet unseen;

    private @Nullable FailureCounts failed;

    LaneCursor(long first) {
        this(new Waiting(first), first, null);
    }

    /** As a checkpoint has it; everything unsettled is ready. */
    LaneCursor(Waiting waiting, long end, @Nullable FailureCounts failed) {
        this.waiting = waiting;
        this.readPos = waiting.floor();
        this.end = end;
        this.redeliveredBelow = readPos;
        this.failed = failed;
        this.unsettled = waiting.count(readPos, end);
    }

    @Override
    public long floor() {
        return waiting.floor();
    }

    @Override
    public long ready() {
        return unsettled - taken;
    }

    @Override
    public long unsettled() {
        return unsettled;
    }

    @Override
    public long next() {
        if (returned != null) {
            return returned.next(floor());
        }
        return readPos < end ? readPos : -1;
    }

    @Override
    public long nextFrom(long from) {
        if (from < readPos && returned != null) {
            long found = returned.next(from);
            if (found >= 0) {
                return found;
            }
        }
        long found = waiting.next(Math.max(from, readPos));
        return found < end ? found : -1;
    }

    @Override
    public void take(long index) {
        if (index >= readPos) {
            if (index >= end || settled(index)) {
                throw notIn("ready", index);
            }
            returnSkipped(index);
            readPos = waiting.next(index + 1);
            moved = true;
        } else {
            if (returned == null || !returned.remove(index)) {
                throw notIn("ready", index);
            }
            returned = orNull(returned);
        }
        taken++;
    }

    /** Ready entries that reading jumps over stay ready, below readPos now. */
    private void returnSkipped(long index) {
        long from = readPos;
        while (from < index) {
            long to = Math.min(index, waiting.endOfRun(from));
            if (returned == null) {
                returned = new IndexSet();
            }
            returned.addRange(from, to);
            from = waiting.next(to);
        }
    }

    @Override
    public void giveBack(long index) {
        if (settled(index)) {
            return; // purged while it was in flight
        }
        if (index >= readPos || (returned != null && returned.contains(index))) {
            throw notIn("taken", index);
        }
        if (returned == null) {
            returned = new IndexSet();
        }
        returned.add(index);
        if (givenBack == null) {
            givenBack = new IndexSet();
        }
        givenBack.add(index);
        unseen = without(unseen, index, index + 1);
        taken--;
    }

    @Override
    public void giveBackUnseen(long index) {
        boolean maybeSeen = redelivered(index) && !unseen(index);
        giveBack(index);
        if (!maybeSeen && !settled(index)) {
            if (unseen == null) {
                unseen = new IndexSet();
            }
            unseen.add(index);
        }
    }

    @Override
    public boolean unseen(long index) {
        return index >= redeliveredBelow && unseen != null && unseen.contains(index);
    }

    @Override
    public int failedCount(long index) {
        return failed == null ? 0 : failed.get(index);
    }

    @Override
    public boolean redelivered(long index) {
        return index < redeliveredBelow || (givenBack != null && givenBack.contains(index));
    }

    @Override
    public boolean settled(long index) {
        return !waiting.contains(index);
    }

    /** One more entry at the end. */
    void append() {
        end++;
        unsettled++;
    }

    /** How many of [from, to) are not settled. */
    long unsettledIn(long from, long to) {
        return waiting.count(from, to);
    }

    /** The lowest entry at or behind {@code from} that is not settled, or the end. */
    long nextUnsettled(long from) {
        return waiting.next(from);
    }

    /** Settles [from, to); what is settled already stays so. */
    void settle(long from, long to) {
        long first = Math.max(from, floor());
        long newly = unsettledIn(first, to);
        if (newly == 0) {
            return;
        }
        long below = Math.min(to, readPos);
        if (first < below) {
            taken -= unsettledIn(first, below) - (returned == null ? 0 : returned.count(first, below));
        }
        returned = without(returned, first, to);
        givenBack = without(givenBack, first, to);
        unseen = without(unseen, first, to);
        if (failed != null) {
            failed.remove(first, to);
            failed = failed.size() == 0 ? null : failed;
        }
        unsettled -= newly;
        waiting.settle(first, to);
        readPos = waiting.next(Math.max(readPos, floor()));
    }

    /** One more failed delivery of an entry; nothing if it is settled. */
    void countFailure(long index) {
        if (index < end && !settled(index)) {
            if (failed == null) {
                failed = new FailureCounts();
            }
            failed.add(index, 1);
        }
    }

    /** Entries below may have been delivered by an earlier run. */
    void markRedeliveredBelow(long index) {
        redeliveredBelow = Math.max(redeliveredBelow, index);
    }

    /** Entries below may have been delivered by this run or an earlier one. */
    long deliveredBelow() {
        return Math.max(readPos, redeliveredBelow);
    }

    /** After an unclean stop: all there are may have been delivered, which the next clean stop has to remember, too. */
    void markAllRedelivered() {
        moved |= unsettled > 0 && redeliveredBelow < end;
        redeliveredBelow = end;
    }

    /** True if entries were taken, or all were marked as redelivered, since the lane was created or restored. */
    boolean moved() {
        return moved;
    }

    /** What is not settled; frozen, for any thread. */
    Waiting waiting() {
        return waiting.freeze();
    }

    /** Failed deliveries, or null; frozen, for any thread. */
    @Nullable
    FailureCounts failed() {
        return failed == null ? null : failed.freeze();
    }

    private static @Nullable IndexSet without(@Nullable IndexSet set, long from, long to) {
        if (set == null) {
            return null;
        }
        set.removeRange(from, to);
        return orNull(set);
    }

    private static @Nullable IndexSet orNull(IndexSet set) {
        return set.isEmpty() ? null : set;
    }

    private IllegalStateException notIn(String state, long index) {
        return new IllegalStateException("entry " + index + " is not " + state + " (floor " + floor() + ", read "
                + readPos + ", end " + end + ")");
    }
}
