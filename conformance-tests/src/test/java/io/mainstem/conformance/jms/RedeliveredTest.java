package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * JMSRedelivered is true whenever an application may have had the message before, JMSXDeliveryCount is at least 2 then
 * (Jakarta Messaging 3.4.7, 3.5.11): also where nobody could count the earlier delivery.
 */
final class RedeliveredTest {
    private static String told(Message message) throws Exception {
        return message.getJMSRedelivered() + " " + message.getIntProperty("JMSXDeliveryCount");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("after a broker that has crashed, or was stopped, while an application had the message")
    void afterTheBroker(boolean crash, @TempDir Path folder) throws Exception {
        EmbeddedBroker broker = EmbeddedBroker.builder().dataDirectory(folder).start();
        try {
            Connection connection = JmsClient.MAINSTEM_AMQP.factory(broker, "").createConnection();
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue("work"));
            producer.send(session.createTextMessage("x"));
            assertThat(told(session.createConsumer(session.createQueue("work")).receive(Names.WAIT_MS)))
                    .isEqualTo("false 1");
            if (crash) {
                broker.crash();
            }
        } finally {
            broker.close();
        }
        try (EmbeddedBroker again =
                        EmbeddedBroker.builder().dataDirectory(folder).start();
                Connection connection =
                        JmsClient.MAINSTEM_AMQP.factory(again, "").createConnection()) {
            connection.start();
            Session session = connection.createSession();
            assertThat(told(session.createConsumer(session.createQueue("work")).receive(Names.WAIT_MS)))
                    .isEqualTo("true 2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT})
    @DisplayName("after a client of another kind that went in order and did not say whether it has seen it")
    void afterAnotherClient(int mode) throws Exception {
        ConnectionFactory ours = JmsClient.MAINSTEM_AMQP.factory();
        String name = Names.unique("seen");
        try (Connection connection = JmsClient.QPID.factory().createConnection()) {
            connection.start();
            Session session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue(name));
            producer.send(session.createTextMessage("x"), mode, 4, 0);
            assertThat(session.createConsumer(session.createQueue(name)).receive(Names.WAIT_MS))
                    .isNotNull();
        }
        try (Connection connection = ours.createConnection()) {
            connection.start();
            Session session = connection.createSession();
            Message again = session.createConsumer(session.createQueue(name)).receive(Names.WAIT_MS);
            assertThat(told(again)).isEqualTo("true 2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT})
    @DisplayName("not after a consumer of ours that had prefetched it and shown it to nobody, how often whatever")
    void notIfNobodyHasSeenIt(int mode) throws Exception {
        String name = Names.unique("unseen");
        for (JmsClient client : List.of(JmsClient.MAINSTEM_AMQP, JmsClient.MAINSTEM_VM)) {
            try (Connection connection = client.factory().createConnection()) {
                connection.start();
                Session session = connection.createSession();
                MessageProducer producer = session.createProducer(session.createQueue(name));
                for (int i = 0; i < 5; i++) {
                    producer.send(session.createTextMessage("m" + i), mode, 4, 0);
                }
                for (int i = 0; i < 5; i++) {
                    try (MessageConsumer consumer = session.createConsumer(session.createQueue(name))) {
                        assertThat(told(consumer.receive(Names.WAIT_MS))).isEqualTo("false 1");
                    }
                }
            }
        }
    }
}
