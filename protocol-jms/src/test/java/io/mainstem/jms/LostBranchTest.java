package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.mainstem.jms.failover.FailoverTransport;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.message.AmqpMessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A branch of a distributed transaction that ended with its connection. */
final class LostBranchTest {
    private final ScriptedBroker broker = new ScriptedBroker();

    private record Branch(byte[] getGlobalTransactionId, byte[] getBranchQualifier) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }
    }

    @Test
    @DisplayName(
            "What came in it after the loss goes back when prepare is refused: no transaction manager calls rollback then")
    void messagesGoBackWithoutARollback() throws Exception {
        Xid xid = new Branch(new byte[] {1}, new byte[] {2});
        try (MainstemXaConnection connection = new MainstemXaConnection(
                ScriptedBroker.options("failover:(amqp://test)"),
                new FailoverTransport(broker),
                new AmqpMessageFactory(true, Set.of(), null, Clock.systemUTC()),
                new ClientCounters())) {
            MainstemXaSession session = connection.openXaSession();
            XAResource transactions = session.getXAResource();
            var consumer = session.createConsumer(session.createQueue("orders"));
            connection.start();
            transactions.start(xid, XAResource.TMNOFLAGS);
            broker.wire().cut();
            broker.deliver();
            assertThat(consumer.receive(60_000)).isNotNull();
            transactions.end(xid, XAResource.TMSUCCESS);

            XAException refused = catchThrowableOfType(XAException.class, () -> transactions.prepare(xid));

            assertThat(refused.errorCode).isEqualTo(XAException.XA_RBROLLBACK);
            assertThat(broker.settled().poll(60, TimeUnit.SECONDS)).isEqualTo(Outcome.FAILED);
        }
    }
}
