package io.mainstem.jms;

import io.mainstem.jms.connection.Temporaries;
import io.mainstem.jms.session.SessionCore;
import io.mainstem.jms.transaction.XaTransactions;
import jakarta.jms.JMSException;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TopicSession;
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
    public Session getSession() throws JMSException {
        checkUsable();
        return this;
    }

    @Override
    public QueueSession getQueueSession() throws JMSException {
        checkUsable();
        return new MainstemQueueSession(this);
    }

    @Override
    public TopicSession getTopicSession() throws JMSException {
        checkUsable();
        return new MainstemTopicSession(this);
    }
}
