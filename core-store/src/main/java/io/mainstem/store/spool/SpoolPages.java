package io.mainstem.store.spool;

import java.util.BitSet;

/** Which pages of one spool file are taken. Freed pages are used again, whoever had them. Thread: the spool's. */
final class SpoolPages {
    private final int pages;
    private final BitSet taken = new BitSet();
    private int free;
    private int lowestFree;
    private int lastFirst;

    SpoolPages(int pages) {
        this.pages = pages;
        this.free = pages;
    }

    boolean full() {
        return free == 0;
    }

    boolean empty() {
        return free == pages;
    }

    /**
     * Takes the lowest free pages that are neighbours, {@code wanted} at most.
     *
     * @return how many were taken; they begin at {@link #lastFirst}
     */
    int take(int wanted) {
        int first = taken.nextClearBit(lowestFree);
        int end = taken.nextSetBit(first);
        int found = Math.min(wanted, (end < 0 ? pages : end) - first);
        taken.set(first, first + found);
        lastFirst = first;
        lowestFree = first + found;
        free -= found;
        return found;
    }

    /** Where what was taken last begins. */
    int lastFirst() {
        return lastFirst;
    }

    void free(int first, int count) {
        taken.clear(first, first + count);
        free += count;
        lowestFree = Math.min(lowestFree, first);
    }
}
