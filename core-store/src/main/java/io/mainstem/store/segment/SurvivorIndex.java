package io.mainstem.store.segment;

import java.util.Arrays;

/**
 * Where the records of a compacted file are: 12 bytes each, LSNs ascending. Thread: any once it is made; it only grows
 * while its file is written.
 */
final class SurvivorIndex {
    private long[] lsns;
    private int[] units;
    private int size;

    SurvivorIndex(int expected) {
        lsns = new long[Math.max(16, expected)];
        units = new int[lsns.length];
    }

    /** @param position a multiple of 8 */
    void add(long lsn, long position) {
        if (size > 0 && lsn <= lsns[size - 1]) {
            throw new IllegalArgumentException("lsn: " + lsn + " (expected: > " + lsns[size - 1] + ")");
        }
        if (size == lsns.length) {
            lsns = Arrays.copyOf(lsns, size + (size >> 1) + 1);
            units = Arrays.copyOf(units, lsns.length);
        }
        lsns[size] = lsn;
        units[size++] = (int) (position / LogLayout.RECORD_ALIGN);
    }

    int size() {
        return size;
    }

    long lsn(int i) {
        return lsns[i];
    }

    long position(int i) {
        return Integer.toUnsignedLong(units[i]) * LogLayout.RECORD_ALIGN;
    }

    /** Number of the first record at or behind {@code lsn}. */
    int firstFrom(long lsn) {
        int at = Arrays.binarySearch(lsns, 0, size, lsn);
        return at < 0 ? -at - 1 : at;
    }

    /** Where the record at {@code lsn} is, or -1. */
    long positionOf(long lsn) {
        int at = Arrays.binarySearch(lsns, 0, size, lsn);
        return at < 0 ? -1 : position(at);
    }
}
