package io.mainstem.routing.dedup;

import java.util.BitSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeMap;

/** Sequences of one producer that are stored, of its last blocks. Thread: shard. */
final class Producer {
    /** Sequences of one value in the store. */
    static final int BLOCK = 1024;
    /** So that at least 3 x {@link #BLOCK} sequences behind the highest are known. */
    static final int BLOCKS_MAX = 4;

    private final TreeMap<Long, BitSet> blocks = new TreeMap<>();
    /** When it was used last, epoch ms. */
    long usedMs;

    static long block(long sequence) {
        return sequence / BLOCK;
    }

    static int bit(long sequence) {
        return (int) (sequence % BLOCK);
    }

    void restore(long block, BitSet bits) {
        blocks.put(block, bits);
    }

    boolean has(long sequence) {
        BitSet bits = blocks.get(block(sequence));
        return bits != null && bits.get(bit(sequence));
    }

    /** True if a block's sequences are remembered. */
    boolean knows(long block) {
        return blocks.containsKey(block);
    }

    /** What is below is not known any more. */
    long oldestBlock() {
        return blocks.isEmpty() ? 0 : Math.max(0, blocks.lastKey() - (BLOCKS_MAX - 1));
    }

    /** One more sequence; returns the blocks that are not known any more. */
    List<Long> stored(long block, int bit) {
        blocks.computeIfAbsent(block, made -> new BitSet()).set(bit);
        NavigableSet<Long> old = blocks.headMap(oldestBlock(), false).navigableKeySet();
        if (old.isEmpty()) {
            return List.of();
        }
        List<Long> gone = List.copyOf(old);
        old.clear();
        return gone;
    }

    Iterable<Long> blocks() {
        return blocks.keySet();
    }
}
