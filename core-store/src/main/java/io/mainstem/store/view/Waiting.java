package io.mainstem.store.view;

import org.jspecify.annotations.Nullable;

/**
 * Which entries of a lane are not settled: all from {@link #openFrom} on, and below it those of a set. What is kept is what
 * still waits, never what has gone by, so one message that stays costs the same after a million others as after none
 * (ADR 0064). Where entries are settled in order the set is empty.
 *
 * <p>INVARIANT: the set lies in [floor, openFrom) and has the floor, or is empty and floor is openFrom.
 *
 * <p>Thread: shard only; frozen copies are read on any.
 */
final class Waiting {
    private long floor;
    private long openFrom;
    private @Nullable IndexSet behind;

    /** All from {@code first} on. */
    Waiting(long first) {
        this(first, null);
    }

    /** @param behind those that wait before {@code openFrom}; not empty */
    Waiting(long openFrom, @Nullable IndexSet behind) {
        this.openFrom = openFrom;
        this.behind = behind;
        this.floor = behind == null ? openFrom : behind.first();
    }

    /** A copy that never changes. */
    Waiting freeze() {
        IndexSet set = behind;
        return new Waiting(openFrom, set == null ? null : set.freeze());
    }

    /** All below are settled; it is the lowest that is not, or that will come. */
    long floor() {
        return floor;
    }

    /** Nothing from here on is settled. */
    long openFrom() {
        return openFrom;
    }

    /** Those before {@link #openFrom}, or null. */
    @Nullable
    IndexSet behind() {
        return behind;
    }

    boolean contains(long index) {
        IndexSet set = behind;
        return index >= openFrom || (set != null && index >= floor && set.contains(index));
    }

    /** How many of [from, to). */
    long count(long from, long to) {
        long first = Math.max(from, floor);
        long count = Math.max(0, to - Math.max(first, openFrom));
        IndexSet set = behind;
        return set == null ? count : count + set.count(first, Math.min(to, openFrom));
    }

    /** The lowest one at or behind {@code from}. */
    long next(long from) {
        if (from >= openFrom) {
            return from;
        }
        IndexSet set = behind;
        long found = set == null ? -1 : set.next(from);
        return found < 0 ? openFrom : found;
    }

    /** The lowest index behind {@code from}, which waits, that does not. */
    long endOfRun(long from) {
        IndexSet set = behind;
        if (from >= openFrom || set == null) {
            return Long.MAX_VALUE;
        }
        long absent = set.nextAbsent(from);
        return absent < openFrom ? absent : Long.MAX_VALUE;
    }

    /** [from, to) are settled; some of them may be already, but all before the floor are. */
    void settle(long from, long to) {
        IndexSet set = behind;
        if (from > openFrom) {
            if (set == null) {
                set = new IndexSet();
                behind = set;
            }
            set.addRange(openFrom, from);
        } else if (set != null) {
            set.removeRange(from, to);
            behind = set.isEmpty() ? null : set;
        }
        openFrom = Math.max(openFrom, to);
        if (from <= floor) {
            floor = next(floor);
        }
    }
}
