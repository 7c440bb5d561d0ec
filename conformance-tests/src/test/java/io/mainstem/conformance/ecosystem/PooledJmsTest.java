package io.mainstem.conformance.ecosystem;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.messaginghub.pooled.jms.JmsPoolSession;

/** pooled-jms, the pool that Spring Boot and Quarkus use. */
final class PooledJmsTest {
    private EmbeddedBroker broker;
    private JmsPoolConnectionFactory pool;

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.builder().start();
        pool = new JmsPoolConnectionFactory();
        pool.setConnectionFactory(new MainstemConnectionFactory(broker.uri().toString()));
        pool.setMaxConnections(1);
        pool.start();
    }

    @AfterEach
    void stop() {
        pool.stop();
        broker.close();
    }

    @Test
    @DisplayName("Connections and sessions are lent again, not made again")
    void connectionsAndSessionsAreLentAgain() throws JMSException {
        Session first = openSession();
        Session second = openSession();

        assertThat(second).isSameAs(first);
        assertThat(pool.getNumConnections()).isEqualTo(1);
    }

    private Session openSession() throws JMSException {
        try (Connection connection = pool.createConnection();
                Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            MessageProducer producer = session.createProducer(session.createQueue("pooled"));
            producer.send(session.createTextMessage("x"));
            return ((JmsPoolSession) session).getInternalSession();
        }
    }

    @Test
    @DisplayName("A session that is given back with an open transaction is rolled back")
    void openTransactionsAreRolledBack() throws JMSException {
        try (JMSContext context = pool.createContext(JMSContext.SESSION_TRANSACTED)) {
            context.createProducer().send(context.createQueue("transacted"), "undone");
        }
        try (JMSContext context = pool.createContext(JMSContext.SESSION_TRANSACTED)) {
            context.createProducer().send(context.createQueue("transacted"), "done");
            context.commit();
        }
        try (JMSContext context = pool.createContext()) {
            Message received =
                    context.createConsumer(context.createQueue("transacted")).receive(20_000);
            assertThat(received).isNotNull();
            assertThat(received.getBody(String.class)).isEqualTo("done");
        }
    }
}
