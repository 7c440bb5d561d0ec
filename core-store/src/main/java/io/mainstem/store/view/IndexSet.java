package io.mainstem.store.view;

import org.roaringbitmap.RoaringBitmap;

/**
 * A set of lane indexes that lie close together (within 2^31): a compressed bitmap with a base.
 *
 * <p>Thread: shard only.
 */
final class IndexSet {
    private static final long SPAN_MAX = 1L << 31;
    private static final long ALIGN = 1L << 16;

    private long base;
    private RoaringBitmap bits;

    /** @param floor no index below it will ever be added */
    IndexSet(long floor) {
        this(floor & -ALIGN, new RoaringBitmap());
    }

    IndexSet(long base, RoaringBitmap bits) {
        this.base = base;
        this.bits = bits;
    }

    void add(long index) {
        bits.add((int) offset(index));
    }

    /** @param to exclusive */
    void addRange(long from, long to) {
        if (from < to) {
            long last = offset(to - 1);
            bits.add(offset(from), last + 1);
        }
    }

    /** True if it was there. */
    boolean remove(long index) {
        return index >= base && index - base < SPAN_MAX && bits.checkedRemove((int) (index - base));
    }

    /** @param to exclusive */
    void removeRange(long from, long to) {
        long first = Math.max(from, base) - base;
        long end = Math.min(to - base, SPAN_MAX);
        if (first < end) {
            bits.remove(first, end);
        }
    }

    boolean contains(long index) {
        return index >= base && index - base < SPAN_MAX && bits.contains((int) (index - base));
    }

    /** Members in [from, to). */
    long count(long from, long to) {
        long first = Math.max(from, base) - base;
        long end = Math.min(to - base, SPAN_MAX);
        return first < end ? bits.rangeCardinality(first, end) : 0;
    }

    /** Lowest member >= from, or -1. */
    long next(long from) {
        long start = Math.max(from, base) - base;
        if (start >= SPAN_MAX) {
            return -1;
        }
        long found = bits.nextValue((int) start);
        return found < 0 ? -1 : base + found;
    }

    /** Lowest index >= from that is no member. */
    long nextAbsent(long from) {
        if (from < base || from - base >= SPAN_MAX) {
            return from;
        }
        long found = bits.nextAbsentValue((int) (from - base));
        return found < 0 ? base + SPAN_MAX : base + found;
    }

    boolean isEmpty() {
        return bits.isEmpty();
    }

    long base() {
        return base;
    }

    /** The bitmap, relative to {@link #base}. */
    RoaringBitmap bits() {
        return bits;
    }

    private long offset(long index) {
        if (index - base >= SPAN_MAX && !bits.isEmpty()) {
            long step = (base + Integer.toUnsignedLong(bits.first()) & -ALIGN) - base;
            bits = RoaringBitmap.addOffset(bits, -step);
            base += step;
        }
        if (index < base || index - base >= SPAN_MAX) {
            throw new IllegalArgumentException(
                    "index: " + index + " (expected: " + base + " to " + (base + SPAN_MAX - 1) + ")");
        }
        return index - base;
    }
}
