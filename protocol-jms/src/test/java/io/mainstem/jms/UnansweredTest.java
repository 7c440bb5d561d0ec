package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.mainstem.jms.link.InDoubtException;
import io.mainstem.jms.message.AmqpMessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import java.time.Clock;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls that the broker answers too late. */
final class UnansweredTest {
    private final ScriptedBroker broker = new ScriptedBroker();
    private MainstemConnection connection;

    @BeforeEach
    void connect() throws JMSException {
        connection = new MainstemConnection(
                ScriptedBroker.options("amqp://test?jms.requestTimeout=50"),
                broker,
                new AmqpMessageFactory(true, Set.of(), null, Clock.systemUTC()),
                new ClientCounters());
    }

    @AfterEach
    void close() throws JMSException {
        broker.answer();
        connection.close();
    }

    @Test
    @DisplayName(
            "Session.commit: TransactionRolledBackException, whose code and cause say that nobody knows (ADR 0056)")
    void commit() throws Exception {
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        MessageProducer producer = session.createProducer(session.createQueue("q"));
        producer.send(session.createTextMessage("x"));
        broker.hold();

        InDoubtException doubt = catchThrowableOfType(InDoubtException.class, session::commit);

        assertThat(doubt.getErrorCode()).isEqualTo("MS-0740");
        assertThat(doubt.getLinkedException()).hasMessageStartingWith("MS-0705");
        broker.answer();
        producer.send(session.createTextMessage("y"));
        session.commit();
    }

    @Test
    @DisplayName("A producer that is attached when its creation has failed is detached")
    void producer() throws Exception {
        Session session = connection.createSession();
        broker.hold();
        JMSException failure =
                catchThrowableOfType(JMSException.class, () -> session.createProducer(session.createQueue("q")));
        assertThat(failure.getErrorCode()).isEqualTo("MS-0705");

        broker.answer();

        assertThat(broker.wire().sessions().get(0).closedSenders()).isEqualTo(1);
    }

    @Test
    @DisplayName("A durable subscription that is attached when its consumer's creation has failed is left as it is")
    void durableConsumer() throws Exception {
        connection.setClientID("c");
        Session session = connection.createSession();
        broker.hold();
        assertThatThrownBy(() -> session.createDurableConsumer(session.createTopic("t"), "n"))
                .hasMessageContaining("MS-0705");
        assertThatThrownBy(() -> session.createConsumer(session.createQueue("q")))
                .hasMessageContaining("MS-0705");

        broker.answer();

        assertThat(broker.wire().sessions().get(0).receiverEnds()).containsExactly(false, true);
    }

    @Test
    @DisplayName("A consumer closed by an interrupted thread, which does not wait, is detached all the same")
    void interruptedConsumerClose() throws Exception {
        Session session = connection.createSession();
        MessageConsumer consumer = session.createConsumer(session.createQueue("q"));
        broker.holdDrains();

        Thread.currentThread().interrupt();
        assertThatThrownBy(consumer::close).hasMessageContaining("MS-0705");

        assertThat(Thread.interrupted()).isTrue();
        assertThat(broker.wire().sessions().get(0).receiverEnds()).containsExactly(true);
    }

    @Test
    @DisplayName("A session closed by an interrupted thread, which does not wait, is ended all the same")
    void interruptedSessionClose() throws Exception {
        Session session = connection.createSession();
        session.createConsumer(session.createQueue("q"));
        broker.holdDrains();

        Thread.currentThread().interrupt();
        session.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(broker.wire().sessions().get(0).isClosed()).isTrue();
    }
}
