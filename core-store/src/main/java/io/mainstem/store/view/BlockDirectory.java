package io.mainstem.store.view;

import io.mainstem.store.Entry;
import java.util.Arrays;

/**
 * Where a lane's full blocks are, oldest first, which record made the first entry of each, and between which LSNs lies what
 * their entries point at; 32 bytes a block.
 * A block whose entries are all settled is given up wherever it stands: one stuck message does not keep those behind it.
 *
 * <p>Thread: shard only.
 */
final class BlockDirectory {
    /** In place of the position of a block that was given up; view files count from 1, so no block is there. */
    static final long GIVEN_UP = 0;

    /** Of a block in the checkpoint of an earlier build: which record made its first entry is not known. */
    static final long UNKNOWN = -1;

    private static final int WORDS = 4;
    private static final long[] NONE = {};

    private long[] words = NONE;
    private int head;
    private int count;

    /** As a checkpoint has it: what the blocks point at is not known. */
    static BlockDirectory of(long[] positions, long[] madeAt) {
        BlockDirectory directory = new BlockDirectory();
        directory.words = new long[positions.length * WORDS];
        for (int i = 0; i < positions.length; i++) {
            directory.words[i * WORDS + 3] = madeAt[i];
            directory.put(directory.count++, positions[i], 0, Long.MAX_VALUE);
        }
        return directory;
    }

    int count() {
        return count;
    }

    /** Position of the i-th block, or {@link #GIVEN_UP}. */
    long position(int i) {
        return words[(head + i) * WORDS];
    }

    /** LSN of the record that made the first entry of the i-th block, given up or not; or {@link #UNKNOWN}. */
    long madeAt(int i) {
        return words[(head + i) * WORDS + 3];
    }

    /** False if no entry of that block points into [from, to). */
    boolean mayPointInto(int i, long from, long to) {
        int at = (head + i) * WORDS;
        return words[at + 1] < to && words[at + 2] >= from;
    }

    /** Adds a full block in which nothing waits, which is not written. */
    void addGivenUp(long[] entries) {
        room();
        words[(head + count) * WORDS + 3] = LostBlock.madeAt(EntryWords.get(entries, 0, 0));
        giveUp(count++);
    }

    private void room() {
        if ((head + count + 1) * WORDS > words.length) {
            long[] more = new long[Math.max(4, count + (count >> 1) + 1) * WORDS];
            System.arraycopy(words, head * WORDS, more, 0, count * WORDS);
            words = more;
            head = 0;
        }
    }

    /** Adds a full block. */
    void add(long position, long[] entries) {
        room();
        long low = Long.MAX_VALUE;
        long high = 0;
        for (int slot = 0; slot < Block.ENTRIES; slot++) {
            Entry entry = EntryWords.get(entries, slot, 0);
            low = Math.min(low, Math.min(entry.firstUnit() * Entry.UNIT_BYTES, entry.isRef() ? entry.aux() : low));
            high = Math.max(high, Math.max(entry.lsn(), entry.isRef() ? entry.aux() : 0));
        }
        words[(head + count) * WORDS + 3] = LostBlock.madeAt(EntryWords.get(entries, 0, 0));
        put(count++, position, low, high);
    }

    private void put(int i, long position, long low, long high) {
        int at = (head + i) * WORDS;
        words[at] = position;
        words[at + 1] = low;
        words[at + 2] = high;
    }

    /** The block's entries lie elsewhere now. */
    void move(int i, long position) {
        words[(head + i) * WORDS] = position;
    }

    /** All entries of the i-th block are settled. */
    void giveUp(int i) {
        put(i, GIVEN_UP, Long.MAX_VALUE, -1);
    }

    void removeFirst() {
        head++;
        count--;
        if (count == 0) {
            words = NONE;
            head = 0;
        }
    }

    /** {@link #madeAt} of all. */
    long[] madeAt() {
        long[] all = new long[count];
        Arrays.setAll(all, this::madeAt);
        return all;
    }

    /** All of them, and the next few from {@code from} on if {@code max} is less. */
    long[] positions(int from, int max) {
        long[] positions = new long[Math.min(max, count - from)];
        Arrays.setAll(positions, i -> position(from + i));
        return positions;
    }
}
