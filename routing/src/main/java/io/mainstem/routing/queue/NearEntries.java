package io.mainstem.routing.queue;

import java.util.Arrays;

/**
 * The entries of one hour's lane that are due next: a heap of eight bytes each, ordered by time and among equal times by
 * position in the lane. Bounded: above twice the bound the latest are forgotten, and {@link #horizon} says from where on;
 * who wants those reads the lane again. Thread: shard only.
 */
final class NearEntries {
    /** No entry has been forgotten. */
    static final long NO_HORIZON = Long.MAX_VALUE;

    /** An hour has less than 2^22 milliseconds, so 2^41 entries have room that come while it is kept. */
    private static final int INDEX_BITS = 41;

    private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;

    private final int entriesMax;
    private final long firstIndex;
    private long[] keys = new long[16];
    private int size;
    private long horizon = NO_HORIZON;

    /** @param firstIndex no entry with a lower index is added */
    NearEntries(int entriesMax, long firstIndex) {
        this.entriesMax = entriesMax;
        this.firstIndex = firstIndex;
    }

    /** Orders entries; unique in the hour. */
    long key(long msInHour, long index) {
        return msInHour << INDEX_BITS | (index - firstIndex);
    }

    static long msInHour(long key) {
        return key >>> INDEX_BITS;
    }

    long index(long key) {
        return firstIndex + (key & INDEX_MASK);
    }

    /** Smallest key that may have been forgotten, or {@link #NO_HORIZON}. */
    long horizon() {
        return horizon;
    }

    /** The lane is read again for what was forgotten. */
    void forgetHorizon() {
        horizon = NO_HORIZON;
    }

    int size() {
        return size;
    }

    /** The smallest key; there is one. */
    long first() {
        return keys[0];
    }

    /** Nothing if it lies beyond the horizon. */
    void add(long key) {
        if (key >= horizon) {
            return;
        }
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, size + (size >> 1));
        }
        int at = size++;
        while (at > 0 && keys[(at - 1) >>> 1] > key) {
            keys[at] = keys[(at - 1) >>> 1];
            at = (at - 1) >>> 1;
        }
        keys[at] = key;
        if (size > 2 * entriesMax) {
            shrink();
        }
    }

    /** Takes the smallest key out. */
    long removeFirst() {
        long first = keys[0];
        long last = keys[--size];
        int at = 0;
        for (int child = 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && keys[child + 1] < keys[child]) {
                child++;
            }
            if (keys[child] >= last) {
                break;
            }
            keys[at] = keys[child];
            at = child;
        }
        keys[at] = last;
        return first;
    }

    /** What is sorted is a heap. */
    private void shrink() {
        Arrays.sort(keys, 0, size);
        horizon = keys[entriesMax];
        size = entriesMax;
    }
}
