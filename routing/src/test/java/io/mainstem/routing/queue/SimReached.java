package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How often seeds came across what, so that a simulation that no longer reaches something is noticed. */
final class SimReached {
    /** Each kind of operation, of what comes of it, and of end. */
    private static final List<String> WANTED = List.of(
            "published to a queue",
            "published to all",
            "published to a topic",
            "published in memory",
            "published delayed",
            "published to expire",
            "published with an id",
            "published again",
            "in doubt, and stored",
            "in doubt, and not stored",
            "stored",
            "refused",
            "unroutable",
            "delivered",
            "settled",
            "released",
            "failed",
            "given up after failures",
            "rejected to dead letters",
            "settled for good",
            "settled and came again",
            "unanswered and there",
            "unanswered and lost",
            "unanswered fan-out and there",
            "unanswered fan-out and lost",
            "committed",
            "rolled back",
            "unanswered commit and there",
            "unanswered commit and lost",
            "left open",
            "fired",
            "cancelled",
            "expired",
            "expired to dead letters",
            "purged",
            "deleted",
            "declared again",
            "consumer closed",
            "session closed",
            "checkpoint asked",
            "compacted",
            "long lanes",
            "older checkpoint",
            "killed",
            "stopped",
            "log failed",
            "disk full",
            "reads failed",
            "power cut at rest",
            "power cut in OPENING",
            "power cut in LOG",
            "power cut in BACKGROUND",
            "power cut in CLOSING");

    private final Map<String, Integer> times = new TreeMap<>();

    void add(String what) {
        times.merge(what, 1, Integer::sum);
    }

    List<String> missing() {
        List<String> missing = new ArrayList<>(WANTED);
        missing.removeAll(times.keySet());
        return missing;
    }

    @Override
    public String toString() {
        return times.toString();
    }
}
