package io.mainstem.routing.queue;

import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * What consumers get and what they say about it (mapping 6). Settlements of one iteration of the shard become
 * one record group. Thread: shard only.
 */
final class Outcomes {
    private static final int EXCLUDED_PER_PRUNE = 1024;

    private final Shard shard;
    private final ShardStore store;
    private final SettlementBatch batch;

    Outcomes(Shard shard, ShardStore store, SettlementBatch batch) {
        this.shard = shard;
        this.store = store;
        this.batch = batch;
    }

    /** Delivers a message that was taken from its queue; to a presettled consumer it is accepted by that. */
    void handOver(Consumer consumer, Held held, Message message, int failed, boolean acquired) {
        long lateAtMs = Expiry.lateAtMs(held, message, shard.nowMs());
        Message shown = shard.annotated().over(held, message);
        consumer.deliver(held, shown, failed, acquired, acquired && unseen(held), lateAtMs);
        if (consumer.spec().settled()) {
            done(held, Settlement.Kind.ACK);
        }
    }

    /** True while nothing more shall be delivered, because what was settled waits for room in the log. */
    boolean holdsUp() {
        return batch.holdsUp();
    }

    void settle(Consumer consumer, long first, long last, Outcome outcome) {
        consumer.peer().work().begin(new Settling(this, consumer, first, last, outcome));
    }

    /** The consumer is gone: what it held gets its outcome. */
    void settleAll(Consumer consumer, Outcome outcome) {
        settle(consumer, 0, Long.MAX_VALUE, outcome);
    }

    /** One reason less for the queue to be {@link MessageQueue#onHold}. */
    void goOn(MessageQueue queue) {
        if (queue.letGo()) {
            shard.dispatcher().markDirty(queue);
        }
    }

    /** What a delivery that was taken from its consumer comes to. */
    void apply(@Nullable Consumer consumer, Held held, Outcome outcome) {
        if (held.queue().deleted()) {
            return;
        }
        shard.annotated().add(held, outcome);
        if (outcome instanceof Outcome.Modified modified && modified.undeliverableHere() && consumer != null) {
            exclude(consumer, held);
        }
        apply(held, effect(held, outcome));
    }

    private void apply(Held held, Effect effect) {
        if (effect instanceof Effect.Done done) {
            done(held, done.kind());
        } else if (effect instanceof Effect.Dead dead) {
            shard.deadLetters().send(held, dead, Settlement.Kind.REJECT);
        } else if (effect instanceof Effect.Failed failed) {
            if (held instanceof Held.Stored stored) {
                batch.failed(stored);
            }
            giveBackAt(held, true, failed.notBeforeMs());
        } else if (effect instanceof Effect.Back back) {
            giveBackAt(held, false, back.notBeforeMs());
        } else if (effect instanceof Effect.Unseen) {
            giveBack(held, false, true);
        }
    }

    /** What an outcome means for this message in its queue; nothing is done. */
    Effect effect(Held held, Outcome outcome) {
        if (outcome instanceof Outcome.Accepted) {
            return new Effect.Done(Settlement.Kind.ACK);
        }
        if (outcome instanceof Outcome.Rejected rejected) {
            boolean named = outcome.equals(Outcome.TOO_LARGE) || outcome.equals(Outcome.UNMAPPABLE);
            return dead(held, named ? rejected.reason() : "rejected", !named);
        }
        if (outcome instanceof Outcome.Modified modified) {
            return modified.failed()
                    ? failedEffect(held, modified.notBeforeMs())
                    : new Effect.Back(modified.notBeforeMs());
        }
        if (outcome instanceof Outcome.Unseen) {
            return new Effect.Unseen();
        }
        return held.queue().options().countsAcquisitions() ? failedEffect(held, 0) : new Effect.Back(0);
    }

    /** @param counts a consumer had it and did not take it */
    private static Effect dead(Held held, String reason, boolean counts) {
        return held.queue().options().deadLetterExchange() == null
                ? new Effect.Done(Settlement.Kind.REJECT)
                : new Effect.Dead(reason, counts);
    }

