package io.mainstem.store;

import java.util.List;

/**
 * What a message that waits for its time carries: the lanes it goes to then. They were decided when it was published,
 * so that nothing is decided when its time has come. One at least.
 *
 * @param deliverAtMs epoch ms, not before
 * @param stored lanes that get it as a stored message
 * @param inMemory lanes that get it in memory
 * @param bestEffort lanes that get it in memory if somebody is there to take it
 */
public record Delay(long deliverAtMs, List<Route> stored, List<Route> inMemory, List<Route> bestEffort) {
    public Delay {
        stored = List.copyOf(stored);
        inMemory = List.copyOf(inMemory);
        bestEffort = List.copyOf(bestEffort);
        if (deliverAtMs <= 0 || stored.size() + inMemory.size() + bestEffort.size() == 0) {
            throw new IllegalArgumentException("delay: until " + deliverAtMs + " for " + stored.size() + " + "
                    + inMemory.size() + " + " + bestEffort.size() + " lanes (expected: deliverAtMs > 0, >= 1 lane)");
        }
    }
}
