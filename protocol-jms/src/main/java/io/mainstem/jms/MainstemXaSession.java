package io.mainstem.jms;

import io.mainstem.jms.connection.Temporaries;
import io.mainstem.jms.session.SessionCore;
import io.mainstem.jms.transaction.XaTransactions;
import jakarta.jms.JMSException;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TopicSession;
import jakarta.jms.TransactionInProgressException;
import jakarta.jms.XAQueueSession;
import jakarta.jms.XATopicSession;
import javax.transaction.xa.XAResource;

/** A session whose transactions belong to a transaction manager. Thread: as its parent. */
final class MainstemXaSession extends MainstemSession implements XAQueueSession, XATopicSession {
    private final XaTransactions transactions;

    MainstemXaSession(SessionCore core, Temporaries temporaries, XaTransactions transactions) {
        super(core, temporaries);
        this.transactions = transactions;
        transactions.withdrawal(core::withWithdrawn);
    }

    @Override
    public XAResource getXAResource() {
        return transactions;
    }

    @Override
    public void commit() throws JMSException {
        throw refused("commit");
    }

    @Override
    public void rollback() throws JMSException {
        throw refused("rollback");
    }

    private JMSException refused(String call) throws JMSException {
        checkUsable();
        core().checkNoCompletionCallback(call);
        return new TransactionInProgressException(
                "MS-0708 " + call + " on an XA session: its transactions end by the transaction manager", "MS-0708");
    }

    @Override
    public Session getSession() throws JMSException {
        checkUsable();
        return this;
    }

    @Override
    public QueueSession getQueueSession() throws JMSException {
        checkUsable();
        return new QueueSessionView(this);
    }

    @Override
    public TopicSession getTopicSession() throws JMSException {
        checkUsable();
        return new TopicSessionView(this);
    }
}
