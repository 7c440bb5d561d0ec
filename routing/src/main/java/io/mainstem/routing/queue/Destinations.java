package io.mainstem.routing.queue;

import io.mainstem.store.Route;
import java.util.List;

/**
 * The lanes one message goes to.
 *
 * @param stored in the log: a durable message's durable queues
 * @param inMemory all others
 * @param bestEffort in memory, and dropped where nobody is there to take it or too much waits already [S-6]
 * @param expireAtMs for the log: the latest at which any of the stored lanes lets it expire, 0 = never
 */
record Destinations(List<Route> stored, List<Route> inMemory, List<Route> bestEffort, long expireAtMs) {
    static final Destinations NOWHERE = new Destinations(List.of(), List.of(), List.of(), 0);

    boolean nowhere() {
        return stored.isEmpty() && inMemory.isEmpty() && bestEffort.isEmpty();
    }

    /** True if any lane lives in memory. */
    boolean anyInMemory() {
        return !inMemory.isEmpty() || !bestEffort.isEmpty();
    }

    int count() {
        return stored.size() + inMemory.size() + bestEffort.size();
    }
}
