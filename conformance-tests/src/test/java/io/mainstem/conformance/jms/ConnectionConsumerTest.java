package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionConsumer;
import jakarta.jms.Destination;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageListener;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** Facilities for application servers (Jakarta Messaging 11.2), optional and offered. */
final class ConnectionConsumerTest {
    private static final Duration WAIT = Duration.ofMillis(Names.WAIT_MS);

    private final List<Connection> connections = new ArrayList<>();
    private final List<TestServerSessions> pools = new ArrayList<>();
    private final BlockingQueue<String> worked = new LinkedBlockingQueue<>();

    @AfterEach
    void close() throws JMSException {
        for (Connection connection : connections) {
            connection.close();
        }
        pools.forEach(TestServerSessions::close);
    }

    private Connection started(JmsClient client) throws JMSException {
        Connection connection = client.factory().createConnection();
        connections.add(connection);
        connection.start();
        return connection;
    }

    private TestServerSessions pool(Session... sessions) {
        TestServerSessions pool = new TestServerSessions(sessions);
        pools.add(pool);
        return pool;
    }

    private TestServerSessions pool(Connection connection, int size, MessageListener listener) throws JMSException {
        Session[] sessions = new Session[size];
        for (int at = 0; at < size; at++) {
            sessions[at] = connection.createSession();
            sessions[at].setMessageListener(listener);
        }
        return pool(sessions);
    }

    private void note(Message message) {
        try {
            worked.add(message.getBody(String.class));
        } catch (JMSException e) {
            throw new AssertionError(e);
        }
    }

    private static void send(Connection connection, Destination to, String... texts) throws JMSException {
        try (Session session = connection.createSession();
                MessageProducer producer = session.createProducer(to)) {
            for (String text : texts) {
                Message message = session.createTextMessage(text);
                message.setStringProperty("text", text);
                producer.send(message);
            }
        }
    }

