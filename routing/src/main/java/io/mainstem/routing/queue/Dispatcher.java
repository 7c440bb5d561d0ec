package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.ShardStore;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Matches ready entries with consumers that have credit: highest priority lane first, oldest entry first, consumers in
 * turn [L-8]. Thread: shard only.
 */
final class Dispatcher {
    /** Deliveries one queue may make before the others have their turn. */
    private static final int DELIVERIES_PER_TURN = 256;

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;
    private final Selecting selecting;
    private final Browsing browsing;
    private final TurnBudget budget;
    /** That wait for their first turn. */
    private final ArrayDeque<MessageQueue> fresh = new ArrayDeque<>();
    /** Whose last turn was over before there was nothing left to do. */
    private final ArrayDeque<MessageQueue> busy = new ArrayDeque<>();
    /** Which of them is next: the busy ones, the oldest fresh one, the newest. */
    private int choice;
    /** Counts the turns of all queues. */
    private long turn;

    /** @param budget of an iteration: deliveries, looks, and queues */
    Dispatcher(Shard shard, ShardStore store, LogReads reads, TurnBudget budget) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
        this.budget = budget;
        this.selecting = new Selecting(shard, store, reads);
        this.browsing = new Browsing(shard, store, reads, selecting);
    }

    void markDirty(MessageQueue queue) {
        if (!queue.dirty && !queue.deleted()) {
            queue.dirty = true;
            fresh.add(queue);
        }
    }

    /** Gives dirty queues a turn, each at most one, as far as the budget goes; true if there is more to do at once. */
    boolean run() {
        if (shard.outcomes().holdsUp() || shard.deadLetters().holdsUp()) {
            return false; // until there is room in the log again
        }
        budget.renew();
        for (int turns = fresh.size() + busy.size(); turns > 0 && !budget.spent(); turns--) {
            MessageQueue queue = next();
            queue.dirty = false;
            budget.spend(1);
            if (!queue.deleted() && dispatch(queue) && !queue.dirty) {
                queue.dirty = true;
                busy.add(queue);
            }
        }
        return !fresh.isEmpty() || !busy.isEmpty();
    }

    /**
     * Where more are dirty than have a turn in one iteration, a queue that was not is not made to wait for all of them: the
     * newest and the oldest have their turns in turn.
     */
    private MessageQueue next() {
        choice = (choice + 1) % 3;
        if (fresh.isEmpty() || (choice == 0 && !busy.isEmpty())) {
            return busy.remove();
        }
        return choice == 1 ? fresh.removeLast() : fresh.removeFirst();
    }

    private boolean dispatch(MessageQueue queue) {
        if (shard.lastValues().behind(queue) || queue.onHold()) {
            return false;
        }
        QueueConsumers consumers = queue.consumers();
        boolean more = false;
        turn++;
        selecting.beginTurn(budget.left());
        if (consumers != null) {
            more = deliverInTurn(queue, consumers);
            more |= showInTurn(queue, consumers);
        }
        budget.spend(selecting.looked());
        if (consumers == null || consumers.turns().isEmpty()) {
            reads.discard(queue);
        } else if (queue.lanesReady() == 0) {
            // A purge has taken away what was read ahead.
            reads.discard(queue);
        }
        discardUnwanted(queue, consumers);
        return more;
    }

    /** What scans have read ahead for consumers that have no credit any more. */
    private void discardUnwanted(MessageQueue queue, @Nullable QueueConsumers consumers) {
        Scans scans = queue.scans();
        if (scans == null) {
            return;
        }
        if (consumers != null) {
            consumers.turns().forEach(consumer -> {
                Scan scan = consumer.scan();
                if (scan != null) {
                    scan.wantedInTurn = turn;
                }
            });
        }
        for (Scan scan : scans.all()) {
            if (scan.wantedInTurn != turn || queue.lanesReady() == 0) {
                reads.discard(scan);
            }
        }
    }

    /** Returns true if the queue's turn ended before there was nothing left to do. */
    private boolean deliverInTurn(MessageQueue queue, QueueConsumers consumers) {
        ConsumerTurns turns = consumers.turns();
        IdleConsumers idle = new IdleConsumers(turn);
        int left = Math.min(DELIVERIES_PER_TURN, Math.max(1, budget.left()));
        while (left > 0) {
            Consumer consumer = turns.next();
            if (consumer == null) {
                break;
            }
            if (idle.joins(consumer)) {
                continue;
            }
            Step step = deliverNext(queue, consumer);
            if (step == Step.DELIVERED) {
                left--;
                budget.spend(1);
                if (consumer.draining() && consumer.credit() <= 0) {
                    consumer.drained();
                }
                turns.delivered(consumer);
                continue;
            }
            idle.add(consumer, step);
            if (queue.scans() == null && idle.forAll()) {
                break;
            }
        }
        idle.giveTurnsBack(turns);
        if (left == 0) {
            return true;
        }
        drainEmpty(consumers, idle);
        return idle.anyLater();
    }

    private boolean showInTurn(MessageQueue queue, QueueConsumers consumers) {
        boolean more = false;
        for (int left = consumers.browsers(); left > 0; left--) {
            more |= browsing.show(queue, consumers.nextBrowser(), budget);
            if (budget.spent() && left > 1) {
                return true;
            }
        }
        return more;
    }

    /** The queue has nothing for those that found nothing, nor, if one that takes anything found nothing, for anyone. */
    private static void drainEmpty(QueueConsumers consumers, IdleConsumers idle) {
        for (Consumer consumer : consumers.draining()) {
            if (!consumer.spec().browse()
                    && (idle.foundNothing(consumer) || consumer.credit() <= 0 || !consumers.isActive(consumer))) {
                consumer.drained();
                consumers.creditChanged(consumer);
            }
        }
    }

    private Step deliverNext(MessageQueue queue, Consumer consumer) {
        Scan scan = consumer.scan();
        if (scan != null) {
            return selecting.deliverNext(queue, consumer, scan);
        }
        for (int priority = highest(queue.lanesReady()); priority >= 0; priority--) {
            boolean stored = (queue.lanesReady() & 1 << priority) != 0;
            boolean inMemory = (queue.lanesReady() & 1 << (16 + priority)) != 0;
            boolean inMemoryFirst = inMemory && (!stored || queue.transientNext);
            queue.transientNext = stored && inMemory && !inMemoryFirst;
            Step step = Step.NOTHING;
            if (inMemoryFirst) {
                step = deliverInMemory(queue, consumer, priority);
            }
            if (step == Step.NOTHING && stored) {
                step = deliverStored(queue, consumer, priority);
            }
            if (step == Step.NOTHING && inMemory && !inMemoryFirst) {
                step = deliverInMemory(queue, consumer, priority);
            }
            if (step != Step.NOTHING) {
                return step;
            }
        }
        return Step.NOTHING;
    }

    /** The highest priority of which a lane may have something ready, or -1. */
    static int highest(int lanesReady) {
        int lanes = (lanesReady | lanesReady >>> 16) & 0xffff;
        return 31 - Integer.numberOfLeadingZeros(lanes);
    }

    private Step deliverStored(MessageQueue queue, Consumer consumer, int priority) {
        Lane lane = store.lane(queue.laneId(priority));
        long index = lane == null ? -1 : lane.cursor().next();
        if (lane == null || index < 0) {
            queue.storedEmpty(priority);
            return Step.NOTHING;
        }
        Cursor cursor = lane.cursor();
        while (index >= 0) {
            if (consumer.excludes(Held.Stored.key(priority, index))) {
                index = cursor.nextFrom(index + 1);
                continue;
            }
            Entry entry = lane.entry(index);
            if (entry == null) {
                lane.fetch(index, () -> markDirty(queue));
                return Step.WAITING;
            }
            Message message = reads.inMemory(queue, priority, entry);
            if (shard.expiry().undeliverable(queue, entry, message)) {
                if (shard.deadLetters().holdsUp(queue)) {
                    return Step.WAITING;
                }
                shard.expiry().remove(queue, priority, lane, entry, message);
                index = cursor.next();
                continue;
            }
            if (message == null) {
                QueueConsumers consumers = queue.consumers();
                int credit = consumers == null ? 0 : consumers.turns().credit(1 << 16);
                reads.request(queue, priority, lane, entry, (int) Math.min(1 << 16, credit + consumer.credit()));
                return Step.WAITING;
            }
            int failed = queue.failedCount(lane, priority, index);
            selecting.claims(consumer, message, failed, Held.Stored.key(priority, index));
            boolean acquired = cursor.redelivered(index);
            cursor.take(index);
            shard.outcomes().handOver(consumer, new Held.Stored(queue, priority, entry), message, failed, acquired);
            reads.dispatched(queue, priority, entry);
            return Step.DELIVERED;
        }
        return Step.NOTHING;
    }

    private Step deliverInMemory(MessageQueue queue, Consumer consumer, int priority) {
        TransientLane lane = queue.transientLane(priority);
        TransientMessage next = lane == null ? null : lane.nextFrom(0);
        if (lane == null || next == null) {
            queue.transientEmpty(priority);
            return Step.NOTHING;
        }
        while (next != null) {
            Message message = next.message();
            if (message == null) {
                shard.transients().fetch(next, () -> markDirty(queue));
                return Step.WAITING;
            }
            if (shard.expiry().undeliverable(queue, next)) {
                if (shard.deadLetters().holdsUp(queue)) {
                    return Step.WAITING;
                }
                shard.expiry().remove(queue, lane, next);
                next = lane.nextFrom(next.sequence() + 1);
            } else if (consumer.excludes(Held.InMemory.key(next))) {
                next = lane.nextFrom(next.sequence() + 1);
            } else {
                selecting.claims(consumer, message, next.failed(), Held.InMemory.key(next));
                lane.take(next);
                shard.transients().readAhead(next.chunk());
                shard.outcomes()
                        .handOver(consumer, new Held.InMemory(queue, next), message, next.failed(), next.acquired());
                return Step.DELIVERED;
            }
        }
        return Step.NOTHING;
    }

    /** How often a message was tried against a selector. */
    long selectorTests() {
        return selecting.tests();
    }
}
