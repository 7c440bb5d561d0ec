package io.mainstem.store.view;

import org.roaringbitmap.RoaringBitmap;

/**
 * A set of lane indexes, 64 bits: compressed bitmaps of 2^20 indexes each. It takes memory for its members, at most some
 * 200 bytes for one that stands alone, and nothing for what lies between them.
 *
 * <p>Thread: one that changes it; frozen copies are read on any.
 */
final class IndexSet {
    private static final int SHIFT = 20;
    private static final long SPAN = 1L << SHIFT;
    private static final long MASK = SPAN - 1;

    private final Pages<Part> parts;

    IndexSet() {
        this(new Pages<>(Part[]::new));
    }

    private IndexSet(Pages<Part> parts) {
        this.parts = parts;
    }

    /** Members of [number * SPAN, (number + 1) * SPAN), relative to the first of these; never empty. */
    private static final class Part extends Pages.Page<Part> {
        private final RoaringBitmap bits;

        private Part(RoaringBitmap bits) {
            this.bits = bits;
        }

        @Override
        Part copy() {
            return new Part(bits.clone());
        }
    }

    /** A copy that never changes. */
    IndexSet freeze() {
        return new IndexSet(parts.freeze());
    }

    void add(long index) {
        bitsAt(index >>> SHIFT).add((int) (index & MASK));
    }

    /** @param to exclusive */
    void addRange(long from, long to) {
        if (to == from + 1) {
            add(from);
            return;
        }
        long at = from;
        while (at < to) {
            long number = at >>> SHIFT;
            long end = Math.min(to, endOf(number));
            bitsAt(number).add(at & MASK, end - (number << SHIFT));
            at = end;
        }
    }

    private RoaringBitmap bitsAt(long number) {
        int at = parts.find(number);
        return at >= 0 ? parts.writable(at).bits : parts.insert(-at - 1, number, new Part(new RoaringBitmap())).bits;
    }

    private static long endOf(long number) {
        return (number + 1) << SHIFT;
    }

    /** True if it was there. */
    boolean remove(long index) {
        int at = parts.find(index >>> SHIFT);
        if (at < 0) {
            return false;
        }
        RoaringBitmap bits = parts.writable(at).bits;
        boolean was = bits.checkedRemove((int) (index & MASK));
        if (bits.isEmpty()) {
            parts.remove(at, at + 1);
        }
        return was;
    }

    /** @param to exclusive */
    void removeRange(long from, long to) {
        if (to <= from + 1) {
            if (from < to) {
                remove(from);
            }
            return;
        }
        int first = parts.atOrAfter(from >>> SHIFT);
        int end = parts.atOrAfter((to - 1) >>> SHIFT);
        if (end < parts.size() && parts.number(end) == (to - 1) >>> SHIFT && !removeFrom(end, from, to)) {
            end++;
        }
        if (first < end && !removeFrom(first, from, to)) {
            parts.remove(first, end);
        } else {
            parts.remove(first + 1, end);
        }
    }

    /** Removes [from, to) from one part; false if nothing is left in it. */
    private boolean removeFrom(int at, long from, long to) {
        long base = parts.number(at) << SHIFT;
        if (from <= base && to >= base + SPAN) {
            return false;
        }
        RoaringBitmap bits = parts.writable(at).bits;
        bits.remove(Math.max(from - base, 0), Math.min(to - base, SPAN));
        return !bits.isEmpty();
    }

    boolean contains(long index) {
        int at = parts.find(index >>> SHIFT);
        return at >= 0 && parts.get(at).bits.contains((int) (index & MASK));
    }

    /** Members in [from, to). */
    long count(long from, long to) {
        if (to <= from + 1) {
            return from < to && contains(from) ? 1 : 0;
        }
        long count = 0;
        for (int at = parts.atOrAfter(from >>> SHIFT); at < parts.size(); at++) {
            long base = parts.number(at) << SHIFT;
            if (base >= to) {
                break;
            }
            long first = Math.max(from - base, 0);
            long end = Math.min(to - base, SPAN);
            RoaringBitmap bits = parts.get(at).bits;
            count += first == 0 && end == SPAN ? bits.getLongCardinality() : bits.rangeCardinality(first, end);
        }
        return count;
    }

    /** All members. */
    long count() {
        return count(0, Long.MAX_VALUE);
    }

    /** Lowest member >= from, or -1. */
    long next(long from) {
        long number = from >>> SHIFT;
        int at = parts.atOrAfter(number);
        if (at < parts.size() && parts.number(at) == number) {
            long found = parts.get(at).bits.nextValue((int) (from & MASK));
            if (found >= 0) {
                return (number << SHIFT) + found;
            }
            at++;
        }
        return at < parts.size() ? first(at) : -1;
    }

    /** The lowest member; there is one. */
    long first() {
        return first(0);
    }

    private long first(int at) {
        return (parts.number(at) << SHIFT) + parts.get(at).bits.first();
    }

    /** Lowest index >= from that is no member. */
    long nextAbsent(long from) {
        long index = from;
        while (true) {
            long number = index >>> SHIFT;
            int at = parts.find(number);
            if (at < 0) {
                return index;
            }
            long found = parts.get(at).bits.nextAbsentValue((int) (index & MASK));
            index = (number << SHIFT) + found;
            if (found < SPAN) {
                return index;
            }
        }
    }

    boolean isEmpty() {
        return parts.size() == 0;
    }

    // ---- as it is stored: a bitmap for each 2^20 indexes that has members ----

    int parts() {
        return parts.size();
    }

    /** Of the i-th part: its indexes begin at this times 2^20. */
    long number(int i) {
        return parts.number(i);
    }

    /** A copy of the i-th part, relative to where its indexes begin. */
    RoaringBitmap bits(int i) {
        return parts.get(i).bits.clone();
    }

    /**
     * Adds a part behind all there are.
     *
     * @param bits at least one
     * @return false if it is none
     */
    boolean addPart(long number, RoaringBitmap bits) {
        boolean behind = parts.size() == 0 || parts.number(parts.size() - 1) < number;
        if (!behind || number > Long.MAX_VALUE >>> SHIFT || Integer.toUnsignedLong(bits.last()) > MASK) {
            return false;
        }
        parts.insert(parts.size(), number, new Part(bits));
        return true;
    }
}
