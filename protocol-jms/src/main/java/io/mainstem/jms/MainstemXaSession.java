package io.mainstem.jms;

import io.mainstem.jms.link.LinkSession;
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

    MainstemXaSession(MainstemConnection connection, LinkSession link, XaTransactions transactions) {
        super(connection, link, SESSION_TRANSACTED, transactions);
        this.transactions = transactions;
        transactions.withdrawal(this::withWithdrawn);
    }

    @Override
    public XAResource getXAResource() {
        return transactions;
    }

    @Override
    JMSException noTransactions(String call) {
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
