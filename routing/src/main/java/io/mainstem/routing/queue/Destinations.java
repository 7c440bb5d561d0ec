package io.mainstem.routing.queue;

import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Route;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * The lanes one message goes to.
 *
 * @param stored in the log: a durable message's durable queues
 * @param inMemory all others
 * @param bestEffort in memory, and dropped where nobody is there to take it or too much waits already [S-6]
 * @param expiry for the stored lanes
 * @param limited one of the queues at least refuses what is too much
 */
record Destinations(
        List<Route> stored, List<Route> inMemory, List<Route> bestEffort, ExpiryTimes expiry, boolean limited) {
    static final Destinations NOWHERE = new Destinations(List.of(), List.of(), List.of(), ExpiryTimes.NEVER, false);

    /** Of queues that take whatever comes. */
    Destinations(List<Route> stored, List<Route> inMemory, List<Route> bestEffort, ExpiryTimes expiry) {
        this(stored, inMemory, bestEffort, expiry, false);
    }

    boolean nowhere() {
        return stored.isEmpty() && inMemory.isEmpty() && bestEffort.isEmpty();
    }

    /** True if any lane lives in memory. */
    boolean anyInMemory() {
        return !inMemory.isEmpty() || !bestEffort.isEmpty();
    }

    /** The lanes that are wanted. */
    Destinations keep(Predicate<Route> wanted) {
        long[] times = new long[stored.size()];
        List<Route> left = new ArrayList<>(times.length);
        for (int at = 0; at < times.length; at++) {
            if (wanted.test(stored.get(at))) {
                times[left.size()] = expiry.at(at);
                left.add(stored.get(at));
            }
        }
        return new Destinations(
                left,
                inMemory.stream().filter(wanted).toList(),
                bestEffort.stream().filter(wanted).toList(),
                ExpiryTimes.of(Arrays.copyOf(times, left.size())),
                limited);
    }

    /** The same, for a message that is taken whatever there is. */
    Destinations unlimited() {
        return limited ? new Destinations(stored, inMemory, bestEffort, expiry) : this;
    }

    int count() {
        return stored.size() + inMemory.size() + bestEffort.size();
    }
}
