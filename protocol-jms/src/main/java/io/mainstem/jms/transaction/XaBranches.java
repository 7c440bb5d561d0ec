package io.mainstem.jms.transaction;

import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.TransactionId;
import jakarta.jms.JMSException;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The branches of a connection that are not prepared yet: its sessions can join each other's. Thread: any. */
public final class XaBranches {
    private final Map<XidKey, Branch> branches = new ConcurrentHashMap<>();

    /** What is done in one branch over this connection. Thread: any. */
    static final class Branch {
        private final XidKey xid;
        private final TransactionId id;
        private final Coordinator coordinator;
        private final long deadlineNanos;
        private final SendOutcomes sends = new SendOutcomes();
        private boolean worked;
        private boolean rollbackOnly;
        private @Nullable JMSException reason;

        /**
         * @param coordinator that declared it, and can end it
         * @param deadlineNanos by {@code System.nanoTime}: it can only be rolled back after that
         */
        Branch(XidKey xid, TransactionId id, Coordinator coordinator, long deadlineNanos) {
            this.xid = xid;
            this.id = id;
            this.coordinator = coordinator;
            this.deadlineNanos = deadlineNanos;
        }

        XidKey xid() {
            return xid;
        }

        Coordinator coordinator() {
            return coordinator;
        }

        TransactionId id() {
            return id;
        }

        synchronized TransactionId work() {
            worked = true;
            return id;
        }

        synchronized boolean worked() {
            return worked;
        }

        void sent(CompletionStage<@Nullable Void> outcome) {
            sends.add(outcome);
        }

        synchronized void rollbackOnly() {
            rollbackOnly = true;
        }

        private synchronized void failed(JMSException cause) {
            rollbackOnly = true;
            reason = reason == null ? cause : reason;
        }

        /** Why it can only be rolled back, if it is for a message that was not taken. */
        synchronized @Nullable JMSException reason() {
            return reason;
        }

        synchronized boolean isRollbackOnly() {
            return rollbackOnly;
        }

        boolean isTooLate() {
            return deadlineNanos - System.nanoTime() < 0;
        }

        /** Waits for the outcomes of what was sent; one that failed makes the branch rollback-only. */
        void awaitSends(long timeoutMs) {
            JMSException failure = sends.await(timeoutMs);
            if (failure != null) {
                failed(failure);
            }
        }
    }

    /** @return false if this connection has it already */
    boolean add(Branch branch) {
        return branches.putIfAbsent(branch.xid(), branch) == null;
    }

    @Nullable
    Branch find(XidKey xid) {
        return branches.get(xid);
    }

    void remove(Branch branch) {
        branches.remove(branch.xid(), branch);
    }
}
