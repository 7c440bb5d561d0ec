package io.mainstem.store.view;

/** Finds the entries of a block that cannot be read somewhere else. */
@FunctionalInterface
public interface BlockRepair {
    /**
     * Begins to; later, on the shard thread, {@link Lanes#rebuilt} or {@link Lanes#notRebuilt} is called. Thread: shard.
     */
    void rebuild(LostBlock block);
}
