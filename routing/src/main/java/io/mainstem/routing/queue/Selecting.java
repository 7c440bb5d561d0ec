package io.mainstem.routing.queue;

import io.mainstem.routing.message.GroupIds;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.selector.MessageFields;
import io.mainstem.routing.selector.Selector;
import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.ShardStore;
import org.jspecify.annotations.Nullable;

/**
 * Finds the next message for a consumer that does not take any: one with a selector, or one of a queue with message
 * groups. What it does not take is left for others [S-11]. Thread: shard only.
 */
final class Selecting {
    /** Messages that one queue may look at before the others have their turn. */
    private static final int LOOKS_PER_TURN = 1024;
    /** Characters and bytes of long values count as looks, too. */
    private static final int STEPS_PER_LOOK = 1024;

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;
    private int looks;
    private int looksLeft;
    private long tests;

    Selecting(Shard shard, ShardStore store, LogReads reads) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
    }

    /** A queue's turn begins. */
    void beginTurn(int looksMax) {
        looks = Math.min(LOOKS_PER_TURN, Math.max(1, looksMax));
        looksLeft = looks;
    }

    /** Messages looked at in this turn. */
    int looked() {
        return looks - looksLeft;
    }

    /** True if the queue has looked at enough messages, and the others shall have their turn. */
    boolean turnOver() {
        return looksLeft <= 0;
    }

    /** How often a message was tried against a selector. */
    long tests() {
        return tests;
    }

    Step deliverNext(MessageQueue queue, Consumer consumer, Scan scan) {
        for (int priority = Dispatcher.highest(queue.lanesReady()); priority >= 0; priority--) {
            boolean stored = (queue.lanesReady() & 1 << priority) != 0;
            boolean inMemory = (queue.lanesReady() & 1 << (16 + priority)) != 0;
            boolean inMemoryFirst = inMemory && (!stored || queue.transientNext);
            queue.transientNext = stored && inMemory && !inMemoryFirst;
            Step step = Step.NOTHING;
            if (inMemoryFirst) {
                step = inMemory(queue, consumer, scan, priority);
            }
            if (step == Step.NOTHING && stored) {
                step = stored(queue, consumer, scan, priority);
            }
            if (step == Step.NOTHING && inMemory && !inMemoryFirst) {
                step = inMemory(queue, consumer, scan, priority);
            }
            if (step != Step.NOTHING) {
                return step;
            }
        }
        return Step.NOTHING;
    }

    private Step stored(MessageQueue queue, Consumer consumer, Scan scan, int priority) {
        Lane lane = store.lane(queue.laneId(priority));
        if (lane == null || lane.cursor().next() < 0) {
            queue.storedEmpty(priority);
            return Step.NOTHING;
        }
        Cursor cursor = lane.cursor();
        int slot = Scan.storedSlot(priority);
        for (long index = scan.next(slot, 0, cursor::nextFrom);
                index >= 0;
                index = scan.next(slot, index + 1, cursor::nextFrom)) {
            if (consumer.excludes(Held.Stored.key(priority, index))) {
                scan.left(slot, index);
                continue;
            }
            if (turnOver()) {
                return Step.LATER;
            }
            Step step = stored(queue, consumer, scan, priority, lane, index);
            if (step != Step.NOTHING) {
                return step;
            }
        }
        return Step.NOTHING;
    }

    /** Looks at one entry; NOTHING = it is not for this consumer. */
    private Step stored(MessageQueue queue, Consumer consumer, Scan scan, int priority, Lane lane, long index) {
        Entry entry = lane.entry(index);
        if (entry == null) {
            lane.fetch(index, () -> shard.dispatcher().markDirty(queue));
            return Step.WAITING;
        }
        Message message = reads.inMemory(scan, priority, entry);
        if (shard.expiry().undeliverable(queue, entry, message)) {
            if (shard.deadLetters().holdsUp(queue)) {
                return Step.WAITING;
            }
            scan.passed(Scan.storedSlot(priority), index);
            shard.expiry().remove(queue, priority, lane, entry, message);
            reads.seen(scan, priority, entry);
            return Step.NOTHING;
        }
        if (message == null) {
            reads.request(scan, priority, lane, entry, LogReads.ENTRIES_AHEAD_MAX);
            return Step.WAITING;
        }
        reads.keepAhead(scan, priority, lane, index);
        int failed = queue.failedCount(lane, priority, index);
        boolean takes = takes(consumer, scan, message, failed, Held.Stored.key(priority, index));
        if (takes) {
            boolean acquired = lane.cursor().redelivered(index);
            lane.cursor().take(index);
            shard.outcomes().handOver(consumer, new Held.Stored(queue, priority, entry), message, failed, acquired);
            reads.dispatched(queue, priority, entry);
        }
        scan.passed(Scan.storedSlot(priority), index);
        reads.seen(scan, priority, entry);
        return takes ? Step.DELIVERED : Step.NOTHING;
    }

    private Step inMemory(MessageQueue queue, Consumer consumer, Scan scan, int priority) {
        TransientLane lane = queue.transientLane(priority);
        if (lane == null || lane.nextFrom(0) == null) {
            queue.transientEmpty(priority);
            return Step.NOTHING;
        }
        int slot = Scan.transientSlot(priority);
        for (long at = scan.next(slot, 0, lane::sequenceFrom);
                at >= 0;
                at = scan.next(slot, at + 1, lane::sequenceFrom)) {
            TransientMessage next = lane.nextFrom(at);
            if (next == null || turnOver()) {
                return next == null ? Step.NOTHING : Step.LATER;
            }
            if (consumer.excludes(Held.InMemory.key(next))) {
                scan.left(slot, at);
                continue;
            }
            Message message = next.message();
            if (message == null) {
                shard.transients().fetch(next, () -> shard.dispatcher().markDirty(queue));
                return Step.WAITING;
            }
            shard.transients().readAhead(next.chunk());
            if (shard.expiry().undeliverable(queue, next)) {
                if (shard.deadLetters().holdsUp(queue)) {
                    return Step.WAITING;
                }
                scan.passed(slot, at);
                shard.expiry().remove(queue, lane, next);
                continue;
            }
            boolean takes = takes(consumer, scan, message, next.failed(), Held.InMemory.key(next));
            scan.passed(slot, at);
            if (takes) {
                lane.take(next);
                shard.outcomes()
                        .handOver(consumer, new Held.InMemory(queue, next), message, next.failed(), next.acquired());
                return Step.DELIVERED;
            }
        }
        return Step.NOTHING;
    }

    /** True if the consumer gets it; a group it belongs to is the consumer's from then on. */
    private boolean takes(Consumer consumer, Scan scan, Message message, int failed, long key) {
        Message shown = shard.annotated().over(consumer.queue(), key, message);
        if (!matches(scan.selector(), shown, failed)) {
            return false;
        }
        return claims(consumer, shown, failed, key);
    }

    /**
     * True unless the message belongs to a group that another consumer has who may have it, or of which another one has to
     * go first. The first message of a group that the queue meets starts its groups.
     */
    boolean claims(Consumer consumer, Message message, int failed, long key) {
        MessageQueue queue = consumer.queue();
        String group = queue.options().singleActiveConsumer() ? null : GroupIds.of(message);
        if (group == null) {
            return true;
        }
        MessageGroups groups = queue.groupsMade();
        return groups.claim(group, consumer, key, other -> matches(other.spec().selector(), message, failed))
                && groups.order().mayGo(group, key, queue.options().redeliveryDelay() != null);
    }

    /** Tries a message against a selector; every message matches none. */
    boolean matches(@Nullable Selector selector, Message message, int failed) {
        looksLeft--;
        if (selector == null) {
            return true;
        }
        tests++;
        MessageFields fields = MessageFields.queued(message, failed, shard.nowMs());
        boolean matches = selector.matches(fields);
        looksLeft -= (int) (fields.steps() / STEPS_PER_LOOK);
        return matches;
    }
}
