package io.mainstem.conformance.ecosystem;

import io.mainstem.conformance.ecosystem.Step.Watch;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * Tells what the transaction manager has done with a resource. No proxy: Narayana would try to serialise that.
 *
 * @param behind does the work
 */
record WatchedResource(XAResource behind, Step ended, Step prepared, Step committed, Watch watch)
        implements XAResource {
    static WatchedResource messages(XAResource behind, Watch watch) {
        return new WatchedResource(behind, Step.ENDED, Step.MESSAGES_PREPARED, Step.MESSAGES_COMMITTED, watch);
    }

    static WatchedResource database(XAResource behind, Watch watch) {
        return new WatchedResource(
                behind, Step.MESSAGES_PREPARED, Step.DATABASE_PREPARED, Step.DATABASE_COMMITTED, watch);
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        behind.start(xid, flags);
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        behind.end(xid, flags);
        watch.reached(ended);
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        int vote = behind.prepare(xid);
        watch.reached(prepared);
        return vote;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        watch.reached(Step.DECIDED);
        behind.commit(xid, onePhase);
        watch.reached(committed);
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        behind.rollback(xid);
    }

    @Override
    public void forget(Xid xid) throws XAException {
        behind.forget(xid);
    }

    @Override
    public Xid[] recover(int flag) throws XAException {
        return behind.recover(flag);
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return this == other;
    }

    @Override
    public int getTransactionTimeout() throws XAException {
        return behind.getTransactionTimeout();
    }

    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        return behind.setTransactionTimeout(seconds);
    }
}
