package io.mainstem.routing.queue;

import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Lane;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;

/**
 * What consumers get and what they say about it (mapping section 6). Settlements of one iteration of the shard become
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
        boolean settled = consumer.spec().settled();
        consumer.deliver(message, failed, acquired, held.position(), settled ? null : held);
        if (settled) {
            done(held, Settlement.Kind.ACK);
        }
    }

    void settle(Consumer consumer, long first, long last, Outcome outcome) {
        for (Held held : consumer.unsettled().removeRange(first, last)) {
            apply(consumer, held, outcome);
        }
    }

    /** The consumer is gone: what it held gets its outcome. */
    void settleAll(Consumer consumer, Outcome outcome) {
        for (Held held : consumer.unsettled().removeAll()) {
            apply(consumer, held, outcome);
        }
    }

    /** What a delivery that was taken from its consumer comes to. */
    void apply(Consumer consumer, Held held, Outcome outcome) {
        if (held.queue().deleted()) {
            return;
        }
        if (outcome instanceof Outcome.Accepted) {
            done(held, Settlement.Kind.ACK);
        } else if (outcome instanceof Outcome.Rejected) {
            shard.deadLetters().send(held, "rejected", Settlement.Kind.REJECT);
        } else if (outcome instanceof Outcome.Modified modified) {
            if (modified.undeliverableHere()) {
                exclude(consumer, held);
            }
            if (modified.failed()) {
                failed(held);
            } else {
                giveBack(held, false);
            }
        } else {
            giveBack(held, false);
        }
    }

    private void exclude(Consumer consumer, Held held) {
        if (consumer.excludedCount() % EXCLUDED_PER_PRUNE == EXCLUDED_PER_PRUNE - 1) {
            consumer.pruneExcluded(key -> !ready(consumer.queue(), key));
        }
        consumer.exclude(held);
    }

    /** @param key of {@link Held#key} */
    private boolean ready(MessageQueue queue, long key) {
        int priority = (int) (key >>> 56) & 0x7f;
        long position = key & ((1L << 56) - 1);
        if (key >= 0) {
            Lane lane = store.lane(queue.laneId(priority));
            return lane != null && lane.cursor().nextFrom(position) == position;
        }
        Transients transients = queue.transients();
        TransientMessage found =
                transients == null ? null : transients.lane(priority).nextFrom(position);
        return found != null && found.sequence() == position;
    }

    private void failed(Held held) {
        int limit = held.queue().options().deliveryLimit();
        if (limit >= 0 && failedCount(held) + 1 > limit) {
            shard.deadLetters().send(held, "delivery_limit", Settlement.Kind.REJECT);
        } else if (held instanceof Held.Stored stored) {
            batch.failed(stored);
        } else {
            giveBack(held, true);
        }
    }

    private int failedCount(Held held) {
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
        if (held instanceof Held.Stored stored) {
            batch.done(stored, kind);
        } else {
            shard.publishing().settled(held.queue(), ((Held.InMemory) held).message());
        }
    }

    /** Ready again, at its old position [T-5]. */
    void giveBack(Held held, boolean asFailed) {
        MessageQueue queue = held.queue();
        if (queue.deleted()) {
            return;
        }
        if (held instanceof Held.Stored stored) {
            Lane lane = store.lane(stored.laneId());
            if (lane == null || stored.settled(store)) {
                return;
            }
            lane.cursor().giveBack(stored.entry().index());
            queue.storedReady(stored.priority());
            shard.sweeps().arrived(queue, stored.entry().expireAtMs());
            queue.givenBack(Scan.storedSlot(stored.priority()), stored.entry().index());
        } else {
            TransientMessage message = ((Held.InMemory) held).message();
            Transients transients = queue.transients();
            if (transients == null) {
                return;
            }
            message.givenBack(asFailed);
            transients.lane(message.priority).giveBack(message);
            queue.transientReady(message.priority);
            shard.sweeps().arrived(queue, message.expireAtMs);
            queue.givenBack(Scan.transientSlot(message.priority), message.sequence());
        }
        shard.dispatcher().markDirty(queue);
    }
}
