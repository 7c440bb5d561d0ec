package io.mainstem.store.view;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Blocks used last, by position; 4 KiB each. Thread: shard only. */
final class BlockCache {
    private final LinkedHashMap<Long, long[]> blocks;

    /** @param blocksMax least recently used ones go above it */
    BlockCache(int blocksMax) {
        blocks = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, long[]> eldest) {
                return size() > blocksMax;
            }
        };
    }

    long @Nullable [] get(long position) {
        return blocks.get(position);
    }

    boolean contains(long position) {
        return blocks.containsKey(position);
    }

    void put(long position, long[] words) {
        blocks.put(position, words);
    }

    void remove(long position) {
        blocks.remove(position);
    }
}
