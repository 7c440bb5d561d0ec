package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The consumers of one queue. Thread: shard only. */
final class QueueConsumers {
    /** In the order they came. */
    private final Set<Consumer> all = new LinkedHashSet<>(2);

    private final ArrayDeque<Consumer> browsers = new ArrayDeque<>(0);
    /** Some of these may have been answered by now. */
    private final Set<Consumer> draining = new LinkedHashSet<>(0);

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
        } else if (singleActive && active == null) {
            active = consumer;
        }
    }

    void remove(Consumer consumer) {
        all.remove(consumer);
        draining.remove(consumer);
        if (consumer.spec().browse()) {
            browsers.remove(consumer);
        }
        turns.remove(consumer);
        if (active == consumer) {
            active = successor();
            if (active != null) {
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
        if (consumer.draining()) {
            draining.add(consumer);
        } else {
            draining.remove(consumer);
        }
        if (consumer.spec().browse()) {
            return;
        }
        if (isActive(consumer) && (consumer.credit() > 0 || consumer.expectsMore())) {
            if (consumer.credit() <= 0) {
                turns.remove(consumer);
            }
            turns.enter(consumer);
        } else {
            turns.remove(consumer);
        }
    }

    Collection<Consumer> all() {
        return all;
    }

    /** How many there are that see without taking. */
    int browsers() {
        return browsers.size();
    }

    /** The one of them whose turn it is. */
    Consumer nextBrowser() {
        Consumer next = browsers.remove();
        browsers.add(next);
        return next;
    }

    /** Those that take, have credit, and wait. */
    ConsumerTurns turns() {
        return turns;
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** An exclusive one is alone. */
    boolean anyExclusive() {
        return !all.isEmpty() && all.iterator().next().spec().exclusive();
    }

    /** Those that are to hear when there is nothing for them. */
    List<Consumer> draining() {
        if (draining.isEmpty()) {
            return List.of();
        }
        draining.removeIf(consumer -> !consumer.draining());
        return List.copyOf(draining);
    }
}
