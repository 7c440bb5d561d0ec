package io.mainstem.routing.dedup;

import java.util.Comparator;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The room that what all users have published shares. When it is full the user who has most forgets the oldest: whoever has
 * few keeps them, however many others there are. Thread: shard.
 */
final class Shares {
    private final int weightMax;
    private final NavigableSet<Window> bySize = new TreeSet<>(
            Comparator.<Window>comparingInt(each -> each.listedWeight).thenComparing(Window::key));
    private long total;

    /** @param weightMax of all windows together */
    Shares(int weightMax) {
        this.weightMax = weightMax;
    }

    /** A window has got or forgotten something. */
    void changed(Window window) {
        int weight = window.weight();
        if (weight == window.listedWeight) {
            return;
        }
        bySize.remove(window);
        total += weight - window.listedWeight;
        window.listedWeight = weight;
        if (weight > 0) {
            bySize.add(window);
        }
    }

    /** Makes room, in so many steps at most. */
    void makeRoom(int stepsMax) {
        for (int step = 0; step < stepsMax && total > weightMax; step++) {
            Window largest = bySize.last();
            largest.forgetOldest();
            changed(largest);
        }
    }

    long total() {
        return total;
    }
}
