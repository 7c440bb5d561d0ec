package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who is next: consumers that have credit, higher priority first, equal ones in turn. Thread: shard only.
 *
 * <p>A consumer without credit is not in here, so that a queue with many idle consumers costs nothing.
 */
final class ConsumerTurns {
    /** By priority, highest first; nearly always one. */
    private final List<Ring> rings = new ArrayList<>(1);

    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    /** Behind all others of its priority; nothing happens if it is in already or has no credit. */
    void addLast(Consumer consumer) {
        if (enter(consumer)) {
            ring(consumer).waiting.addLast(consumer);
        }
    }

    /** Before all others of its priority: it was its turn, but there was nothing for it. */
    void addFirst(Consumer consumer) {
        if (enter(consumer)) {
            ring(consumer).waiting.addFirst(consumer);
        }
    }

    /** Takes out the consumer whose turn it is, or returns null if nobody has credit. */
    @Nullable
    Consumer next() {
        for (int at = 0; size > 0 && at < rings.size(); at++) {
            Consumer consumer = rings.get(at).waiting.poll();
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
            ring(consumer).waiting.remove(consumer);
            size--;
        }
    }

    /** Sum of the credit of all that wait, at most {@code max}. */
    int credit(int max) {
        long credit = 0;
        for (Ring ring : rings) {
            for (Consumer consumer : ring.waiting) {
                credit += consumer.credit();
                if (credit >= max) {
                    return max;
                }
            }
        }
        return (int) credit;
    }

    void forEach(java.util.function.Consumer<Consumer> action) {
        for (Ring ring : rings) {
            ring.waiting.forEach(action);
        }
    }

    private boolean enter(Consumer consumer) {
        if (consumer.waiting || consumer.credit() <= 0) {
            return false;
        }
        consumer.waiting = true;
        size++;
        return true;
    }

    private Ring ring(Consumer consumer) {
        int priority = consumer.spec().priority();
        int at = 0;
        while (at < rings.size() && rings.get(at).priority >= priority) {
            if (rings.get(at).priority == priority) {
                return rings.get(at);
            }
            at++;
        }
        Ring ring = new Ring(priority, new ArrayDeque<>(4));
        rings.add(at, ring);
        return ring;
    }

    private record Ring(int priority, ArrayDeque<Consumer> waiting) {}
}
