package io.mainstem.routing.queue;

import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.List;

/**
 * Drops all ready messages of a queue, what is in flight stays. With nothing in flight that is one small record however
 * deep the queue; else the ready entries are settled piece by piece. Thread: shard only.
 */
final class Purge {
    private final Shard shard;
    private final ShardStore store;
    private final MessageQueue queue;
    private final Reply<Long> reply;
    /** Where lanes ended when the purge began: what comes while a deep queue is purged stays. */
    private final long[] storedEnds = new long[Route.LANES_MAX];

    private final long[] transientEnds = new long[Route.LANES_MAX];
    /** Of the next record. */
    private List<Settlement> settlements = new ArrayList<>(0);

    private List<Held.Stored> taken = new ArrayList<>(0);
    private final SettleRoom room = new SettleRoom();
    private long dropped;
    private int priority;

    Purge(Shard shard, ShardStore store, MessageQueue queue, Reply<Long> reply) {
        this.shard = shard;
        this.store = store;
        this.queue = queue;
        this.reply = reply;
    }

    void start() {
        shard.work().begin(budget -> {
            if (queue.onHold()) {
                // What was given back before it was asked for goes, too.
                budget.spend(budget.left());
                return false;
            }
            begin();
            return true;
        });
    }

    private void begin() {
        for (int lane = 0; lane < Route.LANES_MAX; lane++) {
            Transients transients = queue.transients();
            TransientLane inMemory = transients == null ? null : transients.laneIfAny(lane);
            transientEnds[lane] = inMemory == null ? 0 : inMemory.nextSequence();
        }
        long ready = 0;
        long unsettled = 0;
        for (int lane = 0; lane < Route.LANES_MAX; lane++) {
            Lane stored = store.lane(queue.laneId(lane));
            storedEnds[lane] = stored == null ? 0 : stored.nextIndex();
            ready += stored == null ? 0 : stored.cursor().ready();
            unsettled += stored == null ? 0 : stored.cursor().unsettled();
        }
        if (ready == 0) {
            dropTransients();
        } else if (ready == unsettled) {
            queue.purgeSubmitted();
            store.submit(new Step(List.of(Frames.purge(queue.id(), false)), List.of(), ready));
        } else {
            next();
        }
    }

    /** Settles some ready entries, and goes on when that is on record. */
    private void next() {
        shard.work().begin(this::settleSome);
    }

    private boolean settleSome(TurnBudget budget) {
        while (priority < Route.LANES_MAX) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(1);
            Lane lane = queue.deleted() ? null : store.lane(queue.laneId(priority));
            long index = lane == null ? -1 : lane.cursor().next();
            if (lane == null || index < 0 || index >= storedEnds[priority]) {
                priority++;
                continue;
            }
            Entry entry = lane.entry(index);
            if (entry == null) {
                if (settlements.isEmpty()) {
                    lane.fetch(index, this::next);
                    return true;
                }
                break;
            }
            if (!room.fits(entry)) {
                break;
            }
            room.add(entry);
            lane.cursor().take(index);
            taken.add(new Held.Stored(queue, priority, entry));
            settlements.add(new Settlement(lane.laneId(), entry, Settlement.Kind.DROPPED));
        }
        if (settlements.isEmpty()) {
            dropTransients();
        } else {
            store.submit(new Step(List.of(Frames.settle(settlements)), taken, taken.size()));
            settlements = new ArrayList<>();
            taken = new ArrayList<>();
            room.clear();
        }
        return true;
    }

    private void dropTransients() {
        shard.work().begin(this::dropTransients);
    }

    /** Some of the non-durable ones that were there at the start, and so on to the end. */
    private boolean dropTransients(TurnBudget budget) {
        Transients transients = queue.transients();
        for (int lane = 0; transients != null && lane < Route.LANES_MAX; lane++) {
            TransientLane inMemory = transients.laneIfAny(lane);
            if (inMemory != null) {
                int gone = shard.transients().dropReady(inMemory, transientEnds[lane], Math.max(1, budget.left()));
                budget.spend(gone);
                dropped += gone;
                if (budget.spent()) {
                    return false;
                }
            }
        }
        shard.outcomes().readyOnesLeft(queue);
        reply.done(dropped);
        return true;
    }

    private final class Step extends LoggedChange {
        private final List<Held.Stored> taken;
        private final long drops;

        /** @param taken that it settles; none = all at once, with one record */
        Step(List<Frame> frames, List<Held.Stored> taken, long drops) {
            super(frames, Durability.SYNC);
            this.taken = taken;
            this.drops = drops;
        }

        @Override
        public void onApplied() {
            dropped += drops;
            if (taken.isEmpty()) {
                queue.purgeDone();
                dropTransients();
            } else {
                next();
            }
        }

        @Override
        void refused() {
            if (taken.isEmpty()) {
                queue.purgeDone();
            }
            taken.forEach(held -> shard.outcomes().giveBack(held, false));
            String some = dropped == 0 ? "the purge" : "the purge, all but the first " + dropped + " messages,";
            reply.noRoom(some, store.stateReason());
        }

        @Override
        void inDoubt() {
            reply.inDoubt("the purge", store.stateReason());
        }
    }
}
