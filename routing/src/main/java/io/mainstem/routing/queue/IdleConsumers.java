package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Consumers of one queue that had their turn and got nothing. Who looks at the same messages as one of them need not
 * try. Thread: shard only.
 */
final class IdleConsumers {
    private final long turn;
    private @Nullable Consumer firstLater;
    private final List<Consumer> all = new ArrayList<>(0);
    private final Set<Consumer> foundNothing = new HashSet<>(0);
    /** What one that takes anything was told; DELIVERED = none has tried. */
    private Step atHead = Step.DELIVERED;

    IdleConsumers(long turn) {
        this.turn = turn;
    }

    /** Adds a consumer that would be told the same as one before it; false if it has to try. */
    boolean joins(Consumer consumer) {
        if (consumer.excludesAny()) {
            return false;
        }
        Scan scan = consumer.scan();
        if (scan != null && scan.idleInTurn == turn) {
            add(consumer, scan.idleStep);
            return true;
        }
        if (scan == null && atHead != Step.DELIVERED) {
            add(consumer, atHead);
            return true;
        }
        return false;
    }

    void add(Consumer consumer, Step step) {
        if (step == Step.LATER && firstLater == null) {
            firstLater = consumer;
        } else {
            all.add(consumer);
        }
        if (step == Step.NOTHING) {
            foundNothing.add(consumer);
        }
        if (consumer.excludesAny()) {
            return;
        }
        Scan scan = consumer.scan();
        if (scan == null) {
            atHead = step;
        } else {
            scan.idleInTurn = turn;
            scan.idleStep = step;
        }
    }

    /** True if nobody that takes whatever there is would get anything. */
    boolean forAll() {
        return atHead != Step.DELIVERED;
    }

    /** True if there is nothing for the consumer, now that it or another one has looked. */
    boolean foundNothing(Consumer consumer) {
        return atHead == Step.NOTHING || foundNothing.contains(consumer);
    }

    /** True if one has more to look at. */
    boolean anyLater() {
        return firstLater != null;
    }

    /**
     * It was their turn, but there was nothing for them: they are the first to have the next. Only who has looked at so
     * much that no time was left for others comes last.
     */
    void giveTurnsBack(ConsumerTurns turns) {
        all.forEach(turns::giveBack);
        if (firstLater != null) {
            turns.postpone(firstLater);
        }
    }
}
