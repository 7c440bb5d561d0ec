package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup.Folding;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A transaction as the shard sees it: the deliveries it will settle. They are taken from their consumer while it is
 * open, so that nothing else can settle them. Thread: shard only, unless a method says otherwise.
 */
final class TransactionWork {
    private final Shard shard;
    private final ShardPeer peer;
    private List<Enlisted> enlisted = new ArrayList<>();
    private final Set<MessageQueue> queues = new HashSet<>(2);
    /** Of these, by consumer and delivery id, what stays with the consumer after a rollback. */
    private final Map<Consumer, NavigableMap<Long, Enlisted>> staying = new HashMap<>(2);
    /** To queues that refuse what is too much, from its commit on. */
    private final ArrayDeque<Admission> admissions = new ArrayDeque<>(0);

    private @Nullable BrokerException rollbackOnly;
    private boolean ended;
    /** Its consumers have nothing to say about its deliveries any more. */
    private boolean prepared;

    /** One delivery of it. */
    private static final class Enlisted {
        final Consumer consumer;
        final long deliveryId;
        final Held held;
        final Outcome outcome;
        /** After a rollback it is still the consumer's, unsettled. */
        boolean stays;

        Enlisted(Consumer consumer, UnsettledDeliveries.Numbered taken, Outcome outcome, boolean stays) {
            this.consumer = consumer;
            this.deliveryId = taken.deliveryId();
            this.held = taken.held();
            this.outcome = outcome;
            this.stays = stays;
        }
    }

    /** Thread: any. */
    TransactionWork(Shard shard, ShardPeer peer) {
        this.shard = shard;
        this.peer = peer;
    }

    /** Whose it is. Thread: any. */
    ShardPeer peer() {
        return peer;
    }

    /** From now on the end of the session rolls it back. */
    void join() {
        if (peer.closed()) {
            ended = true;
        } else {
            peer.transactions().add(this);
        }
    }

    void settle(Consumer consumer, long first, long last, Outcome outcome, boolean settled) {
        peer.work().begin(new Enlisting(consumer, first, last, outcome, settled));
    }

    /** Takes a range of deliveries from their consumer. */
    private final class Enlisting implements LongWork {
        private final Consumer consumer;
        private final long first;
        private final long last;
        private final Outcome outcome;
        private final boolean settled;
        private final TakenDeliveries range;
        private long missing;
        private boolean released;

        Enlisting(Consumer consumer, long first, long last, Outcome outcome, boolean settled) {
            this.consumer = consumer;
            this.first = first;
            this.last = last;
            this.outcome = outcome;
            this.settled = settled;
            this.range = new TakenDeliveries(consumer.unsettled(), first, last);
            this.missing = last - first + 1;
            this.released = !settled;
        }

        @Override
        public boolean goOn(TurnBudget budget) {
            if (ended) {
                return true;
            }
            if (!released) {
                release(budget);
            }
            if (!released) {
                return false;
            }
            for (UnsettledDeliveries.Numbered taken : range.next(budget)) {
                enlist(new Enlisted(consumer, taken, outcome, !settled));
                missing--;
            }
            if (range.done() && missing > 0 && rollbackOnly == null) {
                rollbackOnly = notUnsettled(first, last, missing + " of them are settled already or were given back");
            }
            return range.done();
        }

        /** Of deliveries enlisted before, the consumer has forgotten these now: they will not stay with it. */
        private void release(TurnBudget budget) {
            NavigableMap<Long, Enlisted> its = staying.get(consumer);
            Map.Entry<Long, Enlisted> next = its == null ? null : its.ceilingEntry(first);
            while (its != null && next != null && next.getKey() <= last) {
                if (budget.spent()) {
                    return;
                }
                budget.spend(1);
                next.getValue().stays = false;
                its.remove(next.getKey());
                missing--;
                next = its.ceilingEntry(first);
            }
            released = true;
        }
    }

    private void enlist(Enlisted each) {
        enlisted.add(each);
        queues.add(each.held.queue());
        if (each.stays) {
            staying.computeIfAbsent(each.consumer, consumer -> new TreeMap<>()).put(each.deliveryId, each);
        }
    }

