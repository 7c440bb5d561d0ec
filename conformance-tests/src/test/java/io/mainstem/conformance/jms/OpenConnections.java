package io.mainstem.conformance.jms;

import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A started connection and a context for each client, made when first asked for and closed with the test class: for classes
 * of many small statements. Thread: the test's.
 */
final class OpenConnections implements AfterAllCallback {
    private final Map<JmsClient, Connection> connections = new EnumMap<>(JmsClient.class);
    private final Map<JmsClient, Session> sessions = new EnumMap<>(JmsClient.class);
    private final Map<JmsClient, JMSContext> contexts = new EnumMap<>(JmsClient.class);

    /** Started, without a client identifier. */
    Connection connection(JmsClient client) throws JMSException {
        Connection connection = connections.get(client);
        if (connection == null) {
            connection = client.factory().createConnection();
            connections.put(client, connection);
            connection.start();
        }
        return connection;
    }

    /** Of the connection; acknowledges automatically. */
    Session session(JmsClient client) throws JMSException {
        Session session = sessions.get(client);
        if (session == null) {
            session = connection(client).createSession();
            sessions.put(client, session);
        }
        return session;
    }

    /** Acknowledges automatically. */
    JMSContext context(JmsClient client) {
        return contexts.computeIfAbsent(client, key -> key.factory().createContext());
    }

    @Override
    public void afterAll(ExtensionContext context) throws JMSException {
        contexts.values().forEach(JMSContext::close);
        for (Connection connection : connections.values()) {
            connection.close();
        }
    }
}