    private List<String> next(int count) throws InterruptedException {
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            String text = worked.poll(Names.WAIT_MS, TimeUnit.MILLISECONDS);
            assertThat(text).as("after %s", texts).isNotNull();
            texts.add(text);
        }
        return texts;
    }

    @OurClients
    @Clause({
        "11.2",
        "Connection.createConnectionConsumer",
        "ServerSessionPool.getServerSession",
        "ServerSession.start",
        "Session.run"
    })
    void messagesAreWorkedOnBySessionsOfThePoolSideBySide(JmsClient client) throws Exception {
        Connection connection = started(client);
        Queue queue = connection.createSession().createQueue(Names.unique("servers"));
        CountDownLatch bothAtWork = new CountDownLatch(2);
        Set<Thread> threads = ConcurrentHashMap.newKeySet();
        TestServerSessions pool = pool(connection, 2, message -> {
            threads.add(Thread.currentThread());
            bothAtWork.countDown();
            try {
                assertThat(bothAtWork.await(Names.WAIT_MS, TimeUnit.MILLISECONDS))
                        .isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            note(message);
        });
        ConnectionConsumer consumer = connection.createConnectionConsumer(queue, null, pool, 1);
        assertThat(consumer.getServerSessionPool()).isSameAs(pool);

        send(connection, queue, "a", "b");

        assertThat(next(2)).containsExactlyInAnyOrder("a", "b");
        assertThat(threads).hasSize(2);
        assertAcknowledged(client, queue);
    }

    /** All that came is done: nothing is left when the connection is gone. */
    private void assertAcknowledged(JmsClient client, Queue queue) throws JMSException {
        connections.remove(0).close();
        MessageConsumer after = started(client).createSession().createConsumer(queue);
        assertThat(after.receive(Names.SILENCE_MS)).isNull();
    }

    @OurClients
    @Clause("Connection.createConnectionConsumer: at most maxMessages are given to a server session at one time")
    void aServerSessionGetsNoMoreThanMaxMessages(JmsClient client) throws Exception {
        Connection connection = started(client);
        Queue queue = connection.createSession().createQueue(Names.unique("servers"));
        String[] texts = {"1", "2", "3", "4", "5", "6", "7", "8", "9"};
        send(connection, queue, texts);
        TestServerSessions pool = pool(connection, 1, this::note);

        connection.createConnectionConsumer(queue, null, pool, 4);

        assertThat(next(9)).containsExactly(texts);
        assertThat(pool.starts()).isGreaterThanOrEqualTo(3);
    }

    @OurClients
    @Clause({
        "Connection.createConnectionConsumer: only messages that the selector matches",
        "Connection.createConnectionConsumer: InvalidSelectorException",
        "Connection.createConnectionConsumer: InvalidDestinationException",
        "Connection.createXConnectionConsumer: InvalidSelectorException",
        "Connection.createXConnectionConsumer: InvalidDestinationException",
        "Connection.createConnectionConsumer: JMSException for invalid arguments"
    })
    void selectorsAndWrongArguments(JmsClient client) throws Exception {
        Connection connection = client.factory().createConnection();
        connections.add(connection);
        connection.setClientID(Names.unique("client"));
        connection.start();
        Session session = connection.createSession();
        Queue queue = session.createQueue(Names.unique("servers"));
        Topic topic = session.createTopic(Names.unique("servers"));
        ServerSessionPool pool = pool(connection, 1, this::note);
        Refused.allWith(
                InvalidSelectorException.class,
                () -> connection.createConnectionConsumer(queue, "a =", pool, 1),
                () -> connection.createSharedConnectionConsumer(topic, "n", "a =", pool, 1),
                () -> connection.createDurableConnectionConsumer(topic, "n", "a =", pool, 1),
                () -> connection.createSharedDurableConnectionConsumer(topic, "n", "a =", pool, 1));
        Refused.allWith(
                InvalidDestinationException.class,
                () -> connection.createConnectionConsumer((Destination) null, null, pool, 1),
                () -> connection.createSharedConnectionConsumer(null, "n", null, pool, 1),
                () -> connection.createDurableConnectionConsumer(null, "n", null, pool, 1),
                () -> connection.createSharedDurableConnectionConsumer(null, "n", null, pool, 1));
        Refused.allWith(
                JMSException.class,
                () -> connection.createConnectionConsumer(queue, null, null, 1),
                () -> connection.createConnectionConsumer(queue, null, pool, 0));

        connection.createConnectionConsumer(queue, "text = 'wanted'", pool, 1);
        send(connection, queue, "other", "wanted");

        assertThat(next(1)).containsExactly("wanted");
        assertThat(session.createConsumer(queue).receive(Names.WAIT_MS).getBody(String.class))
                .isEqualTo("other");
    }

    @OurClients
    @Clause({
        "Connection.createSharedConnectionConsumer",
        "Connection.createDurableConnectionConsumer",
        "Connection.createSharedDurableConnectionConsumer"
    })
    void subscriptionsOfAllKinds(JmsClient client) throws Exception {
        Connection connection = client.factory().createConnection();
        connections.add(connection);
        connection.setClientID(Names.unique("client"));
        connection.start();
        Session session = connection.createSession();
        Topic topic = session.createTopic(Names.unique("servers"));
        ServerSessionPool pool = pool(connection, 2, this::note);
        ConnectionConsumer durable = connection.createDurableConnectionConsumer(topic, "durable", null, pool, 5);
        ConnectionConsumer shared = connection.createSharedDurableConnectionConsumer(topic, "shared", null, pool, 5);
        connection.createSharedConnectionConsumer(topic, "volatile", null, pool, 5);
        connection.createConnectionConsumer(topic, null, pool, 5);
        assertThatThrownBy(() -> session.createDurableConsumer(topic, "durable"))
                .isInstanceOf(JMSException.class);

        send(connection, topic, "x");

        assertThat(next(4)).containsOnly("x");
        durable.close();
        shared.close();
        send(connection, topic, "kept");
        assertThat(next(2)).containsOnly("kept");
        for (MessageConsumer left : List.of(
                session.createDurableConsumer(topic, "durable"),
                session.createSharedDurableConsumer(topic, "shared"))) {
            assertThat(left.receive(Names.WAIT_MS).getBody(String.class)).isEqualTo("kept");
            left.close();
        }
        session.unsubscribe("durable");
        session.unsubscribe("shared");
    }

    @OurClients
    @Clause({"6.2.7", "11.2"})
    void aTransactedServerSessionCommitsAndRollsBackWhatItWasGiven(JmsClient client) throws Exception {
        Connection connection = started(client);
        Queue queue = connection.createSession().createQueue(Names.unique("servers"));
        Queue results = connection.createSession().createQueue(Names.unique("servers"));
        Session session = connection.createSession(Session.SESSION_TRANSACTED);
        MessageProducer producer = session.createProducer(results);
        session.setMessageListener(message -> {
            try {
                producer.send(session.createTextMessage("of " + message.getBody(String.class)));
                note(message);
                if (message.getJMSRedelivered()) {
                    session.commit();
                } else {
                    session.rollback();
                }
            } catch (JMSException e) {
                throw new AssertionError(e);
            }
        });
        connection.createConnectionConsumer(queue, null, pool(session), 1);

        send(connection, queue, "a");

        assertThat(next(2)).containsExactly("a", "a");
        assertThat(QueueTest.bodies(connection.createSession().createConsumer(results), 1))
                .containsExactly("of a");
        assertAcknowledged(client, queue);
    }

    @OurClients
    @Clause("Session.run: a listener that fails gets its message again")
    void aFailedListenerGetsItsMessageAgain(JmsClient client) throws Exception {
        Connection connection = started(client);
        Queue queue = connection.createSession().createQueue(Names.unique("servers"));
        TestServerSessions pool = pool(connection, 1, message -> {
            note(message);
            try {
                if (!message.getJMSRedelivered()) {
                    throw new java.lang.IllegalStateException("for the test");
                }
            } catch (JMSException e) {
                throw new AssertionError(e);
            }
        });
        connection.createConnectionConsumer(queue, null, pool, 1);

        send(connection, queue, "a");

        assertThat(next(2)).containsExactly("a", "a");
        assertAcknowledged(client, queue);
    }

    @OurClients
    @Clause({
        "ConnectionConsumer.close",
        "ConnectionConsumer.getServerSessionPool",
        "Connection.close",
        "Connection.stop"
    })
    void closingGivesBackWhatNobodyHasBegunWith(JmsClient client) throws Exception {
        Connection connection = started(client);
        Queue queue = connection.createSession().createQueue(Names.unique("servers"));
        CountDownLatch goOn = new CountDownLatch(1);
        TestServerSessions pool = pool(connection, 1, message -> {
            note(message);
            try {
                assertThat(goOn.await(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        ConnectionConsumer consumer = connection.createConnectionConsumer(queue, null, pool, 1);
        send(connection, queue, "first", "second", "third");
        assertThat(next(1)).containsExactly("first");

        consumer.close();
        consumer.close();
        goOn.countDown();

        Session plain = connection.createSession();
        MessageConsumer rest = plain.createConsumer(queue);
        assertThat(List.of(
                        rest.receive(Names.WAIT_MS).getBody(String.class),
                        rest.receive(Names.WAIT_MS).getBody(String.class)))
                .containsExactlyInAnyOrder("second", "third");
        assertThat(rest.receive(Names.SILENCE_MS)).isNull();
        assertThatThrownBy(consumer::getServerSessionPool).isInstanceOf(IllegalStateException.class);
        connection.close();
        assertThatThrownBy(() -> connection.createConnectionConsumer(queue, null, pool, 1))
                .isInstanceOf(IllegalStateException.class);
    }

    @OurClients
    @Clause({"Connection.stop", "Connection.start"})
    void aStoppedConnectionGivesServerSessionsNothing(JmsClient client) throws Exception {
        Connection connection = started(client);
        Queue queue = connection.createSession().createQueue(Names.unique("servers"));
        connection.createConnectionConsumer(queue, null, pool(connection, 1, this::note), 1);
        connection.stop();
        send(started(client), queue, "a");
        assertThat(worked.poll(Names.SILENCE_MS, TimeUnit.MILLISECONDS)).isNull();

        connection.start();

        assertThat(next(1)).containsExactly("a");
    }

    @OurClients
    @Clause("Session.setMessageListener: no other form of message receipt in the session can be used")
    void aSessionWithAListenerReceivesByThatAlone(JmsClient client) throws Exception {
        Connection connection = started(client);
        Session session = connection.createSession();
        MessageConsumer consumer = session.createConsumer(session.createQueue(Names.unique("servers")));
        MessageListener listener = message -> {};
        session.setMessageListener(listener);

        assertThat(session.getMessageListener()).isSameAs(listener);
        Refused.allWith(
                IllegalStateException.class,
                consumer::receiveNoWait,
                () -> consumer.receive(1),
                () -> consumer.setMessageListener(listener));
        session.setMessageListener(null);
        assertThat(session.getMessageListener()).isNull();
        assertThat(consumer.receiveNoWait()).isNull();
    }

    @OurClients
    @Clause("ServerSessionPool.getServerSession: a pool that fails costs no message")
    void aPoolThatFailsIsAskedAgain(JmsClient client) throws Exception {
        Connection connection = started(client);
        Queue queue = connection.createSession().createQueue(Names.unique("servers"));
        BlockingQueue<JMSException> told = new LinkedBlockingQueue<>();
        connection.setExceptionListener(told::add);
        TestServerSessions good = pool(connection, 1, this::note);
        Session foreign = started(client).createSession();
        foreign.setMessageListener(this::note);
        TestServerSessions wrong = pool(foreign);
        ServerSessionPool failing = () -> {
            throw new JMSException("for the test");
        };
        List<ServerSessionPool> turns = new ArrayList<>(List.of(failing, wrong));
        connection.createConnectionConsumer(
                queue, null, () -> (turns.isEmpty() ? good : turns.remove(0)).getServerSession(), 1);

        send(connection, queue, "a");

        assertThat(next(1)).containsExactly("a");
        await().atMost(WAIT).until(() -> told.size() == 2);
        assertThat(told.remove()).hasMessage("for the test");
        assertThat(told.remove()).hasMessageContaining("MS-0711");
    }
}