    /** Thread: any. */
    static BrokerException notUnsettled(long first, long last, String why) {
        return new BrokerException(
                ErrorKind.PRECONDITION_FAILED,
                "MS-0363",
                "deliveries " + first + " to " + last + " cannot be settled in the transaction: " + why + ".",
                "roll back; what was given back is delivered again.");
    }

    /** Thread: any. */
    static BrokerException rolledBack(BrokerException why) {
        return new BrokerException(
                ErrorKind.ROLLED_BACK,
                "MS-0360",
                "the transaction was rolled back: " + why.getMessage(),
                "correct the cause, then do it again.");
    }

    /** What its session publishes behind it waits until its group is on its way. */
    void commit(TransactionSends content, Reply<@Nullable Void> reply) {
        peer.order().hold();
        claim(content, reply);
    }

    private void claim(TransactionSends content, Reply<@Nullable Void> reply) {
        PublishClaims.claim(shard, peer, content.sends(), claimed -> claimed(claimed, content, reply));
    }

    private void claimed(PublishClaims.Outcome claimed, TransactionSends content, Reply<@Nullable Void> reply) {
        if (claimed instanceof PublishClaims.Outcome.Wait wait) {
            wait.until().whenEnded(() -> claim(content, reply));
        } else if (claimed instanceof PublishClaims.Outcome.Claimed each) {
            commit(content.keepOnly(each.left()), each.claims(), reply);
        } else if (claimed instanceof PublishClaims.Outcome.Refused refused) {
            refuse(refused.why(), content, reply);
            peer.order().goOn();
        }
    }

    /** Dead letters may have to be read first. */
    private void commit(TransactionSends content, PublishClaims claims, Reply<@Nullable Void> reply) {
        CommitOutcomes outcomes = outcomes();
        outcomes.whenComplete(() -> {
            commit(content, claims, outcomes, reply);
            peer.order().goOn();
        });
    }

    private void commit(
            TransactionSends content, PublishClaims claims, CommitOutcomes outcomes, Reply<@Nullable Void> reply) {
        if (!endForGood(content, reply)) {
            claims.failed();
            return;
        }
        try {
            List<Frame> frames = new ArrayList<>(content.frames());
            frames.addAll(outcomes.frames());
            frames.addAll(claims.frames());
            TransactionCommit.Parts parts = new TransactionCommit.Parts(content, outcomes, claims);
            if (frames.isEmpty()) {
                peer.order().queueInMemory(() -> queueInMemory(content, outcomes, reply));
            } else {
                shard.store().submit(new TransactionCommit(shard.store(), this, frames, parts, reply));
                begun(content);
            }
        } catch (IllegalArgumentException tooLarge) {
            claims.failed();
            refuseTooLarge(tooLarge, content, reply);
        }
    }

    /** Turn by turn; what its session publishes behind it waits until all of it is queued. */
    private void queueInMemory(TransactionSends content, CommitOutcomes outcomes, Reply<@Nullable Void> reply) {
        peer.order().queueing();
        Iterator<TransactionSend> left = content.sends().iterator();
        peer.work().begin(budget -> {
            while (left.hasNext()) {
                if (budget.spent()) {
                    return false;
                }
                budget.spend(1);
                applied(left.next());
            }
            if (!outcomes.applySome(budget, Folding.NONE)) {
                return false;
            }
            content.release();
            applied();
            reply.done();
            peer.order().queued();
            return true;
        });
    }

    /** What is to become of its deliveries. */
    CommitOutcomes outcomes() {
        List<Enlisted> all = enlisted;
        return new CommitOutcomes(shard, peer.work(), new CommitOutcomes.Deliveries() {
            @Override
            public int size() {
                return all.size();
            }

            @Override
            public void add(int at, CommitOutcomes to) {
                Enlisted each = all.get(at);
                to.add(each.consumer, each.held, each.outcome);
            }
        });
    }

    /** The store takes nothing of what is to be one record group. */
    void refuseTooLarge(IllegalArgumentException tooLarge, TransactionSends content, Reply<@Nullable Void> reply) {
        content.release();
        endAdmissions();
        undo();
        reply.refused(
                ErrorKind.ROLLED_BACK,
                "MS-0361",
                "the transaction was rolled back, it does not fit the log: " + tooLarge.getMessage() + ".",
                "commit more often, with fewer messages or settlements each.");
    }

