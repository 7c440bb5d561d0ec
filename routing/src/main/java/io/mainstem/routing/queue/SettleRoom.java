package io.mainstem.routing.queue;

import io.mainstem.store.Entry;

/**
 * How much more one SETTLE record takes: it tells every unit of the log that its entries hold, so a few large messages
 * fill it as many small ones do. Thread: the owner's.
 */
final class SettleRoom {
    /** About 20 bytes each at most. */
    private static final int ENTRIES_MAX = 8192;
    /** About 5 bytes each; the largest message holds fewer. */
    private static final long UNITS_MAX = 1 << 16;

    private int entries;
    private long units;

    /** True if the record takes the entry; an empty one takes any. */
    boolean fits(Entry entry) {
        return entries == 0 || (entries < ENTRIES_MAX && units + entry.units() <= UNITS_MAX);
    }

    void add(Entry entry) {
        entries++;
        units += entry.units();
    }

    void clear() {
        entries = 0;
        units = 0;
    }
}
