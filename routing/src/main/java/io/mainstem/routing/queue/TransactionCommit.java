package io.mainstem.routing.queue;

import io.mainstem.routing.ErrorKind;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.ShardStore;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a transaction stores, as one group: after a crash all of it counts or none. Submitted by the event loop or
 * the shard, completed on the shard.
 */
final class TransactionCommit extends LoggedChange {
    private static final int STEPS_AT_A_TIME = 1024;

    private final ShardStore store;
    private final TransactionWork work;
    private final Parts parts;
    private final Reply<@Nullable Void> reply;
    private int nextSend;

    /** What it consists of beside its frames. */
    record Parts(TransactionSends content, CommitOutcomes outcomes, PublishClaims claims) {}

    /** @param frames those of all parts, at least one */
    TransactionCommit(
            ShardStore store, TransactionWork work, List<Frame> frames, Parts parts, Reply<@Nullable Void> reply) {
        super(frames, Durability.SYNC);
        this.store = store;
        this.work = work;
        this.parts = parts;
        this.reply = reply;
    }

    /** So much that others can go on meanwhile; what is behind it in the log waits. */
    @Override
    public boolean applySome(Folding records) {
        TurnBudget budget = new TurnBudget(STEPS_AT_A_TIME);
        for (; nextSend < parts.content.sends().size(); nextSend++) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(1);
            TransactionSend send = parts.content.sends().get(nextSend);
            if (send.frame() != null) {
                records.next();
            }
            work.applied(send);
        }
        return parts.outcomes.applySome(budget, records)
                && records.some()
                && parts.claims.storedSome(budget)
                && super.applySome(records);
    }

    @Override
    public void onApplied() {
        parts.content.release();
        work.applied();
        reply.done();
        work.seen(parts.content);
    }

    @Override
    void refused() {
        parts.content.release();
        work.endAdmissions();
        parts.claims.failed();
        work.undo();
        reply.refused(
                ErrorKind.ROLLED_BACK,
                "MS-0360",
                "the transaction was rolled back: " + store.stateReason() + ".",
                "free disk space, then do it again.");
        work.seen(parts.content);
    }

    @Override
    void inDoubt() {
        parts.content.release();
        work.endAdmissions();
        parts.claims.failed();
        reply.refused(
                ErrorKind.UNAVAILABLE,
                "MS-0362",
                "the log has failed while the transaction was committed, the outcome is unknown: " + store.stateReason()
                        + ".",
                "restart the broker, then look whether it took effect.");
        work.seen(parts.content);
    }
}
