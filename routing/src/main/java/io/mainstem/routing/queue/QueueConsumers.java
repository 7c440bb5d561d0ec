package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.List;

/** The consumers of one queue. Thread: shard only. */
final class QueueConsumers {
    private final List<Consumer> all = new ArrayList<>(2);
    private final List<Consumer> browsers = new ArrayList<>(0);
    private final ConsumerTurns turns = new ConsumerTurns();

    void add(Consumer consumer) {
        all.add(consumer);
        if (consumer.spec().browse()) {
            browsers.add(consumer);
        }
    }

    void remove(Consumer consumer) {
        all.remove(consumer);
        browsers.remove(consumer);
        turns.remove(consumer);
    }

    /** Its credit has changed. */
    void creditChanged(Consumer consumer) {
        if (consumer.spec().browse()) {
            return;
        }
        if (consumer.credit() > 0) {
            turns.addLast(consumer);
        } else {
            turns.remove(consumer);
        }
    }

    List<Consumer> all() {
        return all;
    }

    /** Those that see without taking. */
    List<Consumer> browsers() {
        return browsers;
    }

    /** Those that take, have credit, and wait. */
    ConsumerTurns turns() {
        return turns;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    boolean anyExclusive() {
        for (Consumer consumer : all) {
            if (consumer.spec().exclusive()) {
                return true;
            }
        }
        return false;
    }

    boolean anyDraining() {
        for (Consumer consumer : all) {
            if (consumer.draining()) {
                return true;
            }
        }
        return false;
    }
}
