package io.mainstem.store.shard;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.SegmentedLog;
import java.io.IOException;
import java.time.InstantSource;

/** Opens the log under a store, as {@code SegmentedLog.open} does. */
@FunctionalInterface
interface LogOpening {
    /**
     * Recovers the log and replays it. The store's lock is held by the caller.
     *
     * @param replayFromLsn where replay begins, 0 = at the very beginning
     * @param syncedLsn a checkpoint vouches that the log was durable up to here
     * @param to receives complete groups in log order before this returns
     */
    CommitLog open(long replayFromLsn, long syncedLsn, CommitLog.ReplayedGroups to) throws IOException;

    /** The log in segment files. */
    static LogOpening segmented(StoreConfig config, StoreFiles files, InstantSource clock) {
        return (from, synced, to) -> SegmentedLog.open(files, config, clock, from, synced, to);
    }
}
