package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Who is next: consumers that have credit, higher priority first, equal ones in turn. Thread: shard only.
 *
 * <p>A consumer without credit is not in here, so that a queue with many idle consumers costs nothing.
 */
final class ConsumerTurns {
    private final TreeMap<Integer, ArrayDeque<Consumer>> byPriority = new TreeMap<>((a, b) -> Integer.compare(b, a));
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** Behind all others of its priority; nothing happens if it is in already or has no credit. */
    void addLast(Consumer consumer) {
        if (enter(consumer)) {
            ring(consumer).addLast(consumer);
        }
    }

    /** Before all others of its priority: it was its turn, but there was nothing for it. */
    void addFirst(Consumer consumer) {
        if (enter(consumer)) {
            ring(consumer).addFirst(consumer);
        }
    }

    /** Takes out the consumer whose turn it is, or returns null if nobody has credit. */
    @Nullable
    Consumer next() {
        if (size == 0) {
            return null;
        }
        for (ArrayDeque<Consumer> ring : byPriority.values()) {
            Consumer consumer = ring.poll();
            if (consumer != null) {
                consumer.waiting = false;
                size--;
                return consumer;
            }
        }
        return null;
    }

    void remove(Consumer consumer) {
        if (consumer.waiting) {
            consumer.waiting = false;
            ring(consumer).remove(consumer);
            size--;
        }
    }

    /** Sum of the credit of all that wait, at most {@code max}. */
    int credit(int max) {
        long credit = 0;
        for (ArrayDeque<Consumer> ring : byPriority.values()) {
            Iterator<Consumer> consumers = ring.iterator();
            while (consumers.hasNext() && credit < max) {
                credit += consumers.next().credit();
            }
        }
        return (int) Math.min(credit, max);
    }

    private boolean enter(Consumer consumer) {
        if (consumer.waiting || consumer.credit() <= 0) {
            return false;
        }
        consumer.waiting = true;
        size++;
        return true;
    }

    private ArrayDeque<Consumer> ring(Consumer consumer) {
        return byPriority.computeIfAbsent(consumer.spec().priority(), priority -> new ArrayDeque<>(4));
    }
}
