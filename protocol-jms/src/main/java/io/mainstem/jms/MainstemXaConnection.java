package io.mainstem.jms;

import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import io.mainstem.jms.session.SessionCore;
import io.mainstem.jms.transaction.XaBranches;
import io.mainstem.jms.transaction.XaTransactions;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.XAQueueConnection;
import jakarta.jms.XAQueueSession;
import jakarta.jms.XASession;
import jakarta.jms.XATopicConnection;
import jakarta.jms.XATopicSession;

/** A connection whose sessions can take part in distributed transactions. Thread: any. */
final class MainstemXaConnection extends MainstemConnection implements XAQueueConnection, XATopicConnection {
    private final XaBranches branches = new XaBranches();

    MainstemXaConnection(Options options, LinkTransport transport, MessageFactory messages, ClientCounters counters)
            throws JMSException {
        super(options, transport, messages, counters);
    }

    MainstemXaSession openXaSession() throws JMSException {
        use();
        LinkSession link = broker().openSession();
        XaTransactions transactions = new XaTransactions(
                branches, link.coordinator(), broker().options().timeouts().requestMs());
        SessionCore core = added(new SessionCore(broker(), sessions(), link, Session.SESSION_TRANSACTED, transactions));
        return new MainstemXaSession(core, temporaries(), transactions);
    }

    @Override
    public XASession createXASession() throws JMSException {
        return openXaSession();
    }

    @Override
    public XAQueueSession createXAQueueSession() throws JMSException {
        return openXaSession();
    }

    @Override
    public XATopicSession createXATopicSession() throws JMSException {
        return openXaSession();
    }
}
