package io.mainstem.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.destination.MainstemQueue;
import io.mainstem.jms.failover.FailoverTransport;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.message.AmqpMessageFactory;
import io.mainstem.jms.metrics.ClientCounters;
import jakarta.jms.ConnectionConsumer;
import jakarta.jms.IllegalStateException;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.ServerSession;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Connection consumers whose link, connection or pool fails (Jakarta Messaging 11.2, ADR 0055). */
final class ServerSessionsTest {
    private static final MainstemQueue QUEUE = new MainstemQueue("q");

    private final ScriptedBroker broker = new ScriptedBroker();
    private final ClientCounters counters = new ClientCounters();
    private final BlockingQueue<String> rounds = new LinkedBlockingQueue<>();

    private MainstemConnection started(String uri, LinkTransport transport) throws JMSException {
        MainstemConnection connection = new MainstemConnection(
                ScriptedBroker.options(uri),
                transport,
                new AmqpMessageFactory(true, Set.of(), null, Clock.systemUTC()),
                counters);
        connection.start();
        return connection;
    }

    /** Of one session, which the thread of the connection consumer runs itself. */
    private ServerSessionPool pool(Session session, Runnable onGet) {
        ServerSession server = new ServerSession() {
            @Override
            public Session getSession() {
                return session;
            }

            @Override
            public void start() {
                session.run();
                rounds.add("run");
            }
        };
        return () -> {
            onGet.run();
            return server;
        };
    }

    private void awaitRound() throws InterruptedException {
        assertThat(rounds.poll(60, TimeUnit.SECONDS)).isNotNull();
    }

    @Test
    @DisplayName("ADR 0055: a message whose connection is lost while the pool is asked is worked on once, when it comes"
            + " again")
    void aLossWhileThePoolIsAsked() throws Exception {
        MainstemConnection connection = started("failover:(amqp://test)", new FailoverTransport(broker));
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        List<String> worked = new CopyOnWriteArrayList<>();
        session.setMessageListener(message -> worked.add("message"));
        List<Runnable> onGet =
                new CopyOnWriteArrayList<>(List.of(() -> broker.wire().cut()));
        connection.createConnectionConsumer(
                QUEUE,
                null,
                pool(
                        session,
                        () -> onGet.removeIf(once -> {
                            once.run();
                            return true;
                        })),
                1);

        broker.deliver();
        awaitRound();

        assertThat(worked).as("the broker has it again").isEmpty();
        broker.deliver();
        awaitRound();
        assertThat(worked).hasSize(1);
        connection.close();
    }

    @Test
    @DisplayName(
            "Connection.close: sessions of the pool first, for they settle over the link of the connection consumer")
    void closingOrder() throws Exception {
        MainstemConnection connection = started("amqp://test", broker);
        connection.createConnectionConsumer(QUEUE, null, () -> null, 1);
        connection.createSession();

        connection.close();

        assertThat(broker.closings())
                .containsExactly(
                        broker.wire().sessions().get(1),
                        broker.wire().sessions().get(0));
    }

    @Test
    @DisplayName("ConnectionConsumer.close: its session ends, also when the broker has ended its link before")
    void closeAfterTheLink() throws Exception {
        MainstemConnection connection = started("amqp://test", broker);
        ConnectionConsumer consumer = connection.createConnectionConsumer(QUEUE, null, () -> null, 1);
        broker.consumer().detached(new JMSException("MS-0700 the queue is gone", "MS-0700"));

        consumer.close();

        assertThat(broker.wire().sessions().get(0).isClosed()).isTrue();
        assertThat(counters.sessionsOpen()).isZero();
        connection.close();
    }

    @Test
    @DisplayName("ServerSessionPool: one that fails with an Error is reported and asked again, and costs no message")
    void aPoolThatThrowsAnError() throws Exception {
        MainstemConnection connection = started("amqp://test", broker);
        BlockingQueue<JMSException> told = new LinkedBlockingQueue<>();
        connection.setExceptionListener(told::add);
        Session session = connection.createSession();
        session.setMessageListener(message -> {});
        List<Error> errors = new CopyOnWriteArrayList<>(List.of(new NoClassDefFoundError("of the pool")));
        connection.createConnectionConsumer(
                QUEUE,
                null,
                pool(session, () -> {
                    if (!errors.isEmpty()) {
                        throw errors.remove(0);
                    }
                }),
                1);

        broker.deliver();
        assertThat(broker.settled().poll(60, TimeUnit.SECONDS)).isEqualTo(Outcome.RELEASED);
        broker.deliver();
        awaitRound();

        assertThat(broker.settled().poll(60, TimeUnit.SECONDS)).isEqualTo(Outcome.ACCEPTED);
        assertThat(told.poll(60, TimeUnit.SECONDS)).hasMessageContaining("of the pool");
        connection.close();
    }

    @Test
    @DisplayName("Session.setMessageListener: refused while a consumer of the session has a listener of its own")
    void eitherListener() throws Exception {
        MainstemConnection connection = started("amqp://test", broker);
        Session session = connection.createSession();
        MessageConsumer consumer = session.createConsumer(QUEUE);
        consumer.setMessageListener(message -> {});

        assertThatThrownBy(() -> session.setMessageListener(message -> {}))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("MS-0708");

        consumer.setMessageListener(null);
        session.setMessageListener(message -> {});
        assertThatThrownBy(() -> consumer.setMessageListener(message -> {})).isInstanceOf(IllegalStateException.class);
        connection.close();
    }
}