    /** Ends it without undoing it, or undoes and refuses it if there is a reason. */
    boolean endForGood(TransactionSends content, Reply<@Nullable Void> reply) {
        BrokerException why = ended ? sessionEnded() : rollbackOnly == null ? noRoom(content) : rollbackOnly;
        if (why != null) {
            refuse(why, content, reply);
            return false;
        }
        end();
        return true;
    }

    /** Undoes it, and says why. */
    void refuse(BrokerException why, TransactionSends content, Reply<@Nullable Void> reply) {
        content.release();
        rollback();
        reply.refused(rolledBack(why));
    }

    /** Its deliveries that lie in lanes, as a prepare record tells them. */
    List<PreparedBranch.Locked> locks() {
        List<PreparedBranch.Locked> locks = new ArrayList<>();
        for (Enlisted each : enlisted) {
            if (each.held instanceof Held.Stored stored) {
                locks.add(new PreparedBranch.Locked(
                        stored.laneId(), stored.entry().index(), PreparedBranch.Ending.of(each.outcome)));
            }
        }
        return locks;
    }

    private static BrokerException sessionEnded() {
        return new BrokerException(ErrorKind.UNAVAILABLE, "MS-0337", "the session has ended.", "connect again.");
    }

    /** All of it has room, and keeps it until it is applied or has failed; else why not, and nothing has. */
    private @Nullable BrokerException noRoom(TransactionSends content) {
        for (TransactionSend send : content.sends()) {
            BrokerException full = shard.publishing().full(send.destinations());
            if (full == null) {
                full = shard.limits().refusal(send.destinations(), send.message());
            }
            if (full != null) {
                endAdmissions();
                return full;
            }
            if (send.destinations().limited()) {
                admissions.add(shard.limits().admit(send.destinations(), send.message()));
            }
        }
        return null;
    }

    /** Messages of it that are not in their queues do not come. */
    void endAdmissions() {
        admissions.forEach(Admission::end);
        admissions.clear();
    }

    /** The commit is on disk: in front of consumers. */
    void applied(TransactionSend send) {
        if (send.destinations().limited() && !admissions.isEmpty()) {
            admissions.remove().end();
        }
        shard.publishing().committed(peer, send);
    }

    /** All of it has taken effect. */
    void applied() {
        enlisted = new ArrayList<>(0);
    }

    private void begun(TransactionSends content) {
        if (content.anyInMemory()) {
            peer.order().begun();
        }
    }

    /** Its group, if it had one, is on disk and in front of consumers, or has failed. */
    void seen(TransactionSends content) {
        if (content.anyInMemory()) {
            peer.order().seen();
        }
    }

    /** Undoes it. Idempotent; nothing if it has ended. */
    void rollback() {
        rollback(() -> {});
    }

    /** As above, and tells when all has come back. */
    void rollback(Runnable whenDone) {
        if (ended) {
            whenDone.run();
        } else {
            end();
            undo(whenDone);
        }
    }

    /** The broker stops: as {@link #rollback}, but that is no failure of the consumer. */
    void giveBack() {
        if (!ended) {
            end();
            undo(each -> shard.outcomes().apply(each.consumer, each.held, Outcome.UNCOUNTED), () -> {});
        }
    }

    void prepared() {
        prepared = true;
    }

    /** Puts everything back where it came from, at its old position [T-5]. */
    void undo() {
        undo(() -> {});
    }

    private void undo(Runnable whenDone) {
        undo(this::undo, whenDone);
    }

    private void undo(java.util.function.Consumer<Enlisted> how, Runnable whenDone) {
        List<Enlisted> all = enlisted;
        enlisted = new ArrayList<>(0);
        peer.work().begin(new GivingBack<>(shard.outcomes(), queues, all, how, whenDone));
    }

    private void undo(Enlisted each) {
        if (!each.stays || prepared) {
            shard.outcomes().apply(each.consumer, each.held, Outcome.FAILED);
        } else if (each.consumer.closed()) {
            shard.outcomes()
                    .apply(each.consumer, each.held, each.consumer.spec().onLoss());
        } else {
            each.consumer.unsettled().putBack(each.deliveryId, each.held);
        }
    }

    private void end() {
        ended = true;
        peer.transactions().remove(this);
    }
}
