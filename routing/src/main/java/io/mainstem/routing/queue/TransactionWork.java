package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.store.Frame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transaction as the shard sees it: the deliveries it will settle. They are taken from their consumer while it is
 * open, so that nothing else can settle them. Thread: shard only, unless a method says otherwise.
 */
final class TransactionWork {
    private final Shard shard;
    private final ShardPeer peer;
    private final List<Enlisted> enlisted = new ArrayList<>();
    private @Nullable BrokerException rollbackOnly;
    private boolean ended;
    /** Its consumers have nothing to say about its deliveries any more. */
    private boolean prepared;

    /** @param stays after a rollback it is still the consumer's, unsettled */
    private record Enlisted(Consumer consumer, long deliveryId, Held held, Outcome outcome, boolean stays) {}

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
        if (ended) {
            return;
        }
        long missing = last - first + 1;
        if (settled) {
            missing -= release(consumer, first, last);
        }
        for (UnsettledDeliveries.Numbered taken : consumer.unsettled().takeRange(first, last)) {
            enlisted.add(new Enlisted(consumer, taken.deliveryId(), taken.held(), outcome, !settled));
            missing--;
        }
        if (missing > 0 && rollbackOnly == null) {
            rollbackOnly = notUnsettled(first, last, missing + " of them are settled already or were given back");
        }
    }

    /** Of deliveries enlisted before, the consumer has forgotten these now: they will not stay with it. */
    private long release(Consumer consumer, long first, long last) {
        long found = 0;
        for (int at = 0; at < enlisted.size(); at++) {
            Enlisted each = enlisted.get(at);
            if (each.stays && each.consumer == consumer && each.deliveryId >= first && each.deliveryId <= last) {
                enlisted.set(at, new Enlisted(consumer, each.deliveryId, each.held, each.outcome, false));
                found++;
            }
        }
        return found;
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
        PublishClaims.Outcome claimed = PublishClaims.claim(shard, peer, content.sends());
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
                peer.order().queueInMemory(() -> {
                    content.release();
                    applied(content, outcomes);
                    reply.done();
                });
            } else {
                shard.store().submit(new TransactionCommit(shard, this, frames, parts, reply));
                begun(content);
            }
        } catch (IllegalArgumentException tooLarge) {
            claims.failed();
            refuseTooLarge(tooLarge, content, reply);
        }
    }

    /** What is to become of its deliveries. */
    CommitOutcomes outcomes() {
        CommitOutcomes outcomes = new CommitOutcomes(shard);
        enlisted.forEach(each -> outcomes.add(each.consumer, each.held, each.outcome));
        return outcomes;
    }

    /** The store takes nothing of what is to be one record group. */
    void refuseTooLarge(IllegalArgumentException tooLarge, TransactionSends content, Reply<@Nullable Void> reply) {
        content.release();
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

    private @Nullable BrokerException noRoom(TransactionSends content) {
        for (TransactionSend send : content.sends()) {
            BrokerException full = shard.publishing().full(send.destinations());
            if (full != null) {
                return full;
            }
        }
        return null;
    }

    /** The commit is on disk: in front of consumers, all in one iteration. */
    void applied(TransactionSends content, CommitOutcomes outcomes) {
        for (TransactionSend send : content.sends()) {
            shard.publishing().committed(peer, send);
        }
        outcomes.applied();
        enlisted.clear();
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
        if (!ended) {
            end();
            undo();
        }
    }

    /** The broker stops: as {@link #rollback}, but that is no failure of the consumer. */
    void giveBack() {
        if (!ended) {
            end();
            for (Enlisted each : enlisted) {
                shard.outcomes().apply(each.consumer, each.held, Outcome.RELEASED);
            }
            enlisted.clear();
        }
    }

    void prepared() {
        prepared = true;
    }

    /** Puts everything back where it came from, at its old position [T-5]. */
    void undo() {
        for (Enlisted each : enlisted) {
            if (!each.stays || prepared) {
                shard.outcomes().apply(each.consumer, each.held, Outcome.FAILED);
            } else if (each.consumer.closed()) {
                shard.outcomes()
                        .apply(each.consumer, each.held, each.consumer.spec().onLoss());
            } else {
                each.consumer.unsettled().putBack(each.deliveryId, each.held);
            }
        }
        enlisted.clear();
    }

    private void end() {
        ended = true;
        peer.transactions().remove(this);
    }
}
