package io.mainstem.routing.queue;

import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Changes of one plan as records of one group: a queue may go with more bindings than one record tells. Thread: any.
 */
final class MetaFrames {
    /** Of one group, well below what the store takes. */
    private static final long BYTES_MAX = 2 << 20;

    /** What a change takes beside key and value, at most. */
    private static final int CHANGE_OVERHEAD_BYTES = 16;

    private MetaFrames() {}

    /** @throws IllegalArgumentException if they are too many for a group, or one is too large for a record */
    static List<Frame> of(List<MetaChange> changes) {
        List<Frame> frames = new ArrayList<>(1);
        long all = 0;
        long bytes = CHANGE_OVERHEAD_BYTES;
        int from = 0;
        for (int at = 0; at < changes.size(); at++) {
            long more = bytes(changes.get(at));
            all += more;
            if (bytes + more > ShardStore.RECORD_BODY_BYTES_MAX && at > from) {
                frames.add(Frames.meta(changes.subList(from, at)));
                from = at;
                bytes = CHANGE_OVERHEAD_BYTES;
            }
            bytes += more;
        }
        if (all > BYTES_MAX) {
            throw new IllegalArgumentException(
                    changes.size() + " changes: " + all + " bytes (expected: <= " + BYTES_MAX + ")");
        }
        if (from < changes.size()) {
            frames.add(Frames.meta(changes.subList(from, changes.size())));
        }
        return frames;
    }

    /** Keys of a topology are ASCII. */
    private static long bytes(MetaChange change) {
        byte[] value = change.value();
        return CHANGE_OVERHEAD_BYTES + (long) change.key().length() + (value == null ? 0 : value.length);
    }
}
