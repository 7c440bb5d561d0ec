package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The consumers of one queue. Thread: shard only. */
final class QueueConsumers {
    private final List<Consumer> all = new ArrayList<>(2);
    private final List<Consumer> browsers = new ArrayList<>(0);
    private final ConsumerTurns turns = new ConsumerTurns();
    private final boolean singleActive;
    private @Nullable Consumer active;

    /** @param singleActive of those that take, one at a time gets messages: {@code x-single-active-consumer} */
    QueueConsumers(boolean singleActive) {
        this.singleActive = singleActive;
    }

    void add(Consumer consumer) {
        all.add(consumer);
        if (consumer.spec().browse()) {
            browsers.add(consumer);
        } else if (active == null) {
            active = consumer;
        }
    }

    void remove(Consumer consumer) {
        all.remove(consumer);
        browsers.remove(consumer);
        turns.remove(consumer);
        if (active == consumer) {
            active = successor();
            if (singleActive && active != null) {
                creditChanged(active);
            }
        }
    }

    /** True unless another one is to leave before this one gets anything. */
    boolean isActive(Consumer consumer) {
        return !singleActive || consumer.spec().browse() || active == consumer;
    }

    /** Highest priority first, then the one that has waited longest. */
    private @Nullable Consumer successor() {
        Consumer best = null;
        for (Consumer each : all) {
            boolean candidate = !each.spec().browse();
            if (candidate
                    && (best == null || each.spec().priority() > best.spec().priority())) {
                best = each;
            }
        }
        return best;
    }

    /** Its credit has changed. */
    void creditChanged(Consumer consumer) {
        if (consumer.spec().browse()) {
            return;
        }
        if (consumer.credit() > 0 && isActive(consumer)) {
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
