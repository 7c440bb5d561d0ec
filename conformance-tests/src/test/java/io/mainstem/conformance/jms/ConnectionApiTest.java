package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionMetaData;
import jakarta.jms.ExceptionListener;
import jakarta.jms.IllegalStateException;
import jakarta.jms.IllegalStateRuntimeException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidClientIDRuntimeException;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageFormatRuntimeException;
import jakarta.jms.MessageListener;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of Connection, ConnectionMetaData, JMSContext and JMSConsumer, sentence by sentence. */
final class ConnectionApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    @AllClients
    @Clause({
        "ConnectionFactory.createConnection: in stopped mode",
        "Connection.start: ignored on a started connection",
        "Connection.stop: ignored on a stopped connection",
        "Connection.stop: does not stop sends",
        "Connection.close: nothing on a closed connection"
    })
    void startsAndStops(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("connection"));
            MessageConsumer consumer = session.createConsumer(queue);
            session.createProducer(queue).send(session.createMessage());
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            connection.start();
            connection.start();
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
            connection.stop();
            connection.stop();
            session.createProducer(queue).send(session.createMessage());
            connection.start();
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
            for (AutoCloseable again : List.of(connection, connection)) {
                again.close();
            }
        }
    }

    @AllClients
    @Clause({
        "Connection.setClientID: IllegalStateException after another use of the connection",
        "Connection.setClientID: IllegalStateException if one was set",
        "Connection.setClientID: InvalidClientIDException for one that another connection has",
        "Connection.getClientID: as set"
    })
    void clientIdentifiers(JmsClient client) throws Exception {
        String id = Names.unique("client");
        try (Connection first = client.factory().createConnection();
                Connection second = client.factory().createConnection();
                Connection used = client.factory().createConnection()) {
            first.setClientID(id);
            assertThat(first.getClientID()).isEqualTo(id);
            used.createSession();
            Refused.allWith(
                    IllegalStateException.class,
                    () -> first.setClientID(Names.unique("client")),
                    () -> used.setClientID(Names.unique("client")));
            Refused.allWith(InvalidClientIDException.class, () -> second.setClientID(id));
        }
    }

    @AllClients
    @Clause("Connection.setClientID: InvalidClientIDException for an invalid one")
    void clientIdentifiersAreNotEmpty(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Refused.allWith(
                    InvalidClientIDException.class,
                    () -> connection.setClientID(""),
                    () -> connection.setClientID(null));
        }
    }

    @AllClients
    @Clause({
        "Connection.setClientID: IllegalStateException if configured in the factory",
        "Connection.getClientID: as configured in the factory",
        "JMSContext.setClientID: IllegalStateRuntimeException if configured in the factory"
    })
    void configuredClientIdentifiersStay(JmsClient client) throws Exception {
        String id = Names.unique("client");
        try (Connection connection = client.factory("jms.clientID=" + id).createConnection()) {
            assertThat(connection.getClientID()).isEqualTo(id);
            Refused.allWith(IllegalStateException.class, () -> connection.setClientID("x"));
        }
        try (JMSContext context =
                client.factory("jms.clientID=" + Names.unique("client")).createContext()) {
            Refused.allWith(IllegalStateRuntimeException.class, () -> context.setClientID("x"));
        }
    }

    @AllClients
    @Clause({
        "Connection.getExceptionListener: null if none is set",
        "Connection.setExceptionListener: got as set",
        "JMSContext.getExceptionListener: null if none is set"
    })
    void exceptionListeners(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            assertThat(connection.getExceptionListener()).isNull();
            ExceptionListener listener = failure -> {};
            connection.setExceptionListener(listener);
            assertThat(connection.getExceptionListener()).isSameAs(listener);
            connection.setExceptionListener(null);
            assertThat(connection.getExceptionListener()).isNull();
        }
        assertThat(OPEN.context(client).getExceptionListener()).isNull();
    }

    @OurClients
    @Clause({
        "ConnectionMetaData.getJMSVersion: 3.1",
        "ConnectionMetaData.getJMSMajorVersion: 3",
        "ConnectionMetaData.getJMSMinorVersion: 1",
        "ConnectionMetaData.getJMSProviderName: the provider's",
        "ConnectionMetaData.getProviderVersion: its major and minor version",
        "ConnectionMetaData.getProviderMajorVersion: 0 or more",
        "ConnectionMetaData.getProviderMinorVersion: 0 or more"
    })
    void metaData(JmsClient client) throws Exception {
        ConnectionMetaData data = OPEN.connection(client).getMetaData();
        assertThat(data.getJMSVersion()).isEqualTo("3.1");
        assertThat(data.getJMSMajorVersion()).isEqualTo(3);
        assertThat(data.getJMSMinorVersion()).isEqualTo(1);
        assertThat(data.getJMSProviderName()).isEqualTo("Mainstem");
        assertThat(data.getProviderMajorVersion()).isNotNegative();
        assertThat(data.getProviderMinorVersion()).isNotNegative();
        assertThat(data.getProviderVersion())
                .startsWith(data.getProviderMajorVersion() + "." + data.getProviderMinorVersion());
    }

    @AllClients
    @Clause({
        "ConnectionFactory.createContext(): AUTO_ACKNOWLEDGE",
        "ConnectionFactory.createContext(int): the mode that was given",
        "JMSContext.createContext: the mode that was given, on the same connection",
        "JMSContext.getSessionMode: the mode, AUTO_ACKNOWLEDGE if none was given",
        "JMSContext.getTransacted: true if a local transaction is used"
    })
    void modesOfContexts(JmsClient client) {
        assertThat(OPEN.context(client).getSessionMode()).isEqualTo(JMSContext.AUTO_ACKNOWLEDGE);
        for (int mode : new int[] {
            JMSContext.AUTO_ACKNOWLEDGE,
            JMSContext.CLIENT_ACKNOWLEDGE,
            JMSContext.DUPS_OK_ACKNOWLEDGE,
            JMSContext.SESSION_TRANSACTED
        }) {
            try (JMSContext own = client.factory().createContext(mode);
                    JMSContext other = OPEN.context(client).createContext(mode)) {
                for (JMSContext context : new JMSContext[] {own, other}) {
                    assertThat(context.getSessionMode()).isEqualTo(mode);
                    assertThat(context.getTransacted()).isEqualTo(mode == JMSContext.SESSION_TRANSACTED);
                }
            }
        }
    }

    @AllClients
    @Clause({
        "JMSContext.commit: IllegalStateRuntimeException without a local transaction",
        "JMSContext.rollback: IllegalStateRuntimeException without a local transaction",
        "JMSContext.recover: IllegalStateRuntimeException if transacted",
        "JMSContext.setClientID: IllegalStateRuntimeException after another use",
        "JMSContext.acknowledge: ignored unless CLIENT_ACKNOWLEDGE",
        "JMSContext.createDurableConsumer: IllegalStateRuntimeException if the client identifier is unset"
    })
    void callsThatDoNotFitTheContext(JmsClient client) {
        JMSContext context = OPEN.context(client);
        context.createProducer().send(context.createQueue(Names.unique("context")), "text");
        Refused.allWith(
                IllegalStateRuntimeException.class,
                context::commit,
                context::rollback,
                () -> context.setClientID(Names.unique("client")));
        Refused.allWith(
                client == JmsClient.QPID ? JMSRuntimeException.class : IllegalStateRuntimeException.class,
                () -> context.createDurableConsumer(context.createTopic("t"), "n"),
                () -> context.createDurableConsumer(context.createTopic("t"), "n", null, false));
        context.acknowledge();
        try (JMSContext transacted = context.createContext(JMSContext.SESSION_TRANSACTED)) {
            Refused.allWith(IllegalStateRuntimeException.class, transacted::recover);
            transacted.acknowledge();
            transacted.commit();
            transacted.rollback();
        }
    }

    @AllClients
    @Clause("JMSContext.setClientID: InvalidClientIDRuntimeException for one that another connection has")
    void clientIdentifiersOfContexts(JmsClient client) {
        String id = Names.unique("client");
        try (JMSContext first = client.factory().createContext();
                JMSContext second = client.factory().createContext()) {
            first.setClientID(id);
            assertThat(first.getClientID()).isEqualTo(id);
            Refused.allWith(InvalidClientIDRuntimeException.class, () -> second.setClientID(id));
        }
    }

    @AllClients
    @Clause({
        "JMSContext.getAutoStart: true by default",
        "JMSContext.setAutoStart: false leaves the connection stopped",
        "JMSContext.start: starts it"
    })
    void contextsStartByThemselves(JmsClient client) {
        try (JMSContext context = client.factory().createContext()) {
            assertThat(context.getAutoStart()).isTrue();
            context.setAutoStart(false);
            assertThat(context.getAutoStart()).isFalse();
            Queue queue = context.createQueue(Names.unique("context"));
            context.createProducer().send(queue, "text");
            JMSConsumer consumer = context.createConsumer(queue);
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            context.start();
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
        }
    }

    @AllClients
    @Clause({
        "JMSConsumer.getMessageSelector: as given, null if null or empty",
        "JMSConsumer.getMessageListener: null if none was set",
        "JMSConsumer.setMessageListener: null unsets it"
    })
    void consumersTellWhatTheyAre(JmsClient client) {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("context"));
            for (String selector : new String[] {"a = 1", "", null}) {
                try (JMSConsumer consumer = context.createConsumer(queue, selector)) {
                    assertThat(consumer.getMessageSelector()).isEqualTo("a = 1".equals(selector) ? selector : null);
                }
            }
            try (JMSConsumer consumer = context.createConsumer(queue)) {
                assertThat(consumer.getMessageSelector()).isNull();
                assertThat(consumer.getMessageListener()).isNull();
                MessageListener listener = message -> {};
                consumer.setMessageListener(listener);
                assertThat(consumer.getMessageListener()).isSameAs(listener);
                consumer.setMessageListener(null);
                assertThat(consumer.getMessageListener()).isNull();
            }
        }
    }

    @AllClients
    @Clause({
        "JMSConsumer.receive(long): null if the timeout expires",
        "JMSConsumer.receiveNoWait: null if none is available",
        "JMSConsumer.receiveBody: null if the timeout expires",
        "JMSConsumer.receiveBodyNoWait: null if none is available",
        "JMSConsumer.receiveBody: MessageFormatRuntimeException for another type, the message stays",
        "JMSConsumer.receiveBody: MessageFormatRuntimeException for a StreamMessage"
    })
    void bodiesAreReceived(JmsClient client) {
        JMSContext context = OPEN.context(client);
        Queue queue = context.createQueue(Names.unique("context"));
        JMSProducer producer = context.createProducer();
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            assertThat(consumer.receive(1)).isNull();
            assertThat(consumer.receiveNoWait()).isNull();
            assertThat(consumer.receiveBody(String.class, 1)).isNull();
            assertThat(consumer.receiveBodyNoWait(String.class)).isNull();
            producer.send(queue, "text");
            Refused.allWith(
                    MessageFormatRuntimeException.class,
                    () -> consumer.receiveBody(Map.class),
                    () -> consumer.receiveBody(Map.class, Names.WAIT_MS));
            assertThat(consumer.receiveBody(CharSequence.class, Names.WAIT_MS)).isEqualTo("text");
            producer.send(queue, context.createStreamMessage());
            Refused.allWith(MessageFormatRuntimeException.class, () -> consumer.receiveBody(Object.class));
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
        }
    }

    @OurClients
    @Clause("JMSConsumer.receiveBody: MessageFormatRuntimeException for a message without a body")
    void noBodyIsNotReceived(JmsClient client) {
        JMSContext context = OPEN.context(client);
        Queue queue = context.createQueue(Names.unique("context"));
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            context.createProducer().send(queue, context.createMessage());
            Refused.allWith(MessageFormatRuntimeException.class, () -> consumer.receiveBody(String.class));
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
        }
    }
}
