package io.mainstem.jms.transaction;

import io.mainstem.jms.error.Answers;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.InDoubtException;
import io.mainstem.jms.link.TransactionId;
import jakarta.jms.JMSException;
import jakarta.jms.TransactionRolledBackException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The transactions of a SESSION_TRANSACTED session, one after the other. The next is begun while the last one ends, so
 * that its first message need not wait. Thread: that of the session; the lock is for close, which may come from others.
 */
public final class LocalTransactions implements Transactions {
    private final Coordinator coordinator;
    private final long timeoutMs;
    private SendOutcomes sends = new SendOutcomes();
    private CompletionStage<TransactionId> current;
    private boolean worked;

    public LocalTransactions(Coordinator coordinator, long timeoutMs) {
        this.coordinator = coordinator;
        this.timeoutMs = timeoutMs;
        this.current = coordinator.declare(null);
    }

    @Override
    public boolean active() {
        return true;
    }

    @Override
    public boolean gathers() {
        return true;
    }

    @Override
    public synchronized TransactionId join() throws JMSException {
        if (!worked && current.toCompletableFuture().isCompletedExceptionally()) {
            current = coordinator.declare(null); // What the broker refused the last one for may be over.
        }
        TransactionId id = began();
        if (!worked && id.isOver()) {
            current = coordinator.declare(null); // Nothing was lost with one that had no work.
            id = began();
        }
        worked = true;
        return id;
    }

    private TransactionId began() throws JMSException {
        return Answers.await(current, timeoutMs, "beginning a transaction");
    }

    @Override
    public synchronized void sent(CompletionStage<@Nullable Void> outcome) {
        sends.add(outcome);
    }

    /**
     * Commits.
     *
     * @throws TransactionRolledBackException if it could not be committed; its kind {@link InDoubtException} if nobody
     *     knows. Nothing is left open
     */
    public synchronized void commit() throws JMSException {
        if (!worked) {
            return;
        }
        if (coordinator.rollsBackWhatItRefuses()
                && !current.toCompletableFuture().isCompletedExceptionally()) {
            commitAtOnce();
            return;
        }
        coordinator.flush();
        JMSException refused = firstFailure();
        CompletionStage<@Nullable Void> ended = end(refused != null);
        if (refused != null) {
            try {
                Answers.await(ended, timeoutMs, "rolling back");
            } catch (JMSException e) {
                refused.addSuppressed(e);
            }
            throw rolledBack(refused);
        }
        try {
            Answers.await(ended, timeoutMs, "committing a transaction");
        } catch (TransactionRolledBackException certain) {
            throw certain;
        } catch (JMSException unanswered) {
            throw InDoubtException.of(unanswered);
        }
    }

    /** Without waiting for the answers to what was sent: the discharge follows behind it, and its answer tells of all. */
    private void commitAtOnce() throws JMSException {
        SendOutcomes sent = sends;
        CompletionStage<TransactionId> ending = current;
        try {
            Answers.await(end(false), timeoutMs, "committing a transaction");
        } catch (InDoubtException e) {
            throw e;
        } catch (TransactionRolledBackException certain) {
            JMSException refused = sent.failure();
            throw refused == null ? certain : rolledBack(refused);
        } catch (JMSException unanswered) {
            // If the discharge still waits here it shall not commit behind the application's back.
            var unused = ending.thenCompose(id -> coordinator.discharge(id, true));
            throw InDoubtException.of(unanswered);
        }
        JMSException refused = sent.failure();
        if (refused != null) {
            throw rolledBack(refused);
        }
    }

    public synchronized void rollback() throws JMSException {
        if (worked) {
            Answers.await(end(true), timeoutMs, "rolling back a transaction");
        }
    }

    @Override
    public void end() throws JMSException {
        rollback();
    }

    private @Nullable JMSException firstFailure() {
        JMSException first = null;
        try {
            Answers.await(current, timeoutMs, "beginning a transaction");
        } catch (JMSException e) {
            first = e;
        }
        JMSException refusedSend = sends.await(timeoutMs);
        return first == null ? refusedSend : first;
    }

    private CompletionStage<@Nullable Void> end(boolean fail) {
        CompletionStage<@Nullable Void> ended = current.toCompletableFuture().isCompletedExceptionally()
                ? CompletableFuture.completedFuture(null)
                : current.thenCompose(id -> coordinator.discharge(id, fail));
        sends = new SendOutcomes();
        worked = false;
        current = coordinator.declare(null);
        return ended;
    }

    private static TransactionRolledBackException rolledBack(JMSException cause) {
        TransactionRolledBackException rolledBack = new TransactionRolledBackException(
                "MS-0714 the transaction was rolled back: " + cause.getMessage(), "MS-0714");
        rolledBack.initCause(cause);
        rolledBack.setLinkedException(cause);
        return rolledBack;
    }
}
