package io.mainstem.routing.topology;

import io.mainstem.routing.message.Message;
import io.mainstem.routing.selector.MessageFields;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where messages of one key go: to some queues always, to others if a filter of theirs lets the message through [S-11].
 * Immutable; thread: any.
 *
 * @param always what every message gets
 * @param filtered what depends on the message, or null; no queue of {@code always}
 * @param unmappable an MQTT subscription matched, and the key is no topic name
 */
record ResolvedRoute(RouteResult always, @Nullable FilteredTargets filtered, boolean unmappable) {
    /** Targets, for the cache's weight. */
    int size() {
        return always.targets().size() + (filtered == null ? 0 : filtered.size());
    }

    RouteResult of(Message message) {
        if (filtered == null) {
            return always;
        }
        List<RouteResult.Target> taken = filtered.of(MessageFields.routed(message));
        if (taken.isEmpty()) {
            return always;
        }
        List<RouteResult.Target> all = new ArrayList<>(always.targets());
        all.addAll(taken);
        return new RouteResult(all);
    }
}
