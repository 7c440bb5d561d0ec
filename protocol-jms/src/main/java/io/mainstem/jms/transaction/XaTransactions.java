package io.mainstem.jms.transaction;

import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.error.JmsAction;
import io.mainstem.jms.link.BranchExistsException;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.HeuristicException;
import io.mainstem.jms.link.InDoubtException;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.link.UnknownBranchException;
import io.mainstem.jms.transaction.XaBranches.Branch;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.TransactionRolledBackException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.jspecify.annotations.Nullable;

/**
 * A session as a resource of distributed transactions. A branch is a transaction of the session's coordinator, named at the
 * broker by its xid; once prepared it can be decided from any connection. Outside of branches the session works as one of
 * AUTO_ACKNOWLEDGE.
 *
 * <p>Thread: that of the session or of the transaction manager, one at a time.
 */
public final class XaTransactions implements Transactions, XAResource {
    private static final long NEVER_NANOS = Long.MAX_VALUE / 2;

    private final XaBranches branches;
    private final Coordinator coordinator;
    private final long timeoutMs;
    private final List<Branch> own = new ArrayList<>();
    private volatile @Nullable Branch current;
    private volatile Withdrawal withdrawal = rollback -> rollback.run();
    private int timeoutSeconds;

    /** Gives back what was prefetched before a rollback, so that messages come again in their order. */
    public interface Withdrawal {
        void around(JmsAction rollback) throws JMSException;
    }

    public XaTransactions(XaBranches branches, Coordinator coordinator, long timeoutMs) {
        this.branches = branches;
        this.coordinator = coordinator;
        this.timeoutMs = timeoutMs;
    }

    /** Set once, by the session that it belongs to. */
    public void withdrawal(Withdrawal next) {
        withdrawal = next;
    }

    @Override
    public boolean active() {
        return current != null;
    }

    @Override
    public TransactionId join() throws JMSException {
        Branch branch = current;
        if (branch == null) {
            throw Errors.illegal(
                    "MS-0708",
                    "no branch of a transaction is active in this session; fix: start one (XAResource.start)");
        }
        return branch.work();
    }

    @Override
    public void sent(CompletionStage<@Nullable Void> outcome) {
        Branch branch = current;
        if (branch != null) {
            branch.sent(outcome);
        }
    }

    /** Branches that were begun here and not prepared are undone with the session. */
    @Override
    public void end() throws JMSException {
        current = null;
        for (Branch branch : List.copyOf(own)) {
            if (branches.find(branch.xid()) == branch) {
                forgetHere(branch);
                Answers.await(coordinator.discharge(branch.id(), true), timeoutMs, "rolling back a branch");
            }
        }
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        if (current != null) {
            throw failure(XAException.XAER_PROTO, "another branch is active in this session", null);
        }
        XidKey key = XidKey.of(xid);
        Branch known = branches.find(key);
        if (flags == TMJOIN || flags == TMRESUME) {
            if (known == null) {
                throw failure(XAException.XAER_NOTA, "no branch " + key + " to join", null);
            }
            current = known;
            return;
        }
        if (flags != TMNOFLAGS) {
            throw failure(XAException.XAER_INVAL, "start with flags " + Integer.toHexString(flags), null);
        }
        if (known != null) {
            throw failure(XAException.XAER_DUPID, "branch " + key + " is begun already", null);
        }
        long lifeNanos = timeoutSeconds == 0 ? NEVER_NANOS : TimeUnit.SECONDS.toNanos(timeoutSeconds);
        try {
            TransactionId id = Answers.awaitMade(
                    coordinator.declare(key.globalId()),
                    timeoutMs,
                    "beginning a branch",
                    late -> coordinator.discharge(late, true));
            Branch branch = new Branch(key, id, coordinator, System.nanoTime() + lifeNanos);
            branches.add(branch);
            own.add(branch);
            current = branch;
        } catch (BranchExistsException e) {
            throw failure(XAException.XAER_DUPID, "branch " + key + " is begun or prepared already", e);
        } catch (JMSException e) {
            throw failure(XAException.XAER_RMFAIL, "branch " + key + " cannot be begun", e);
        }
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        XidKey key = XidKey.of(xid);
        Branch branch = branches.find(key);
        if (branch == null) {
            throw failure(XAException.XAER_NOTA, "no branch " + key, null);
        }
        if (flags != TMSUCCESS && flags != TMFAIL && flags != TMSUSPEND) {
            throw failure(XAException.XAER_INVAL, "end with flags " + Integer.toHexString(flags), null);
        }
        if (current == branch) {
            current = null;
        } else if (flags == TMSUSPEND) {
            throw failure(XAException.XAER_PROTO, "branch " + key + " is not active in this session", null);
        }
        if (flags == TMFAIL) {
            branch.rollbackOnly();
        }
        if (branch.isTooLate()) {
            branch.rollbackOnly();
            throw failure(XAException.XA_RBTIMEOUT, "branch " + key + " took too long", null);
        }
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        Branch branch = ended(xid);
        branch.awaitSends(timeoutMs);
        if (branch.isRollbackOnly() || branch.isTooLate()) {
            rollback(branch);
            throw failure(
                    branch.isTooLate() ? XAException.XA_RBTIMEOUT : XAException.XA_RBROLLBACK,
                    "branch " + branch.xid() + " can only be rolled back, and is",
                    branch.reason());
        }
        forgetHere(branch);
        try {
            if (!branch.worked()) {
                Answers.await(branch.coordinator().discharge(branch.id(), false), timeoutMs, "ending an empty branch");
                return XA_RDONLY;
            }
            Answers.await(branch.coordinator().prepare(branch.id()), timeoutMs, "preparing a branch");
            return XA_OK;
        } catch (TransactionRolledBackException e) {
            giveBack(e);
            throw failure(XAException.XA_RBROLLBACK, "branch " + branch.xid() + " is rolled back", e);
        } catch (JMSException e) {
            giveBack(e);
            throw failure(XAException.XAER_RMFAIL, "branch " + branch.xid() + " may be prepared or not", e);
        }
    }

