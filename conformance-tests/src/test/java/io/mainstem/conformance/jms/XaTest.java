package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.ServerSession;
import jakarta.jms.Session;
import jakarta.jms.TransactionInProgressException;
import jakarta.jms.XAConnection;
import jakarta.jms.XAJMSContext;
import jakarta.jms.XASession;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Distributed transactions (Jakarta Messaging 6.2.8, and the XA specification behind it). */
final class XaTest {
    private record TestXid(byte[] global, byte[] branch) implements Xid {
        static TestXid unique() {
            return new TestXid(UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII), new byte[] {1, 2, 3});
        }

        @Override
        public int getFormatId() {
            return 0x4D53;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return global;
        }

        @Override
        public byte[] getBranchQualifier() {
            return branch;
        }

        boolean is(Xid other) {
            return other.getFormatId() == getFormatId()
                    && Arrays.equals(other.getGlobalTransactionId(), global)
                    && Arrays.equals(other.getBranchQualifier(), branch);
        }
    }

    private static XAConnection connection(JmsClient client) throws JMSException {
        XAConnection connection = client.xaFactory().createXAConnection();
        connection.start();
        return connection;
    }

    private static void send(Connection connection, Queue queue, String text) throws JMSException {
        Session session = connection.createSession();
        session.createProducer(queue).send(session.createTextMessage(text));
        session.close();
    }

    private static int errorOf(XaCall call) {
        try {
            call.run();
            return XAException.XA_RBBASE - 1;
        } catch (XAException e) {
            return e.errorCode;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private interface XaCall {
        void run() throws Exception;
    }

    @OurClients
    @Clause({"6.2.8", "XASession"})
    void workOfABranchIsDoneWithItsTwoPhaseCommit(JmsClient client) throws Exception {
        try (XAConnection connection = connection(client)) {
            XASession session = connection.createXASession();
            XAResource resource = session.getXAResource();
            Queue from = session.createQueue(Names.unique("xa"));
            Queue to = session.createQueue(Names.unique("xa"));
            send(connection, from, "work");
            MessageConsumer consumer = session.createConsumer(from);
            MessageProducer producer = session.createProducer(to);
            Session plain = connection.createSession();
            MessageConsumer watcher = plain.createConsumer(to);
            TestXid xid = TestXid.unique();
            resource.start(xid, XAResource.TMNOFLAGS);
            Message work = consumer.receive(Names.WAIT_MS);
            producer.send(work);
            assertThatThrownBy(session::commit).isInstanceOf(TransactionInProgressException.class);
            assertThatThrownBy(session::rollback).isInstanceOf(TransactionInProgressException.class);
            resource.end(xid, XAResource.TMSUCCESS);
            assertThat(resource.prepare(xid)).isEqualTo(XAResource.XA_OK);
            assertThat(watcher.receive(Names.SILENCE_MS)).isNull();
            assertThat(resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN))
                    .anyMatch(xid::is);
            resource.commit(xid, false);
            assertThat(QueueTest.bodies(watcher, 1)).containsExactly("work");
            assertThat(errorOf(() -> resource.commit(xid, false))).isEqualTo(XAException.XAER_NOTA);
            assertThat(resource.recover(XAResource.TMSTARTRSCAN)).noneMatch(xid::is);
        }
    }

    @OurClients
    @Clause("6.2.8")
    void aPreparedBranchIsDecidedFromAnotherConnection(JmsClient client) throws Exception {
        for (boolean commit : new boolean[] {true, false}) {
            TestXid xid = TestXid.unique();
            String name = Names.unique("xa");
            try (XAConnection connection = connection(client)) {
                XASession session = connection.createXASession();
                Queue queue = session.createQueue(name);
                send(connection, queue, "old");
                session.getXAResource().start(xid, XAResource.TMNOFLAGS);
                assertThat(session.createConsumer(queue).receive(Names.WAIT_MS)).isNotNull();
                session.createProducer(queue).send(session.createTextMessage("new"));
                session.getXAResource().end(xid, XAResource.TMSUCCESS);
                session.getXAResource().prepare(xid);
            }
            try (XAConnection connection = connection(client)) {
                XASession session = connection.createXASession();
                MessageConsumer consumer = connection.createSession().createConsumer(session.createQueue(name));
                assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
                if (commit) {
                    session.getXAResource().commit(xid, false);
                } else {
                    session.getXAResource().rollback(xid);
                }
                assertThat(QueueTest.bodies(consumer, 1)).containsExactly(commit ? "new" : "old");
                assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            }
        }
    }

    @OurClients
    @Clause("6.2.8")
    void onePhaseReadOnlyRollbackAndRollbackOnly(JmsClient client) throws Exception {
        try (XAConnection connection = connection(client)) {
            XASession session = connection.createXASession();
            XAResource resource = session.getXAResource();
            Queue queue = session.createQueue(Names.unique("xa"));
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            TestXid one = TestXid.unique();
            resource.start(one, XAResource.TMNOFLAGS);
            producer.send(session.createTextMessage("one phase"));
            resource.end(one, XAResource.TMSUCCESS);
            resource.commit(one, true);
            TestXid empty = TestXid.unique();
            resource.start(empty, XAResource.TMNOFLAGS);
            resource.end(empty, XAResource.TMSUCCESS);
            assertThat(resource.prepare(empty)).isEqualTo(XAResource.XA_RDONLY);
            TestXid undone = TestXid.unique();
            resource.start(undone, XAResource.TMNOFLAGS);
            assertThat(QueueTest.bodies(consumer, 1)).containsExactly("one phase");
            resource.end(undone, XAResource.TMSUCCESS);
            resource.rollback(undone);
            TestXid failed = TestXid.unique();
            resource.start(failed, XAResource.TMNOFLAGS);
            Message again = consumer.receive(Names.WAIT_MS);
            assertThat(again.getIntProperty("JMSXDeliveryCount")).isEqualTo(2);
            resource.end(failed, XAResource.TMFAIL);
            assertThat(errorOf(() -> resource.prepare(failed))).isEqualTo(XAException.XA_RBROLLBACK);
            Message outside = consumer.receive(Names.WAIT_MS);
            assertThat(outside.getIntProperty("JMSXDeliveryCount")).isEqualTo(3);
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
        }
    }

    @OurClients
    @Clause("6.2.8")
    void branchesAreJoinedSuspendedAndResumed(JmsClient client) throws Exception {
        try (XAConnection connection = connection(client);
                XAConnection other = connection(client)) {
            XASession session = connection.createXASession();
            XASession second = connection.createXASession();
            XAResource resource = session.getXAResource();
            assertThat(resource.isSameRM(second.getXAResource())).isTrue();
            assertThat(resource.isSameRM(other.createXASession().getXAResource()))
                    .isFalse();
            Queue queue = session.createQueue(Names.unique("xa"));
            TestXid xid = TestXid.unique();
            resource.start(xid, XAResource.TMNOFLAGS);
            assertThat(errorOf(() -> second.getXAResource().start(xid, XAResource.TMNOFLAGS)))
                    .isEqualTo(XAException.XAER_DUPID);
            session.createProducer(queue).send(session.createTextMessage("first"));
            resource.end(xid, XAResource.TMSUSPEND);
            second.getXAResource().start(xid, XAResource.TMJOIN);
            second.createProducer(queue).send(second.createTextMessage("second"));
            second.getXAResource().end(xid, XAResource.TMSUCCESS);
            resource.start(xid, XAResource.TMRESUME);
            assertThat(errorOf(() -> resource.commit(xid, true))).isEqualTo(XAException.XAER_PROTO);
            session.createProducer(queue).send(session.createTextMessage("third"));
            resource.end(xid, XAResource.TMSUCCESS);
            resource.commit(xid, true);
            assertThat(QueueTest.bodies(connection.createSession().createConsumer(queue), 3))
                    .containsExactly("first", "second", "third");
            assertThat(errorOf(() -> resource.start(TestXid.unique(), XAResource.TMJOIN)))
                    .isEqualTo(XAException.XAER_NOTA);
            assertThat(errorOf(() -> resource.forget(xid))).isEqualTo(XAException.XAER_NOTA);
        }
    }

    @OurClients
    @Clause({"XAConnectionFactory.createXAContext", "6.2.8"})
    void aContextTakesPartToo(JmsClient client) throws Exception {
        try (XAJMSContext context = client.xaFactory().createXAContext()) {
            Queue queue = context.createQueue(Names.unique("xa"));
            TestXid xid = TestXid.unique();
            context.getXAResource().start(xid, XAResource.TMNOFLAGS);
            context.createProducer().send(queue, "in context");
            context.getXAResource().end(xid, XAResource.TMSUCCESS);
            var consumer = context.createConsumer(queue);
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            context.getXAResource().commit(xid, true);
            assertThat(consumer.receiveBody(String.class, Names.WAIT_MS)).isEqualTo("in context");
        }
    }

    @OurClients
    @Clause({"6.2.8", "7.9", "MessageProducer.setDeliveryDelay: in a transaction the delivery time counts from the send"
    })
    void aDelayedMessageOfABranchComesAtItsTimeAndNotBeforeTheCommit(JmsClient client) throws Exception {
        for (boolean onePhase : new boolean[] {true, false}) {
            try (XAConnection connection = connection(client)) {
                XASession session = connection.createXASession();
                XAResource resource = session.getXAResource();
                Queue queue = session.createQueue(Names.unique("xa"));
                MessageProducer producer = session.createProducer(queue);
                MessageConsumer consumer = connection.createSession().createConsumer(queue);
                TestXid xid = TestXid.unique();
                resource.start(xid, XAResource.TMNOFLAGS);
                producer.setDeliveryDelay(Names.SILENCE_MS / 2);
                Message late = session.createTextMessage("before the commit");
                producer.send(late);
                producer.setDeliveryDelay(3 * Names.SILENCE_MS);
                Message later = session.createTextMessage("behind it");
                producer.send(later);
                resource.end(xid, XAResource.TMSUCCESS);
                if (!onePhase) {
                    assertThat(resource.prepare(xid)).isEqualTo(XAResource.XA_OK);
                }
                assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
                resource.commit(xid, onePhase);
                assertThat(QueueTest.bodies(consumer, 2)).containsExactly("before the commit", "behind it");
                assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(later.getJMSDeliveryTime());
                assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            }
        }
    }

    @OurClients
    @Clause({"6.2.8", "11.2", "XAConnection"})
    void aServerSessionWorksInABranch(JmsClient client) throws Exception {
        try (XAConnection connection = connection(client)) {
            XASession session = connection.createXASession();
            XAResource resource = session.getXAResource();
            Queue queue = session.createQueue(Names.unique("xa"));
            BlockingQueue<Boolean> redelivered = new LinkedBlockingQueue<>();
            session.setMessageListener(message -> redelivered.add(redelivered(message)));
            BlockingQueue<ServerSession> pool = new LinkedBlockingQueue<>();
            pool.add(new BranchOfServer(session, resource, pool));
            connection.createConnectionConsumer(queue, null, () -> Objects.requireNonNull(pool.poll()), 1);

            send(connection, queue, "work");

            assertThat(redelivered.poll(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isFalse();
            assertThat(redelivered.poll(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();
        }
    }

    private static boolean redelivered(Message message) {
        try {
            return message.getJMSRedelivered();
        } catch (JMSException e) {
            throw new AssertionError(e);
        }
    }

    /** Rolls the first branch back and commits the others, on the thread that starts it. */
    private static final class BranchOfServer implements ServerSession {
        private final XASession session;
        private final XAResource resource;
        private final BlockingQueue<ServerSession> pool;
        private boolean worked;

        BranchOfServer(XASession session, XAResource resource, BlockingQueue<ServerSession> pool) {
            this.session = session;
            this.resource = resource;
            this.pool = pool;
        }

        @Override
        public Session getSession() {
            return session;
        }

        @Override
        public void start() throws JMSException {
            TestXid xid = TestXid.unique();
            try {
                resource.start(xid, XAResource.TMNOFLAGS);
                session.run();
                resource.end(xid, XAResource.TMSUCCESS);
                assertThat(resource.prepare(xid)).isEqualTo(XAResource.XA_OK);
                if (worked) {
                    resource.commit(xid, false);
                } else {
                    resource.rollback(xid);
                }
            } catch (XAException e) {
                throw new JMSException(e.getMessage());
            }
            worked = true;
            pool.add(this);
        }
    }

    @OurClients
    @Clause("6.2.8")
    void aBranchThatTookTooLongIsRolledBack(JmsClient client) throws Exception {
        try (XAConnection connection = connection(client)) {
            XASession session = connection.createXASession();
            XAResource resource = session.getXAResource();
            Queue queue = session.createQueue(Names.unique("xa"));
            MessageProducer producer = session.createProducer(queue);
            MessageConsumer consumer = session.createConsumer(queue);
            assertThat(resource.setTransactionTimeout(1)).isTrue();
            assertThat(resource.getTransactionTimeout()).isEqualTo(1);
            TestXid late = TestXid.unique();
            resource.start(late, XAResource.TMNOFLAGS);
            producer.send(session.createTextMessage("late"));
            assertThat(consumer.receive(1100)).isNull();
            assertThat(errorOf(() -> resource.end(late, XAResource.TMSUCCESS))).isEqualTo(XAException.XA_RBTIMEOUT);
            assertThat(errorOf(() -> resource.commit(late, true))).isEqualTo(XAException.XA_RBROLLBACK);
            assertThat(errorOf(() -> resource.rollback(late))).isEqualTo(XAException.XAER_NOTA);
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
        }
    }

    @OurClients
    @Clause({"6.2.8", "6.2.15"})
    void aSessionClosedBeforePrepareUndoesItsBranch(JmsClient client) throws Exception {
        try (XAConnection connection = connection(client)) {
            XASession session = connection.createXASession();
            XAResource resource = session.getXAResource();
            Queue queue = session.createQueue(Names.unique("xa"));
            send(connection, queue, "work");
            TestXid xid = TestXid.unique();
            resource.start(xid, XAResource.TMNOFLAGS);
            assertThat(session.createConsumer(queue).receive(Names.WAIT_MS)).isNotNull();
            session.createProducer(queue).send(session.createTextMessage("result"));
            session.close();
            assertThat(errorOf(() -> resource.prepare(xid))).isEqualTo(XAException.XAER_NOTA);
            MessageConsumer consumer = connection.createSession().createConsumer(queue);
            assertThat(QueueTest.bodies(consumer, 1)).containsExactly("work");
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
        }
    }
}
