package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who is next: consumers that have credit, higher priority first; of equal ones the one that has had fewer messages, so that
 * one that asks for them one by one, or gives its credit back now and then, gets its share. Thread: shard only.
 *
 * <p>A consumer without credit does not wait in here, so that a queue with many idle consumers costs nothing.
 */
final class ConsumerTurns {
    private static final Comparator<Consumer> FEWER_FIRST =
            Comparator.<Consumer>comparingLong(each -> each.had).thenComparingLong(each -> each.entered);

    /** By priority, highest first; nearly always one. */
    private final List<Ring> rings = new ArrayList<>(1);

    private int size;
    private long entered;

    boolean isEmpty() {
        return size == 0;
    }

    /** Its credit has changed: it waits behind those that have had as many messages; not if it has no credit. */
    void enter(Consumer consumer) {
        Ring ring = ring(consumer);
        ring.comes(consumer);
        if (mayWait(consumer)) {
            consumer.had = Math.max(consumer.had, ring.had);
            consumer.entered = ++entered;
            ring.waiting.add(consumer);
        }
    }

    /** It has had a message; it waits for the next one unless its credit is used up. */
    void delivered(Consumer consumer) {
        Ring ring = ring(consumer);
        ring.had = Math.max(ring.had, consumer.had);
        consumer.had++;
        enter(consumer);
    }

    /** It was its turn, but there was nothing for it. */
    void giveBack(Consumer consumer) {
        if (mayWait(consumer)) {
            ring(consumer).waiting.add(consumer);
        }
    }

    /** It has used the time of its turn up: all others of its priority come first. */
    void postpone(Consumer consumer) {
        for (Consumer other : ring(consumer).waiting) {
            consumer.had = Math.max(consumer.had, other.had);
        }
        enter(consumer);
    }

    /**
     * Takes out the consumer whose turn it is, or returns null: nobody has credit, or one of a higher priority than those
     * who have is about to have more.
     */
    @Nullable
    Consumer next() {
        for (int at = 0; size > 0 && at < rings.size(); at++) {
            Ring ring = rings.get(at);
            Consumer consumer = ring.waiting.poll();
            if (consumer != null) {
                consumer.waiting = false;
                size--;
                return consumer;
            }
            if (!ring.coming.isEmpty()) {
                return null;
            }
        }
        return null;
    }

    void remove(Consumer consumer) {
        Ring ring = ring(consumer);
        ring.coming.remove(consumer);
        if (consumer.waiting) {
            consumer.waiting = false;
            ring.waiting.remove(consumer);
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

    private boolean mayWait(Consumer consumer) {
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
        Ring ring = new Ring(priority);
        rings.add(at, ring);
        return ring;
    }

    /** Those of one priority. */
    private static final class Ring {
        private final int priority;
        private final PriorityQueue<Consumer> waiting = new PriorityQueue<>(2, FEWER_FIRST);
        /** Without credit, but soon with more. */
        private final Set<Consumer> coming = new HashSet<>(2);
        /** How many messages the one had that was last given one: who comes later begins with that many. */
        private long had;

        Ring(int priority) {
            this.priority = priority;
        }

        void comes(Consumer consumer) {
            if (consumer.expectsMore()) {
                coming.add(consumer);
            } else if (!coming.isEmpty()) {
                coming.remove(consumer);
            }
        }
    }
}
