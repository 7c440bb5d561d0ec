package io.mainstem.jms;

import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.message.MessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Options;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.XAJMSContext;

/** What the factories open. Thread: any. */
final class Connections {
    private Connections() {}

    /**
     * A connection to the broker, logged in, stopped.
     *
     * @param transport to the broker that the options name
     * @param messages makes and reads the messages of this connection
     * @param counters of the factory
     * @throws jakarta.jms.JMSSecurityException if the broker refuses the login
     * @throws JMSException if there is no broker, or it refuses otherwise
     */
    static MainstemConnection open(
            Options options, LinkTransport transport, MessageFactory messages, ClientCounters counters)
            throws JMSException {
        return new MainstemConnection(options, transport, messages, counters);
    }

    /** As {@link #open}, for distributed transactions. */
    static MainstemXaConnection openXa(
            Options options, LinkTransport transport, MessageFactory messages, ClientCounters counters)
            throws JMSException {
        return new MainstemXaConnection(options, transport, messages, counters);
    }

    /** As {@link #openContext}, for distributed transactions. */
    static XAJMSContext openXaContext(
            Options options, LinkTransport transport, MessageFactory messages, ClientCounters counters) {
        try {
            return new MainstemXaContext(openXa(options, transport, messages, counters));
        } catch (JMSException e) {
            throw Runtimes.of(e);
        }
    }

    /**
     * A context with a connection of its own.
     *
     * @throws JMSRuntimeException the runtime kind of what {@link #open} throws
     */
    static JMSContext openContext(
            Options options,
            LinkTransport transport,
            MessageFactory messages,
            ClientCounters counters,
            int sessionMode) {
        if (sessionMode < JMSContext.SESSION_TRANSACTED || sessionMode > JMSContext.DUPS_OK_ACKNOWLEDGE) {
            throw new JMSRuntimeException(
                    "MS-0711 session mode " + sessionMode + " (expected: AUTO_ACKNOWLEDGE, CLIENT_ACKNOWLEDGE,"
                            + " DUPS_OK_ACKNOWLEDGE or SESSION_TRANSACTED)",
                    "MS-0711");
        }
        try {
            return new MainstemContext(new SharedConnection(open(options, transport, messages, counters)), sessionMode);
        } catch (JMSException e) {
            throw Runtimes.of(e);
        }
    }
}
