package io.mainstem.jms;

import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.XAJMSContext;
import javax.transaction.xa.XAResource;

/** A context whose transactions belong to a transaction manager. Thread: as its parent. */
final class MainstemXaContext extends MainstemContext implements XAJMSContext {
    private final MainstemXaConnection connection;

    MainstemXaContext(MainstemXaConnection connection) {
        super(new SharedConnection(connection), SESSION_TRANSACTED);
        this.connection = connection;
    }

    @Override
    MainstemSession openSession() throws JMSException {
        return connection.openXaSession();
    }

    @Override
    public JMSContext getContext() {
        return this;
    }

    @Override
    public XAResource getXAResource() {
        return Unchecked.call(() -> ((MainstemXaSession) session()).getXAResource());
    }
}
