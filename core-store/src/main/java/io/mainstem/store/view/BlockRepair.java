package io.mainstem.store.view;

import org.jspecify.annotations.Nullable;

/** Finds the entries of a block that cannot be read somewhere else. */
@FunctionalInterface
public interface BlockRepair {
    /**
     * Begins to; in the end, on the shard thread, {@link LaneBlocks#rebuilt} or {@link LaneBlocks#notRebuilt} is called. Thread: shard.
     *
     * @param inMemory its entries, if they are there still
     */
    void rebuild(LostBlock block, long @Nullable [] inMemory);
}
