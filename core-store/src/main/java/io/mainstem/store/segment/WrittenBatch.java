package io.mainstem.store.segment;

import io.mainstem.store.Durability;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Groups that share one fate, on their way from the writer to the applier. Immutable.
 *
 * @param endLsn done once the log is synced up to here, if {@code needsSync}
 * @param resumeLsn where replay may start once these groups are drained
 * @param failure why they were not written, or null
 */
record WrittenBatch(
        List<RecordGroup> groups,
        long endLsn,
        long resumeLsn,
        boolean needsSync,
        @Nullable StoreState failure) {

    static WrittenBatch failed(RecordGroup group, StoreState why) {
        return new WrittenBatch(List.of(group), 0, 0, false, why);
    }

    static boolean needsSync(List<RecordGroup> groups) {
        for (RecordGroup group : groups) {
            if (group.durability() == Durability.SYNC) {
                return true;
            }
        }
        return false;
    }
}
