package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.Immutable;
import io.mainstem.conformance.BrokerProcess;
import io.mainstem.jms.MainstemXaConnectionFactory;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.XAConnection;
import jakarta.jms.XASession;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A broker that no longer answers and does not go away either (SIGSTOP): every call ends, with an exception or, for the
 * closing ones, without the broker's word. All calls are made at the same time, each with a connection of its own.
 */
final class StoppedBrokerTest {
    private static final long TIMEOUT_MS = 8_000;

    /** Twice the timeouts that a call may use one after the other, and what a busy machine adds. */
    private static final long BOUND_S = 60;

    /** What a call does with the objects that were made while the broker answered. */
    @Immutable
    private interface Action {
        void run(Client client) throws Exception;
    }

    private enum Call {
        CREATE_SESSION(client -> client.connection.createSession()),
        CREATE_PRODUCER(client -> client.session.createProducer(client.queue)),
        CREATE_CONSUMER(client -> client.session.createConsumer(client.queue)),
        CREATE_TEMPORARY_QUEUE(client -> client.session.createTemporaryQueue()),
        BROWSE(client ->
                client.session.createBrowser(client.queue).getEnumeration().hasMoreElements()),
        UNSUBSCRIBE(client -> client.session.unsubscribe("news")),
        SEND(client -> client.producer.send(client.session.createTextMessage("x"))),
        RECEIVE(client -> client.consumer.receive()),
        RECEIVE_NO_WAIT(client -> client.consumer.receiveNoWait()),
        RECOVER(client -> client.session.recover()),
        COMMIT(client -> {
            client.transactedSend();
            client.transacted.commit();
        }),
        ROLLBACK(client -> {
            client.transactedSend();
            client.transacted.rollback();
        }),
        XA_START(client -> client.xa.getXAResource().start(new NoXid("start"), XAResource.TMNOFLAGS)),
        XA_PREPARE(client -> client.xa.getXAResource().prepare(client.branch)),
        XA_COMMIT(client -> client.xa.getXAResource().commit(client.branch, true)),
        XA_ROLLBACK(client -> client.xa.getXAResource().rollback(client.branch)),
        XA_RECOVER(client -> client.xa.getXAResource().recover(XAResource.TMSTARTRSCAN)),
        XA_FORGET(client -> client.xa.getXAResource().forget(client.branch)),
        CONNECT(client -> factory().createConnection()),
        SET_CLIENT_ID(client -> client.unused.setClientID("c")),
        ACKNOWLEDGE(true, client -> client.received.acknowledge()),
        CLOSE_CONSUMER(true, client -> client.consumer.close()),
        CLOSE_PRODUCER(true, client -> client.producer.close()),
        CLOSE_SESSION(true, client -> client.session.close()),
        CLOSE_CONNECTION(true, client -> client.connection.close());

        private final boolean mayReturn;
        private final Action action;

        Call(Action action) {
            this(false, action);
        }

        Call(boolean mayReturn, Action action) {
            this.mayReturn = mayReturn;
            this.action = action;
        }
    }

    private record NoXid(String name) implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return name.getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {1};
        }
    }

    /** A connection with all that a call needs. */
    private static final class Client {
        final XAConnection connection = factory().createXAConnection();
        final Connection unused;
        final Session session;
        final Session transacted;
        final XASession xa;
        final Queue queue;
        final MessageProducer producer;
        final MessageProducer transactedProducer;
        final MessageConsumer consumer;
        final Message received;
        final Xid branch;

        Client(Call call) throws Exception {
            unused = call == Call.SET_CLIENT_ID ? factory().createConnection() : connection;
            connection.start();
            session = connection.createSession(Session.CLIENT_ACKNOWLEDGE);
            queue = session.createQueue("stopped." + call);
            producer = session.createProducer(queue);
            producer.send(session.createTextMessage("first"));
            consumer = session.createConsumer(queue);
            received = consumer.receive(Names.WAIT_MS);
            transacted = connection.createSession(Session.SESSION_TRANSACTED);
            transactedProducer = transacted.createProducer(queue);
            xa = connection.createXASession();
            branch = new NoXid("branch of " + call);
            xa.getXAResource().start(branch, XAResource.TMNOFLAGS);
            xa.createProducer(queue).send(xa.createTextMessage("x"));
            xa.getXAResource().end(branch, XAResource.TMSUCCESS);
        }

        void transactedSend() throws JMSException {
            transactedProducer.send(transacted.createTextMessage("x"));
        }
    }

    @TempDir
    private static Path folder;

    private static final ExecutorService THREADS = Executors.newCachedThreadPool();
    private static final Map<Call, CompletableFuture<Exception>> ENDS = new EnumMap<>(Call.class);
    private static BrokerProcess broker;

    private static MainstemXaConnectionFactory factory() {
        return new MainstemXaConnectionFactory(broker.address()
                .uri(
                        "jms.requestTimeout=" + TIMEOUT_MS,
                        "jms.sendTimeout=" + TIMEOUT_MS,
                        "jms.closeTimeout=" + TIMEOUT_MS,
                        "jms.connectTimeout=" + TIMEOUT_MS,
                        "amqp.idleTimeout=" + (TIMEOUT_MS + 2_000)));
    }

    @BeforeAll
    static void stopTheBroker() throws Exception {
        broker = BrokerProcess.startShortLived(folder.resolve("broker"));
        Map<Call, Client> clients = new EnumMap<>(Call.class);
        for (Call call : Call.values()) {
            clients.put(call, new Client(call));
        }
        int signalled = new ProcessBuilder("kill", "-STOP", Long.toString(broker.pid()))
                .start()
                .waitFor();
        assertThat(signalled).isZero();
        clients.forEach((call, client) ->
                ENDS.put(call, CompletableFuture.supplyAsync(() -> end(call, client), THREADS)));
    }

    /** How the call ends: its exception, or null. */
    private static Exception end(Call call, Client client) {
        try {
            call.action.run(client);
            return null;
        } catch (Exception e) {
            return e;
        }
    }

    @AfterAll
    static void kill() {
        broker.close();
        THREADS.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    @DisplayName("Every call ends in bounded time")
    void everyCallEnds(Call call) throws Exception {
        Exception end = ENDS.get(call).get(BOUND_S, TimeUnit.SECONDS);

        if (!call.mayReturn) {
            assertThat(end).isInstanceOfAny(JMSException.class, XAException.class);
            assertThat(end).hasMessageMatching("(?s)MS-07\\d\\d .*");
        }
    }
}
