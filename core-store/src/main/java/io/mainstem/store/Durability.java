package io.mainstem.store;

/** When a {@link RecordGroup} counts as done [L-3]. */
public enum Durability {
    /** Done once a sync covers it: survives power loss. */
    SYNC,
    /** Done once written to the file: survives {@code kill -9}, not power loss. Synced in the background. */
    WRITE,
    /**
     * As {@link #WRITE}, but no reason to write: it rides with the next group that is one, or goes when {@link
     * ShardStore#writeDeferred} asks for it. For what many small groups may do a little later.
     */
    DEFERRED
}
