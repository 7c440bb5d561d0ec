package io.mainstem.conformance;

import jakarta.jms.Connection;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.qpid.jms.JmsConnectionFactory;

/** Qpid JMS as the tests use it. */
final class Jms {
    /** Longer than any answer should take; the end of a test that would hang. */
    static final long RECEIVE_MS = 60_000;

    private Jms() {}

    /** A name that no other test uses. */
    static String uniqueName(String kind) {
        return "jms." + kind + "." + UUID.randomUUID();
    }

    /** A context in AUTO_ACKNOWLEDGE; options such as {@code jms.prefetchPolicy.all=0}. */
    static JMSContext context(BrokerAddress broker, String... options) {
        return context(broker, JMSContext.AUTO_ACKNOWLEDGE, options);
    }

    static JMSContext context(BrokerAddress broker, int acknowledgeMode, String... options) {
        return factory(broker, options).createContext(acknowledgeMode);
    }

    /** A started connection. */
    static Connection connection(BrokerAddress broker, String... options) throws JMSException {
        Connection connection = factory(broker, options).createConnection();
        connection.start();
        return connection;
    }

    /** Receives so many text bodies; fails if one does not come. */
    static List<String> receiveBodies(JMSConsumer consumer, int count) {
        List<String> bodies = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            String body = consumer.receiveBody(String.class, RECEIVE_MS);
            if (body == null) {
                throw new AssertionError("received " + i + " of " + count + " messages: " + bodies);
            }
            bodies.add(body);
        }
        return bodies;
    }

    private static JmsConnectionFactory factory(BrokerAddress broker, String... options) {
        return new JmsConnectionFactory(broker.uri(options));
    }
}
