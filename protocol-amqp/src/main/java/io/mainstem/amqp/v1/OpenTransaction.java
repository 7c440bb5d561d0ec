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
import java.util.concurrent.Future;
import java.util.function.Supplier;
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
    private final Supplier<@Nullable Future<?>> timer;
    private final byte[] accepted;
    private final List<Retired> unsettled = new ArrayList<>(0);
    private boolean worked;
    /** Ends it if it is not discharged in time. */
    private @Nullable Future<?> timeout;
    /** Nothing more can be done in it. */
    private boolean over;
    /** Messages that wait to be routed; a commit waits for them. */
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
     * @param timer starts its time when there is something to commit; null = it has any time
     */
    OpenTransaction(Binary id, Transaction transaction, @Nullable Branch branch, Supplier<@Nullable Future<?>> timer) {
        this.id = id;
        this.transaction = transaction;
        this.branch = branch;
        this.timer = timer;
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
            timeout = timer.get();
        }
    }

    /** A message is on its way into the transaction: {@link #postingEnded} follows. */
    void postingBegan() {
        work();
        postings++;
    }

    /** Takes a message in; one that had to wait may come when all is over, and is refused then. */
    PublishResult post(Message message) {
        return over ? PublishResult.Refused.of(Postings.tooLate()) : transaction.publish(message);
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
        if (!over) {
            transaction.rollbackOnly(why);
        }
    }

    /** The connection is gone: the broker undoes what is not committed. */
    void lost() {
        over = true;
        discharge = null;
        stopTimer();
    }

    private void stopTimer() {
        if (timeout != null) {
            timeout.cancel(false);
            timeout = null;
        }
    }

    /** True if it has a name by which it can be decided later. */
    boolean isBranch() {
        return branch != null;
    }

    /** Ends it: undoes it at once, or commits it as soon as all its messages are routed. */
    CompletionStage<@Nullable Void> end(End how) {
        stopTimer();
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Runnable end = () -> endNow(how).whenComplete((nothing, failure) -> {
            if (failure != null) {
                done.completeExceptionally(failure);
            } else {
                done.complete(null);
            }
        });
        if (postings == 0 || how == End.ROLLBACK) {
            end.run();
        } else {
            discharge = end;
        }
        return done;
    }

    private CompletionStage<@Nullable Void> endNow(End how) {
        over = true;
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
