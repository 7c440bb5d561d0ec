package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.message.AmqpMessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Session;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A broker that begins no transaction for a while. */
final class RefusedTransactionTest {
    private final ScriptedBroker broker = new ScriptedBroker();

    @Test
    @DisplayName("A message for which no transaction begins goes back, and the next one gets a transaction again")
    void messagesGoBackAndSessionsRecover() throws Exception {
        BlockingQueue<Message> seen = new LinkedBlockingQueue<>();
        broker.refuseTransactions(new JMSException("MS-0706 too many transactions", "MS-0706"));
        try (Connection connection = connection()) {
            Session session = connection.createSession(Session.SESSION_TRANSACTED);
            session.createConsumer(session.createQueue("orders")).setMessageListener(seen::add);
            connection.start();

            broker.deliver();
            assertThat(broker.settled().poll(60, TimeUnit.SECONDS)).isEqualTo(Outcome.RELEASED);
            assertThat(seen).isEmpty();

            broker.refuseTransactions(null);
            broker.deliver();
            assertThat(broker.settled().poll(60, TimeUnit.SECONDS)).isEqualTo(Outcome.ACCEPTED);
            assertThat(seen.poll(60, TimeUnit.SECONDS)).isNotNull();
        }
    }

    private MainstemConnection connection() throws JMSException {
        return new MainstemConnection(
                ScriptedBroker.options("amqp://test"),
                broker,
                new AmqpMessageFactory(true, Set.of(), null, Clock.systemUTC()),
                new ClientCounters());
    }
}
