package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.ShardStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Matches ready entries with consumers that have credit: highest priority lane first, oldest entry first, consumers in
 * turn [store.md section 8]. Thread: shard only.
 */
final class Dispatcher {
    /** Deliveries one queue may make before the others have their turn. */
    private static final int DELIVERIES_PER_TURN = 256;

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;
    private final Browsing browsing;
    private final ExpiryTimer timer = new ExpiryTimer();
    private final ArrayDeque<MessageQueue> dirty = new ArrayDeque<>();

    Dispatcher(Shard shard, ShardStore store, LogReads reads) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
        this.browsing = new Browsing(shard, store, reads);
    }

    void markDirty(MessageQueue queue) {
        if (!queue.dirty && !queue.deleted()) {
            queue.dirty = true;
            dirty.add(queue);
        }
    }

    /** Epoch ms at which something expires, or {@link Long#MAX_VALUE}. */
    long nextDueMs() {
        return timer.nextMs();
    }

    /** Gives each dirty queue one turn; true if there is more to do at once. */
    boolean run() {
        timer.fire(shard.nowMs(), this::markDirty);
        for (int turns = dirty.size(); turns > 0; turns--) {
            MessageQueue queue = dirty.poll();
            if (queue != null) {
                queue.dirty = false;
                if (!queue.deleted() && dispatch(queue)) {
                    markDirty(queue);
                }
            }
        }
        return !dirty.isEmpty();
    }

    private boolean dispatch(MessageQueue queue) {
        QueueConsumers consumers = queue.consumers();
        boolean more = false;
        if (consumers != null) {
            more = deliverInTurn(queue, consumers.turns());
            for (Consumer browser : consumers.browsers()) {
                more |= browsing.show(queue, browser);
            }
        }
        if (consumers == null || consumers.turns().isEmpty()) {
            // Before reads are discarded: a head that was read to see when it expires is looked at here.
            expireHeads(queue);
            if (consumers == null || consumers.browsers().isEmpty()) {
                reads.discard(queue);
            }
        } else if (queue.lanesReady() == 0) {
            // A purge has taken away what was read ahead.
            reads.discard(queue);
        }
        return more;
    }

    /** Returns true if the queue's turn ended before there was nothing left to do. */
    private boolean deliverInTurn(MessageQueue queue, ConsumerTurns turns) {
        List<Consumer> idle = new ArrayList<>(0);
        int left = DELIVERIES_PER_TURN;
        Step step = Step.NOTHING;
        while (left > 0) {
            Consumer consumer = turns.next();
            if (consumer == null) {
                break;
            }
            step = deliverNext(queue, consumer);
            if (step == Step.DELIVERED) {
                left--;
                if (consumer.draining() && consumer.credit() <= 0) {
                    consumer.drained();
                }
                turns.addLast(consumer);
                continue;
            }
            idle.add(consumer);
            if (step == Step.WAITING || !consumer.excludesAny()) {
                break;
            }
        }
        for (int at = idle.size() - 1; at >= 0; at--) {
            turns.addFirst(idle.get(at));
        }
        if (left == 0) {
            return true;
        }
        if (step != Step.WAITING) {
            drainEmpty(queue, idle);
        }
        return false;
    }

    /** The queue has nothing for those that found nothing, nor, if one that takes anything found nothing, for anyone. */
    private static void drainEmpty(MessageQueue queue, List<Consumer> idle) {
        QueueConsumers consumers = queue.consumers();
        if (consumers == null || !consumers.anyDraining()) {
            return;
        }
        boolean nothingForAnyone = false;
        for (Consumer consumer : idle) {
            nothingForAnyone |= !consumer.excludesAny();
        }
        for (Consumer consumer : consumers.all()) {
            if (consumer.draining()
                    && !consumer.spec().browse()
                    && (nothingForAnyone || idle.contains(consumer) || consumer.credit() <= 0)) {
                consumer.drained();
                consumers.creditChanged(consumer);
            }
        }
    }

    private Step deliverNext(MessageQueue queue, Consumer consumer) {
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
            if (shard.expiry().expired(queue, entry, message)) {
                shard.expiry().expire(queue, priority, lane, entry);
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
            boolean acquired = cursor.redelivered(index);
            cursor.take(index);
            shard.outcomes().handOver(consumer, new Held.Stored(queue, priority, entry), message, failed, acquired);
            reads.dispatched(queue, priority, entry);
            return Step.DELIVERED;
        }
        return Step.NOTHING;
    }

    private Step deliverInMemory(MessageQueue queue, Consumer consumer, int priority) {
        TransientLane lane = queue.transientsMade().lane(priority);
        TransientMessage next = lane.nextFrom(0);
        if (next == null) {
            queue.transientEmpty(priority);
            return Step.NOTHING;
        }
        while (next != null) {
            if (shard.expiry().expired(next)) {
                shard.expiry().expire(queue, lane, next);
                next = lane.nextFrom(next.sequence() + 1);
            } else if (consumer.excludes(Held.InMemory.key(next))) {
                next = lane.nextFrom(next.sequence() + 1);
            } else {
                lane.take(next);
                shard.outcomes()
                        .handOver(
                                consumer, new Held.InMemory(queue, next), next.message, next.failed(), next.acquired());
                return Step.DELIVERED;
            }
        }
        return Step.NOTHING;
    }

    /** Nobody takes from the queue: what stands at the head of a lane expires by the timer [T-4]. */
    private void expireHeads(MessageQueue queue) {
        for (int priority = highest(queue.lanesReady()); priority >= 0; priority--) {
            shard.expiry().expireHead(queue, priority, timer);
        }
    }
}
