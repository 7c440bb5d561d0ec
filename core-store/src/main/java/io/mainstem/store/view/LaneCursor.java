package io.mainstem.store.view;

import io.mainstem.store.Cursor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Ack state of one lane: a floor, bitmaps for what is out of order above it, and where reading stands.
 *
 * <pre>
 *      floor            readPos             end
 *   ----|-----------------|-------------------|
 *       settled: acked    settled: acked
 *       ready:   returned ready:   the rest
 *       taken:   the rest
 * </pre>
 *
 * <p>In the common case (in order) no bitmap exists. INVARIANT: floor and readPos are not in acked; returned lies below
 * readPos; returned and acked share nothing.
 *
 * <p>Thread: shard only.
 */
final class LaneCursor implements Cursor {
    private long floor;
    private long readPos;
    private long end;
    private long unsettled;
    private long taken;
    private long redeliveredBelow;
    private boolean moved;
    private @Nullable IndexSet acked;
    private @Nullable IndexSet returned;
    private @Nullable IndexSet givenBack;
    private @Nullable Map<Long, Integer> failed;

    LaneCursor(long first) {
        floor = first;
        readPos = first;
        end = first;
        redeliveredBelow = first;
    }

    /** As a checkpoint has it; everything unsettled is ready. */
    LaneCursor(long floor, long end, @Nullable IndexSet acked, @Nullable Map<Long, Integer> failed) {
        this(floor);
        this.end = end;
        this.acked = acked;
        this.failed = failed;
        this.unsettled = end - floor - (acked == null ? 0 : acked.count(floor, end));
    }

    @Override
    public long floor() {
        return floor;
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
            return returned.next(floor);
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
        long found = Math.max(from, readPos);
        if (acked != null) {
            found = acked.nextAbsent(found);
        }
        return found < end ? found : -1;
    }

    @Override
    public void take(long index) {
        if (index >= readPos) {
            if (index >= end || settled(index)) {
                throw notIn("ready", index);
            }
            returnSkipped(index);
            readPos = index + 1;
            skipAcked();
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
            long to = index;
            if (acked != null) {
                from = acked.nextAbsent(from);
                long nextAcked = acked.next(from);
                to = nextAcked < 0 ? index : Math.min(index, nextAcked);
            }
            if (from < to) {
                if (returned == null) {
                    returned = new IndexSet(floor);
                }
                returned.addRange(from, to);
            }
            from = Math.max(from, to);
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
            returned = new IndexSet(floor);
        }
        returned.add(index);
        if (givenBack == null) {
            givenBack = new IndexSet(floor);
        }
        givenBack.add(index);
        taken--;
    }

    @Override
    public int failedCount(long index) {
        return failed == null ? 0 : failed.getOrDefault(index, 0);
    }

    @Override
    public boolean redelivered(long index) {
        return index < redeliveredBelow || (givenBack != null && givenBack.contains(index));
    }

    @Override
    public boolean settled(long index) {
        return index < floor || (acked != null && acked.contains(index));
    }

    /** One more entry at the end. */
    void append() {
        end++;
        unsettled++;
    }

    /** How many of [from, to) are not settled. */
    long unsettledIn(long from, long to) {
        long first = Math.max(from, floor);
        return first >= to ? 0 : to - first - (acked == null ? 0 : acked.count(first, to));
    }

    /** Settles [from, to); what is settled already stays so. */
    void settle(long from, long to) {
        long first = Math.max(from, floor);
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
        forgetFailures(first, to);
        unsettled -= newly;
        if (first == floor) {
            floor = to;
            if (acked != null) {
                floor = acked.nextAbsent(floor);
                acked = without(acked, 0, floor);
            }
            readPos = Math.max(readPos, floor);
        } else {
            if (acked == null) {
                acked = new IndexSet(floor);
            }
            acked.addRange(first, to);
        }
        skipAcked();
    }

    /** One more failed delivery of an entry; nothing if it is settled. */
    void countFailure(long index) {
        if (index < end && !settled(index)) {
            if (failed == null) {
                failed = new HashMap<>();
            }
            failed.merge(index, 1, Integer::sum);
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

    @Nullable
    IndexSet acked() {
        return acked;
    }

    /** A copy of the set of those settled above the floor, for any thread. */
    @Nullable
    IndexSet ackedNow() {
        return acked == null ? null : new IndexSet(acked.base(), acked.bits().clone());
    }

    @Nullable
    Map<Long, Integer> failed() {
        return failed;
    }

    private void skipAcked() {
        if (acked != null) {
            readPos = acked.nextAbsent(readPos);
        }
    }

    private void forgetFailures(long from, long to) {
        if (failed == null) {
            return;
        }
        if (to - from < failed.size()) {
            for (long index = from; index < to; index++) {
                failed.remove(index);
            }
        } else {
            failed.keySet().removeIf(index -> index >= from && index < to);
        }
        if (failed.isEmpty()) {
            failed = null;
        }
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
        return new IllegalStateException("entry " + index + " is not " + state + " (floor " + floor + ", read "
                + readPos + ", end " + end + ")");
    }
}
