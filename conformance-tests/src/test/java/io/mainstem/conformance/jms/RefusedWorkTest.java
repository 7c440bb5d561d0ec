package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.ResourceAllocationRuntimeException;
import jakarta.jms.Session;
import jakarta.jms.TransactionRolledBackException;
import jakarta.jms.TransactionRolledBackRuntimeException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A broker that has no room, or cannot do what a transaction asks for (Jakarta Messaging 10.3). */
final class RefusedWorkTest {
    private static final int SESSIONS_MAX = 3;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start() {
        broker = EmbeddedBroker.builder()
                .set("amqp.sessions-max", String.valueOf(SESSIONS_MAX))
                .start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @OurClients
    @Clause({
        "10.3",
        "ResourceAllocationException: the provider cannot allocate what a call needs",
        "ResourceAllocationRuntimeException: the provider cannot allocate what a call needs"
    })
    void whatThereIsNoRoomForIsNotAllocated(JmsClient client) throws Exception {
        try (Connection connection = client.factory(broker, "").createConnection();
                JMSContext context = client.factory(broker, "").createContext()) {
            assertThatThrownBy(() -> {
                        for (int number = 0; number <= SESSIONS_MAX; number++) {
                            connection.createSession();
                        }
                    })
                    .isExactlyInstanceOf(ResourceAllocationException.class)
                    .hasMessageContaining("MS-0732");
            assertThatThrownBy(() -> {
                        for (int number = 0; number <= SESSIONS_MAX; number++) {
                            context.createContext(JMSContext.AUTO_ACKNOWLEDGE)
                                    .createConsumer(context.createQueue(Names.unique("full")));
                        }
                    })
                    .isExactlyInstanceOf(ResourceAllocationRuntimeException.class)
                    .hasMessageContaining("MS-0732");
        }
    }

    /** A queue that is not there any more. */
    private static Destination gone(JmsClient client) throws JMSException {
        try (Connection connection = client.factory().createConnection()) {
            return connection.createSession().createTemporaryQueue();
        }
    }

    @OurClients
    @Clause({
        "10.3",
        "Session.commit: TransactionRolledBackException if it is rolled back for an internal error",
        "JMSContext.commit: TransactionRolledBackRuntimeException if it is rolled back for an internal error"
    })
    void aTransactionWithAMessageThatIsRefusedIsRolledBackAsAWhole(JmsClient client) throws Exception {
        Destination gone = gone(client);
        try (Connection connection = client.factory().createConnection();
                JMSContext context = client.factory().createContext(JMSContext.SESSION_TRANSACTED)) {
            connection.start();
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            Queue queue = session.createQueue(Names.unique("refused"));
            var producer = session.createProducer(null);
            producer.send(queue, session.createTextMessage("undone"));
            producer.send(gone, session.createTextMessage("refused"));
            assertThatThrownBy(session::commit)
                    .isExactlyInstanceOf(TransactionRolledBackException.class)
                    .hasMessageContaining("MS-0714");
            context.createProducer().send(queue, "undone").send(gone, "refused");
            assertThatThrownBy(context::commit).isExactlyInstanceOf(TransactionRolledBackRuntimeException.class);

            producer.send(queue, session.createTextMessage("done"));
            session.commit();

            var consumer = connection.createSession().createConsumer(queue);
            assertThat(QueueTest.bodies(consumer, 1)).containsExactly("done");
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
        }
    }
}
