package io.mainstem.routing.queue;

import java.util.function.LongPredicate;

/**
 * Where the newest message of each key stands in one last-value queue: 24 bytes a slot, open addressing. Keys whose
 * message is gone stay until the table is full, and are left out then. Thread: shard only.
 */
final class LastValueIndex {
    /** There was no message of the key. No place of {@link Held#key} is so: its lane's number would be 127. */
    static final long NONE = -1;
    /** The table takes no more keys. */
    static final long FULL = -2;

    static final int SLOT_BYTES = 24;
    private static final int SLOTS_MIN = 16;

    private final LastValueBudget budget;
    /** Three a slot: the two halves of the key, then its place + 1, 0 = free; {@link #NONE} + 1 is never a place. */
    private long[] table = new long[0];

    private int keys;
    /** So many further keys are refused before it is worth while to look for dead ones again. */
    private int refusals;

    LastValueIndex(LastValueBudget budget) {
        this.budget = budget;
    }

    /** Heap it takes. */
    long bytes() {
        return (long) table.length * Long.BYTES;
    }

    /** Keys in it, those included whose message is gone. */
    int keys() {
        return keys;
    }

    /**
     * The key's newest message stands there now.
     *
     * @param place of {@link Held#key}
     * @param live tells whether the message of a place is still in the queue
     * @return where the one before stands or stood, {@link #NONE}, or {@link #FULL} if the key was not taken in
     */
    long put(LastValueKey.Digest key, long place, LongPredicate live) {
        if (4L * (keys + 1) > table.length && !makeRoom(live)) {
            int at = table.length == 0 ? -1 : slot(table, key.high(), key.low());
            if (at < 0 || table[at + 2] == 0) {
                return FULL;
            }
        }
        int at = slot(table, key.high(), key.low());
        long before = table[at + 2] - 1;
        if (table[at + 2] == 0) {
            table[at] = key.high();
            table[at + 1] = key.low();
            keys++;
        }
        table[at + 2] = place + 1;
        return before;
    }

    /** The queue is gone. */
    void free() {
        budget.resized(-bytes());
        table = new long[0];
        keys = 0;
    }

    private boolean makeRoom(LongPredicate live) {
        if (refusals > 0) {
            refusals--;
            return false;
        }
        int alive = 0;
        for (int at = 0; at < table.length; at += 3) {
            alive += table[at + 2] != 0 && live.test(table[at + 2] - 1) ? 1 : 0;
        }
        int wanted = Math.max(SLOTS_MIN, Integer.highestOneBit(2 * alive) * 2);
        int slots = table.length / 3;
        if (wanted != slots && !budget.fits((wanted - slots) * (long) SLOT_BYTES)) {
            wanted = slots;
        }
        if (8L * alive >= 5L * wanted) {
            refusals = slots / 8;
            return false;
        }
        budget.resized((wanted - slots) * (long) SLOT_BYTES);
        rebuild(wanted, live);
        return true;
    }

    private void rebuild(int slots, LongPredicate live) {
        long[] old = table;
        long[] next = new long[3 * slots];
        keys = 0;
        for (int at = 0; at < old.length; at += 3) {
            if (old[at + 2] != 0 && live.test(old[at + 2] - 1)) {
                int to = slot(next, old[at], old[at + 1]);
                System.arraycopy(old, at, next, to, 3);
                keys++;
            }
        }
        table = next;
    }

    /** Where the key is, or would be. */
    private static int slot(long[] in, long high, long low) {
        int slots = in.length / 3;
        int slot = (int) high & (slots - 1);
        while (in[3 * slot + 2] != 0 && (in[3 * slot] != high || in[3 * slot + 1] != low)) {
            slot = slot + 1 & (slots - 1);
        }
        return 3 * slot;
    }
}
