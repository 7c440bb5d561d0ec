package io.mainstem.jms;

import io.mainstem.jms.options.Options;
import jakarta.jms.JMSException;
import jakarta.jms.XAConnection;
import jakarta.jms.XAConnectionFactory;
import jakarta.jms.XAJMSContext;
import jakarta.jms.XAQueueConnection;
import jakarta.jms.XAQueueConnectionFactory;
import jakarta.jms.XATopicConnection;
import jakarta.jms.XATopicConnectionFactory;
import org.jspecify.annotations.Nullable;

/**
 * As {@link MainstemConnectionFactory}, for transaction managers: its connections' sessions are resources of distributed
 * transactions.
 */
public final class MainstemXaConnectionFactory extends MainstemConnectionFactory
        implements XAConnectionFactory, XAQueueConnectionFactory, XATopicConnectionFactory {
    private static final long serialVersionUID = 1;

    /** Connects to {@link #DEFAULT_BROKER_URI}. */
    public MainstemXaConnectionFactory() {}

    /** @param brokerUri as {@link MainstemConnectionFactory#MainstemConnectionFactory(String)} takes it */
    public MainstemXaConnectionFactory(String brokerUri) {
        super(brokerUri);
    }

    /** As the other constructors, for one user. */
    public MainstemXaConnectionFactory(String username, String password, String brokerUri) {
        super(username, password, brokerUri);
    }

    private MainstemXaConnection open(Options current) throws JMSException {
        return new MainstemXaConnection(current, transport(current), messages(current), counters());
    }

    @Override
    public XAConnection createXAConnection() throws JMSException {
        return open(options());
    }

    @Override
    public XAConnection createXAConnection(@Nullable String username, @Nullable String password) throws JMSException {
        return open(options().withCredentials(username, password));
    }

    @Override
    public XAQueueConnection createXAQueueConnection() throws JMSException {
        return open(options());
    }

    @Override
    public XAQueueConnection createXAQueueConnection(@Nullable String username, @Nullable String password)
            throws JMSException {
        return open(options().withCredentials(username, password));
    }

    @Override
    public XATopicConnection createXATopicConnection() throws JMSException {
        return open(options());
    }

    @Override
    public XATopicConnection createXATopicConnection(@Nullable String username, @Nullable String password)
            throws JMSException {
        return open(options().withCredentials(username, password));
    }

    @Override
    public XAJMSContext createXAContext() {
        return new MainstemXaContext(Unchecked.call(() -> open(options())));
    }

    @Override
    public XAJMSContext createXAContext(@Nullable String username, @Nullable String password) {
        return new MainstemXaContext(Unchecked.call(() -> open(options().withCredentials(username, password))));
    }
}
