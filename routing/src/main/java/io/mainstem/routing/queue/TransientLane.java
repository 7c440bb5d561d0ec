package io.mainstem.routing.queue;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The non-durable messages of one queue and priority that are ready, oldest first; what is given back returns to its
 * position [T-5]. Thread: shard only.
 */
final class TransientLane {
    private final TreeMap<Long, TransientMessage> ready = new TreeMap<>();
    private long nextSequence;

    /** A new message, behind all others. */
    void add(TransientMessage message) {
        message.place(nextSequence++);
        ready.put(message.sequence(), message);
    }

    /** Takes a ready message out. */
    void take(TransientMessage message) {
        ready.remove(message.sequence());
    }

    void giveBack(TransientMessage message) {
        ready.put(message.sequence(), message);
    }

    /** Oldest ready message at or behind {@code sequence}, or null. */
    @Nullable
    TransientMessage nextFrom(long sequence) {
        if (ready.isEmpty()) {
            return null;
        }
        Map.Entry<Long, TransientMessage> found = sequence <= 0 ? ready.firstEntry() : ready.ceilingEntry(sequence);
        return found == null ? null : found.getValue();
    }

    /** Sequence of the oldest ready message at or behind another, or -1. */
    long sequenceFrom(long sequence) {
        TransientMessage found = nextFrom(sequence);
        return found == null ? -1 : found.sequence();
    }

    int ready() {
        return ready.size();
    }
}
