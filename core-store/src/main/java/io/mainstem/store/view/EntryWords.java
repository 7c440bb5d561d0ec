package io.mainstem.store.view;

import io.mainstem.store.Entry;

/**
 * Entries as they lie in memory and on disk: four little-endian longs each.
 *
 * <pre>
 * 0  lsn
 * 1  size (bits 0-31) | flags (32-47) | fanout (48-63)
 * 2  aux
 * 3  expireAtMs
 * </pre>
 */
final class EntryWords {
    static final int PER_ENTRY = 4;

    private EntryWords() {}

    static void put(long[] words, int slot, Entry entry) {
        int at = slot * PER_ENTRY;
        words[at] = entry.lsn();
        words[at + 1] = (entry.size() & 0xFFFF_FFFFL)
                | (entry.flags() & 0xFFFFL) << 32
                | (long) Math.min(entry.fanout(), Entry.FANOUT_MAX) << 48;
        words[at + 2] = entry.aux();
        words[at + 3] = entry.expireAtMs();
    }

    static Entry get(long[] words, int slot, long index) {
        int at = slot * PER_ENTRY;
        long packed = words[at + 1];
        return new Entry(
                index,
                words[at],
                (int) packed,
                (int) (packed >>> 32) & 0xFFFF,
                (int) (packed >>> 48),
                words[at + 2],
                words[at + 3]);
    }
}