    private Effect failedEffect(Held held, long notBeforeMs) {
        QueueOptions options = held.queue().options();
        int failed = failedCount(held) + 1;
        if (options.deliveryLimit() >= 0 && failed > options.deliveryLimit()) {
            return dead(held, "delivery_limit", true);
        }
        RedeliveryDelay delay = options.redeliveryDelay();
        long byQueue = delay == null ? 0 : shard.nowMs() + delay.afterMs(failed);
        return new Effect.Failed(Math.max(notBeforeMs, byQueue));
    }

    void exclude(Consumer consumer, Held held) {
        if (consumer.excludedCount() % EXCLUDED_PER_PRUNE == EXCLUDED_PER_PRUNE - 1) {
            consumer.pruneExcluded(key -> !ready(consumer.queue(), key));
        }
        consumer.exclude(held);
        awaitTaker(held.queue(), held.key());
    }

    /** Nobody may be left who could take it [mapping 6]. */
    private void awaitTaker(MessageQueue queue, long key) {
        // Where too many wait it stays in the queue, as it would without a timeout.
        shard.waits()
                .enter(
                        Waits.Kind.EXCLUSION,
                        queue,
                        shard.nowMs() + queue.options().exclusionTimeoutMs(),
                        () -> giveUpIfExcluded(queue, key));
    }

    private void giveUpIfExcluded(MessageQueue queue, long key) {
        QueueConsumers consumers = queue.consumers();
        if (queue.deleted() || consumers == null || !ready(queue, key)) {
            return;
        }
        for (Consumer other : consumers.all()) {
            if (!other.spec().browse() && !other.excludes(key)) {
                if (consumers.all().stream().anyMatch(one -> one.excludes(key))) {
                    awaitTaker(queue, key);
                }
                return;
            }
        }
        Held held = take(queue, key);
        if (held != null) {
            shard.deadLetters().send(held, "rejected", Settlement.Kind.REJECT);
        }
    }

    /** Takes a ready message; null if its entry has to be read first, which is then under way. */
    private @Nullable Held take(MessageQueue queue, long key) {
        int priority = priority(key);
        if (key < 0) {
            TransientLane lane = queue.transientLane(priority);
            TransientMessage message = lane == null ? null : lane.nextFrom(position(key));
            if (lane == null || message == null) {
                return null;
            }
            lane.take(message);
            return new Held.InMemory(queue, message);
        }
        Lane lane = store.lane(queue.laneId(priority));
        Entry entry = lane == null ? null : lane.entry(position(key));
        if (lane == null || entry == null) {
            if (lane != null) {
                lane.fetch(position(key), () -> giveUpIfExcluded(queue, key));
            }
            return null;
        }
        lane.cursor().take(entry.index());
        return new Held.Stored(queue, priority, entry);
    }

    private static int priority(long key) {
        return (int) (key >>> 56) & 0x7f;
    }

    static long position(long key) {
        return key & ((1L << 56) - 1);
    }

    /** @param key of {@link Held#key} */
    boolean ready(MessageQueue queue, long key) {
        int priority = priority(key);
        long position = position(key);
        if (key >= 0) {
            Lane lane = store.lane(queue.laneId(priority));
            return lane != null && lane.cursor().nextFrom(position) == position;
        }
        TransientLane lane = queue.transientLane(priority);
        TransientMessage found = lane == null ? null : lane.nextFrom(position);
        return found != null && found.sequence() == position;
    }

    /** Given back, with one more failed delivery. */
    void failed(Held held) {
        apply(held, failedEffect(held, 0));
    }

    /** At once, so that nothing newer overtakes it [T-5], or when its delay is over; where too many wait, at once. */
    void giveBackAt(Held held, boolean asFailed, long notBeforeMs) {
        boolean waits = notBeforeMs > shard.nowMs()
                && shard.waits().enter(Waits.Kind.DELAY, held.queue(), notBeforeMs, () -> giveBack(held, asFailed));
        if (!waits) {
            giveBack(held, asFailed);
        }
    }

    /** Deliveries that have failed in this queue. */
    int failedCount(Held held) {
        if (held instanceof Held.Stored stored) {
            Lane lane = store.lane(stored.laneId());
            return lane == null
                    ? 0
                    : stored.queue()
                            .failedCount(lane, stored.priority(), stored.entry().index());
        }
        return ((Held.InMemory) held).message().failed();
    }

