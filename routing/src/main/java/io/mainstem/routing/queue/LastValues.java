package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What a last-value queue knows of its messages: the newest of each key, in the order they came, whether they are durable or
 * not. Nothing of it is on disk: it is found again from the messages that wait. Thread: shard only.
 */
final class LastValues {
    private static final int SUPERSEDED_PER_PRUNE = 1024;

    /** Neighbours in one of the two lanes that have arrived and were not looked at. */
    private record Run(boolean stored, long end) {}

    /** One that is read for its key, or has been. */
    static final class Look {
        boolean read;
        LastValueKey.@Nullable Digest key;
    }

    final LastValueKey key;
    final LastValueIndex index;
    final Leaving leaving = new Leaving();
    /** Stored entries that are read ahead of their turn, by index. */
    final Map<Long, Look> looks = new HashMap<>();
    /** Replaced ones whose entry is being fetched, so that they can be settled. */
    int fetching;
    /** A look at the next one is under way, and calls back. */
    boolean waiting;

    private final ArrayDeque<Run> runs = new ArrayDeque<>();
    private long storedAt;
    private long inMemoryAt;
    /** Up to where the lanes are known. */
    private long storedEnd;

    private long inMemoryEnd;
    /** In flight, and replaced meanwhile: they do not come back. */
    private final Set<Long> superseded = new HashSet<>(4);

    private int pruneAt = SUPERSEDED_PER_PRUNE;

    LastValues(LastValueKey key, LastValueBudget budget) {
        this.key = key;
        this.index = new LastValueIndex(budget);
    }

    /** What waits there is from an earlier run. */
    void recovered(long fromIndex, long toIndex) {
        storedAt = fromIndex;
        storedEnd = toIndex;
        if (fromIndex < toIndex) {
            runs.addLast(new Run(true, toIndex));
        }
    }

    /** One more stored entry, the next in its lane. */
    void stored() {
        arrived(true, ++storedEnd);
    }

    /** One more message in memory, the next in its lane. */
    void inMemory() {
        arrived(false, ++inMemoryEnd);
    }

    private void arrived(boolean stored, long end) {
        Run last = runs.peekLast();
        if (last != null && last.stored == stored) {
            runs.removeLast();
        }
        runs.addLast(new Run(stored, end));
    }

    /** True if messages are in the queue whose key has not been looked at: which of them are the last is not known. */
    boolean behind() {
        return !runs.isEmpty();
    }

    /** Whether the oldest that was not looked at is a stored one. */
    boolean nextIsStored() {
        return runs.element().stored;
    }

    /** Index or sequence of the oldest that was not looked at. */
    long next() {
        return nextIsStored() ? storedAt : inMemoryAt;
    }

    /** End of the neighbours that {@link #next} is one of. */
    long end() {
        return runs.element().end;
    }

    /** It, and all before it, are done with. */
    void seen(long position) {
        Run first = runs.element();
        if (first.stored) {
            storedAt = position + 1;
        } else {
            inMemoryAt = position + 1;
        }
        if (position + 1 >= first.end) {
            runs.remove();
        }
    }

    /** A message in flight has been replaced. */
    void supersede(long place, LongPredicate live) {
        superseded.add(place);
        if (superseded.size() >= pruneAt) {
            superseded.removeIf(each -> !live.test(each));
            pruneAt = Math.max(SUPERSEDED_PER_PRUNE, 2 * superseded.size());
        }
    }

    /** True once if it must not come back into the queue. */
    boolean removeSuperseded(long place) {
        return superseded.remove(place);
    }
}
