package io.mainstem.amqp.v1;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Container-ids of all connections of a user, so that one which wants to be the only one with its id is (AMQP Enforcing Connection
 * Uniqueness 1.0). Detection is strong: connections that do not ask for that count, too, those before it and those after.
 *
 * <p>Thread: any.
 */
final class ContainerIds {
    private final Map<String, List<Holder>> held = new HashMap<>();

    /** What happens to the connections that are there when one wants to be the only one. */
    enum Enforcement {
        /** They stay. */
        REFUSE_CONNECTION,
        /** They go. */
        CLOSE_EXISTING
    }

    /** One connection; it is told from others by identity. */
    static final class Holder {
        private final String key;
        private final boolean sole;
        private final Runnable end;

        /**
         * @param sole no other may have its id
         * @param end closes it; any thread
         */
        Holder(String virtualHost, String containerId, @Nullable String user, boolean sole, Runnable end) {
            // Nobody keeps another user's services out by taking their ids.
            this.key = virtualHost + '\0' + (user == null ? "" : user) + '\0' + containerId;
            this.sole = sole;
            this.end = end;
        }
    }

    /** True if it may have its id; {@link #release} it with the connection. */
    boolean take(Holder holder, Enforcement enforcement) {
        List<Holder> ended;
        synchronized (this) {
            List<Holder> others = held.getOrDefault(holder.key, List.of());
            boolean conflict = holder.sole ? !others.isEmpty() : others.stream().anyMatch(each -> each.sole);
            if (conflict && !(holder.sole && enforcement == Enforcement.CLOSE_EXISTING)) {
                return false;
            }
            ended = conflict ? others : List.of();
            List<Holder> now = conflict ? new ArrayList<>(1) : new ArrayList<>(others);
            now.add(holder);
            held.put(holder.key, now);
        }
        ended.forEach(each -> each.end.run());
        return true;
    }

    /** Idempotent. */
    synchronized void release(Holder holder) {
        List<Holder> holders = held.get(holder.key);
        if (holders != null) {
            holders.remove(holder);
            if (holders.isEmpty()) {
                held.remove(holder.key);
            }
        }
    }
}
