package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.mainstem.jms.MainstemXaConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.JMSException;
import jakarta.jms.Queue;
import jakarta.jms.XAConnection;
import jakarta.jms.XASession;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnknownDescribedType;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a transaction manager hears of branches that an operator has decided (XA 2.2, ADR 0029). */
final class HeuristicXaTest {
    private record TestXid(byte[] global) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return global;
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {1};
        }
    }

    @Test
    @DisplayName(
            "[XA 2.2] a decision by an operator is XA_HEURCOM or XA_HEURRB to its transaction manager until it forgets")
    void theTransactionManagerHearsOfItUntilItForgets() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                XAConnection connection =
                        new MainstemXaConnectionFactory(broker.uri().toString()).createXAConnection()) {
            XASession session = connection.createXASession();
            XAResource resource = session.getXAResource();
            for (boolean committed : new boolean[] {true, false}) {
                Xid xid = prepared(session);
                decideHeuristically(broker, committed);
                int heard = committed ? XAException.XA_HEURCOM : XAException.XA_HEURRB;
                assertThat(errorOf(() -> resource.commit(xid, false))).isEqualTo(heard);
                assertThat(errorOf(() -> resource.rollback(xid))).isEqualTo(heard);
                assertThat(resource.recover(XAResource.TMSTARTRSCAN)).hasSize(1);
                resource.forget(xid);
                assertThat(resource.recover(XAResource.TMSTARTRSCAN)).isEmpty();
                assertThat(errorOf(() -> resource.forget(xid))).isEqualTo(XAException.XAER_NOTA);
            }
        }
    }

    private static Xid prepared(XASession session) throws JMSException, XAException {
        Xid xid = new TestXid(UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII));
        Queue queue = session.createQueue("heuristic");
        session.getXAResource().start(xid, XAResource.TMNOFLAGS);
        session.createProducer(queue).send(session.createTextMessage("x"));
        session.getXAResource().end(xid, XAResource.TMSUCCESS);
        assertThat(session.getXAResource().prepare(xid)).isEqualTo(XAResource.XA_OK);
        return xid;
    }

    private static void decideHeuristically(EmbeddedBroker broker, boolean commit) throws Exception {
        try (AmqpPeer peer = new AmqpPeer(new BrokerAddress("127.0.0.1", broker.port()))) {
            TransactionController operator = new TransactionController(peer, peer.session());
            Binary branch = ((Declared) operator.recover(null)).getTxnId();
            String verb = commit ? "mainstem:commit:list" : "mainstem:rollback:list";
            assertThat(operator.ask(new UnknownDescribedType(Symbol.valueOf(verb), List.of(branch, true))))
                    .isInstanceOf(Accepted.class);
        }
    }

    private interface XaCall {
        void run() throws XAException;
    }

    private static int errorOf(XaCall call) {
        XAException failure = catchThrowableOfType(XAException.class, call::run);
        return failure == null ? 0 : failure.errorCode;
    }
}