    /** Out of the queue for good. */
    void done(Held held, Settlement.Kind kind) {
        left(held);
        if (held instanceof Held.Stored stored) {
            batch.done(stored, kind);
        } else {
            shard.transients().settled(((Held.InMemory) held).message());
        }
    }

    /** When it has to be looked at for expiry; of what is on disk only the earliest time of its neighbours is known. */
    private static long expiresBy(TransientMessage message) {
        if (message.inMemory()) {
            return message.expireAtMs();
        }
        return message.chunk().latestMs() == 0 ? 0 : message.chunk().earliestMs();
    }

    /** A message leaves its queue: the next one of its group may go. */
    void left(Held held) {
        MessageGroups groups = held.queue().groups();
        if (groups != null) {
            offer(held.queue(), groups.order().left(held.key(), key -> ready(held.queue(), key)));
        }
    }

    /** Messages have left the queue without having been taken: the next ones of their groups may go. */
    void readyOnesLeft(MessageQueue queue) {
        MessageGroups groups = queue.groups();
        if (groups == null) {
            return;
        }
        PrimitiveIterator.OfLong left = LongStream.of(groups.order().current()).iterator();
        shard.work().begin(budget -> {
            MessageGroups now = queue.groups();
            while (now != null && left.hasNext()) {
                if (budget.spent()) {
                    return false;
                }
                budget.spend(1);
                long key = left.nextLong();
                if (gone(queue, key)) {
                    offer(queue, now.order().left(key, next -> ready(queue, next)));
                }
            }
            return true;
        });
    }

    private void offer(MessageQueue queue, long key) {
        if (key != GroupOrder.NONE) {
            int priority = priority(key);
            queue.givenBack(key < 0 ? Scan.transientSlot(priority) : Scan.storedSlot(priority), position(key));
            shard.dispatcher().markDirty(queue);
        }
    }

    /** Neither ready nor in flight. */
    boolean gone(MessageQueue queue, long key) {
        if (key < 0) {
            TransientLane lane = queue.transientLane(priority(key));
            return lane == null || !lane.live(position(key));
        }
        Lane lane = store.lane(queue.laneId(priority(key)));
        return lane == null
                || position(key) < lane.firstIndex()
                || lane.cursor().settled(position(key));
    }

    private boolean unseen(Held held) {
        if (held instanceof Held.Stored stored) {
            Lane lane = store.lane(stored.laneId());
            return lane != null && lane.cursor().unseen(stored.entry().index());
        }
        return ((Held.InMemory) held).message().unseen();
    }

    /** Ready again, at its old position [T-5]. */
    void giveBack(Held held, boolean asFailed) {
        giveBack(held, asFailed, false);
    }

    private void giveBack(Held held, boolean asFailed, boolean unseen) {
        MessageQueue queue = held.queue();
        if (queue.deleted()) {
            return;
        }
        LastValues values = queue.lastValues();
        if (values != null && values.removeSuperseded(held.key())) {
            if (held instanceof Held.Stored stored && !stored.settled(store)) {
                values.leaving.add(stored, store);
            }
            done(held, Settlement.Kind.DROPPED);
            return;
        }
        if (held instanceof Held.Stored stored) {
            Lane lane = store.lane(stored.laneId());
            if (lane == null || stored.settled(store)) {
                return;
            }
            if (unseen) {
                lane.cursor().giveBackUnseen(stored.entry().index());
            } else {
                lane.cursor().giveBack(stored.entry().index());
            }
            queue.storedReady(stored.priority());
            shard.sweeps().returned(queue, stored.entry().expireAtMs());
            queue.givenBack(Scan.storedSlot(stored.priority()), stored.entry().index());
        } else {
            TransientMessage message = ((Held.InMemory) held).message();
            TransientLane lane = message.chunk().lane();
            if (lane.owner().dropped() || !lane.giveBack(message)) {
                return;
            }
            message.chunk().wasAcquired(message.slot(), asFailed, unseen);
            queue.transientReady(message.priority());
            shard.sweeps().returned(queue, expiresBy(message));
            queue.givenBack(Scan.transientSlot(message.priority()), message.sequence());
        }
        shard.dispatcher().markDirty(queue);
    }
}
