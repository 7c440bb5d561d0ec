package io.mainstem.amqp.v1;

import io.mainstem.routing.Branch;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.Transaction;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/**
 * A declared transaction of one connection: its postings and retirements may come over any of the connection's links.
 *
 * <p>Thread: the connection's event loop.
 */
final class OpenTransaction {
    private final Binary id;
    private final Transaction transaction;
    private final @Nullable Branch branch;
    private final Runnable onFirstWork;
    private final byte[] accepted;
    private final List<Retired> unsettled = new ArrayList<>(0);
    private boolean worked;
    /** Messages that wait to be routed; the discharge waits for them. */
    private int postings;

    private @Nullable Runnable discharge;

    /** How it ends. */
    enum End {
        COMMIT,
        ROLLBACK,
        /** Its outcome is decided later, by its name. */
        PREPARE
    }

    /** Deliveries that the peer left unsettled: the commit settles them. */
    private record Retired(
            AmqpSession session,
            int first,
            int last,
            @Nullable DeliveryState outcome) {}

    /**
     * @param branch the same transaction if it has a name of its own, or null
     * @param onFirstWork run when there is something to commit: from now on its time counts
     */
    OpenTransaction(Binary id, Transaction transaction, @Nullable Branch branch, Runnable onFirstWork) {
        this.id = id;
        this.transaction = transaction;
        this.branch = branch;
        this.onFirstWork = onFirstWork;
        this.accepted = DispositionBatch.encode(state(Accepted.getInstance()));
    }

    Binary id() {
        return id;
    }

    /** {@code accepted} under this transaction, encoded. */
    byte[] accepted() {
        return accepted;
    }

    /** An outcome under this transaction. */
    TransactionalState state(org.apache.qpid.proton.amqp.messaging.Outcome outcome) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome(outcome);
        return state;
    }

    private void work() {
        if (!worked) {
            worked = true;
            onFirstWork.run();
        }
    }

    /** A message is on its way into the transaction: {@link #postingEnded} follows. */
    void postingBegan() {
        work();
        postings++;
    }

    PublishResult post(Message message) {
        return transaction.publish(message);
    }

    void postingEnded() {
        postings--;
        Runnable waiting = discharge;
        if (postings == 0 && waiting != null) {
            discharge = null;
            waiting.run();
        }
    }

    /** Retires deliveries of a consumer. */
    void retire(ConsumerHandle consumer, long first, long last, Outcome outcome, boolean settled) {
        work();
        transaction.settle(consumer, first, last, outcome, settled);
    }

    /** The peer waits for the commit to settle these. */
    void settleWithCommit(AmqpSession session, int first, int last, @Nullable DeliveryState outcome) {
        unsettled.add(new Retired(session, first, last, outcome));
    }

    void rollbackOnly(BrokerException why) {
        transaction.rollbackOnly(why);
    }

    /** True if it has a name by which it can be decided later. */
    boolean isBranch() {
        return branch != null;
    }

    /** Ends it, as soon as all its messages are routed. */
    CompletionStage<@Nullable Void> end(End how) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Runnable end = () -> endNow(how).whenComplete((nothing, failure) -> {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else {
                done.complete(null);
            }
        });
        if (postings == 0) {
            end.run();
        } else {
            discharge = end;
        }
        return done;
    }

    private CompletionStage<@Nullable Void> endNow(End how) {
        if (how == End.ROLLBACK) {
            return transaction.rollback();
        }
        CompletionStage<@Nullable Void> done =
                how == End.PREPARE && branch != null ? branch.prepare() : transaction.commit();
        return done.thenRun(this::settleRetired).thenApply(nothing -> null);
    }

    private void settleRetired() {
        for (Retired retired : unsettled) {
            retired.session.settledByCommit(retired.first, retired.last, retired.outcome);
        }
    }
}
