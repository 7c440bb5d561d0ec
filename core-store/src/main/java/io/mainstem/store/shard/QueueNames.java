package io.mainstem.store.shard;

import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** What queues are called, for what is logged of them: the store knows their ids only. Thread: shard. */
final class QueueNames {
    private IntFunction<@Nullable String> names = id -> null;

    void are(IntFunction<@Nullable String> newNames) {
        names = newNames;
    }

    /** Name and id of the queue that a lane belongs to, or the id alone. */
    String of(long laneId) {
        int id = (int) (laneId >>> 8);
        String name = names.apply(id);
        return name == null ? "queue-id=" + id : "queue=" + name + " queue-id=" + id;
    }
}