    /** A branch of this connection that nobody works in any more. */
    private Branch ended(Xid xid) throws XAException {
        XidKey key = XidKey.of(xid);
        Branch branch = branches.find(key);
        if (branch == null) {
            throw failure(XAException.XAER_NOTA, "no branch " + key + " over this connection", null);
        }
        if (branch == current) {
            throw failure(XAException.XAER_PROTO, "branch " + key + " is active; end it first", null);
        }
        return branch;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        if (!onePhase) {
            decide(XidKey.of(xid), true);
            return;
        }
        Branch branch = ended(xid);
        branch.awaitSends(timeoutMs);
        if (branch.isRollbackOnly() || branch.isTooLate()) {
            rollback(branch);
            throw failure(XAException.XA_RBROLLBACK, "branch " + branch.xid() + " is rolled back", branch.reason());
        }
        forgetHere(branch);
        try {
            Answers.await(branch.coordinator().discharge(branch.id(), false), timeoutMs, "committing a branch");
        } catch (JMSException e) {
            giveBack(e);
            // Who is told of a rollback does the work again: not when it may be committed.
            if (e instanceof TransactionRolledBackException && !(e instanceof InDoubtException)) {
                throw failure(XAException.XA_RBROLLBACK, "branch " + branch.xid() + " is rolled back", e);
            }
            throw failure(XAException.XAER_RMFAIL, "branch " + branch.xid() + " may be committed or not", e);
        }
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        XidKey key = XidKey.of(xid);
        Branch branch = branches.find(key);
        if (branch == null) {
            decide(key, false);
        } else {
            rollback(branch);
        }
    }

    private void rollback(Branch branch) throws XAException {
        if (current == branch) {
            current = null;
        }
        forgetHere(branch);
        try {
            withdrawal.around(() -> Answers.await(
                    branch.coordinator().discharge(branch.id(), true), timeoutMs, "rolling back a branch"));
        } catch (JMSException e) {
            throw failure(XAException.XAER_RMFAIL, "branch " + branch.xid() + " ends with the connection", e);
        }
    }

    /** A branch is over and no call for its rollback need follow: what came when it was lost already goes back. */
    private void giveBack(JMSException cause) {
        Errors.after(cause, () -> withdrawal.around(() -> {}));
    }

    private void forgetHere(Branch branch) {
        branches.remove(branch);
        own.remove(branch);
    }

    private void decide(XidKey xid, boolean commit) throws XAException {
        try {
            Answers.await(coordinator.decide(xid.globalId(), commit), timeoutMs, "deciding a branch");
        } catch (UnknownBranchException e) {
            throw failure(XAException.XAER_NOTA, "no branch " + xid + " is prepared", e);
        } catch (HeuristicException e) {
            throw failure(
                    e.committed() ? XAException.XA_HEURCOM : XAException.XA_HEURRB,
                    "branch " + xid + " was decided by somebody else",
                    e);
        } catch (JMSSecurityException e) {
            throw failure(XAException.XAER_RMERR, "branch " + xid + " belongs to another user", e);
        } catch (JMSException e) {
            throw failure(XAException.XAER_RMFAIL, "branch " + xid + " is still prepared, or decided", e);
        }
    }

    @Override
    public Xid[] recover(int flags) throws XAException {
        if ((flags & ~(TMSTARTRSCAN | TMENDRSCAN)) != 0) {
            throw failure(XAException.XAER_INVAL, "recover with flags " + Integer.toHexString(flags), null);
        }
        if ((flags & TMSTARTRSCAN) == 0) {
            return new Xid[0]; // The first call of a scan tells all.
        }
        try {
            List<Xid> found = new ArrayList<>();
            for (byte[] globalId : Answers.await(coordinator.prepared(), timeoutMs, "asking for prepared branches")) {
                XidKey xid = XidKey.ofGlobalId(globalId);
                if (xid != null) {
                    found.add(xid);
                }
            }
            return found.toArray(Xid[]::new);
        } catch (JMSException e) {
            throw failure(XAException.XAER_RMFAIL, "the broker does not tell its prepared branches", e);
        }
    }

    @Override
    public void forget(Xid xid) throws XAException {
        XidKey key = XidKey.of(xid);
        try {
            Answers.await(coordinator.forget(key.globalId()), timeoutMs, "forgetting a branch");
        } catch (UnknownBranchException e) {
            throw failure(XAException.XAER_NOTA, "branch " + key + " was not decided heuristically", e);
        } catch (JMSException e) {
            throw failure(XAException.XAER_RMFAIL, "branch " + key + " is not forgotten, or may be", e);
        }
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other instanceof XaTransactions that && that.branches == branches;
    }

    @Override
    public int getTransactionTimeout() {
        return timeoutSeconds;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        if (seconds < 0) {
            throw failure(XAException.XAER_INVAL, "timeout of " + seconds + " s (expected: 0 or more)", null);
        }
        timeoutSeconds = seconds;
        return true;
    }

    private static XAException failure(int code, String text, @Nullable Throwable cause) {
        XAException failure = new XAException("MS-0717 " + text + (cause == null ? "" : ": " + cause.getMessage()));
        failure.errorCode = code;
        if (cause != null) {
            failure.initCause(cause);
        }
        return failure;
    }
}
