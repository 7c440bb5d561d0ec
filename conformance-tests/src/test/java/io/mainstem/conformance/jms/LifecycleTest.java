package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.jms.Connection;
import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.time.Duration;
import java.util.Collections;
import java.util.Enumeration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Start, stop and close, from every side and in every order (Jakarta Messaging 6.1 and 6.2). */
final class LifecycleTest {
    private static MessageProducer producer(Session session, Queue queue, int messages) throws JMSException {
        MessageProducer producer = session.createProducer(queue);
        for (int i = 0; i < messages; i++) {
            producer.send(session.createTextMessage("m" + i));
        }
        return producer;
    }

    @AllClients
    @Clause({"6.1.4", "6.1.5"})
    void aStoppedConnectionSendsAndDoesNotReceive(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("stopped"));
            MessageConsumer consumer = session.createConsumer(queue);
            producer(session, queue, 2);
            long from = System.nanoTime();
            assertThat(consumer.receive(Names.SILENCE_MS)).isNull();
            assertThat(System.nanoTime() - from).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(Names.SILENCE_MS - 50));
            connection.start();
            connection.start();
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
            connection.stop();
            connection.stop();
            assertThat(consumer.receiveNoWait()).isNull();
            assertThat(consumer.receive(50)).isNull();
            connection.start();
            assertThat(consumer.receive(Names.WAIT_MS)).isNotNull();
        }
    }

    @OurClients
    @Clause("6.1.5")
    void aConsumerOfAConnectionThatNeverStartedHoldsNothing(JmsClient client) throws Exception {
        try (Connection idle = client.factory().createConnection();
                Connection working = client.factory().createConnection()) {
            Session session = working.createSession();
            Queue queue = session.createQueue(Names.unique("idle"));
            producer(session, queue, 3);
            idle.createSession().createConsumer(queue);
            working.start();
            assertThat(QueueTest.bodies(session.createConsumer(queue), 3)).containsExactly("m0", "m1", "m2");
        }
    }

    @AllClients
    @Clause({"Connection.stop", "6.1.5"})
    void stopWaitsForTheListener(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("wait"));
            producer(session, queue, 2);
            CountDownLatch within = new CountDownLatch(1);
            CountDownLatch leave = new CountDownLatch(1);
            AtomicInteger done = new AtomicInteger();
            session.createConsumer(queue).setMessageListener(message -> {
                within.countDown();
                awaitQuietly(leave);
                done.incrementAndGet();
            });
            connection.start();
            assertThat(within.await(60, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Integer> stopped = CompletableFuture.supplyAsync(() -> {
                try {
                    connection.stop();
                } catch (JMSException e) {
                    throw new java.lang.IllegalStateException(e);
                }
                return done.get();
            });
            assertThat(stopped.isDone()).isFalse();
            leave.countDown();
            assertThat(stopped.get(60, TimeUnit.SECONDS)).isPositive();
            int seen = done.get();
            assertThat(seen).isEqualTo(done.get());
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @OurClients
    @Clause({"6.1.5", "6.1.8", "6.2.15", "Connection.close", "Connection.stop", "Session.close"})
    void aListenerCannotWaitForItself(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            Queue queue = session.createQueue(Names.unique("self"));
            producer(session, queue, 1);
            MessageConsumer consumer = session.createConsumer(queue);
            CompletableFuture<Throwable> result = new CompletableFuture<>();
            consumer.setMessageListener(message -> {
                try {
                    assertThatThrownBy(connection::stop).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(connection::close).isInstanceOf(IllegalStateException.class);
                    assertThatThrownBy(session::close).isInstanceOf(IllegalStateException.class);
                    consumer.close();
                    result.complete(null);
                } catch (Throwable e) {
                    result.complete(e);
                }
            });
            connection.start();
            assertThat(result.get(60, TimeUnit.SECONDS)).isNull();
        }
    }

    @AllClients
    @Clause({
        "6.1.8",
        "6.2.15",
        "8.8",
        "MessageConsumer.receive",
        "MessageConsumer.close",
        "Session.close",
        "Connection.close"
    })
    void closeEndsAWaitingReceiveWithNull(JmsClient client) throws Exception {
        for (int what = 0; what < 3; what++) {
            Connection connection = client.factory().createConnection();
            Session session = connection.createSession();
            MessageConsumer consumer = session.createConsumer(session.createQueue(Names.unique("blocked")));
            connection.start();
            CompletableFuture<Message> received = new CompletableFuture<>();
            Thread waiting = new Thread(() -> {
                try {
                    received.complete(consumer.receive());
                } catch (JMSException e) {
                    received.completeExceptionally(e);
                }
            });
            waiting.start();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> waiting.getState() == Thread.State.WAITING
                            || waiting.getState() == Thread.State.TIMED_WAITING);
            AutoCloseable closed = what == 0 ? consumer : what == 1 ? session : connection;
            closed.close();
            assertThat(received.get(60, TimeUnit.SECONDS)).isNull();
            connection.close();
        }
    }

    @AllClients
    @Clause({"6.1.8", "Session.close", "MessageProducer.close", "MessageConsumer.close"})
    void closedObjectsRefuseAllAndCloseAgainIsNothing(JmsClient client) throws Exception {
        Connection connection = client.factory().createConnection();
        Session session = connection.createSession();
        Queue queue = session.createQueue(Names.unique("closed"));
        MessageProducer producer = producer(session, queue, 1);
        MessageConsumer consumer = session.createConsumer(queue);
        connection.start();
        Message message = consumer.receive(Names.WAIT_MS);
        connection.close();
        connection.close();
        session.close();
        producer.close();
        consumer.close();
        assertThatThrownBy(connection::getClientID).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(connection::getMetaData).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(connection::createSession).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(connection::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::createTextMessage).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(session::getAcknowledgeMode).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> producer.send(message)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(producer::getPriority).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(consumer::receiveNoWait).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(consumer::getMessageSelector).isInstanceOf(IllegalStateException.class);
        assertThatCode(message::getJMSMessageID).doesNotThrowAnyException();
    }

    @AllClients
    @Clause({"6.1.2", "Connection.setClientID"})
    void theClientIdentifierComesFirstAndOnce(JmsClient client) throws Exception {
        String id = Names.unique("client");
        try (Connection connection = client.factory().createConnection()) {
            assertThat(connection.getClientID()).isNull();
            connection.setClientID(id);
            assertThat(connection.getClientID()).isEqualTo(id);
            assertThatThrownBy(() -> connection.setClientID(id)).isInstanceOf(IllegalStateException.class);
            connection.createSession().createProducer(null).close();
            try (Connection other = client.factory().createConnection()) {
                assertThatThrownBy(() -> other.setClientID(id)).isInstanceOf(InvalidClientIDException.class);
            }
            try (Connection used = client.factory().createConnection()) {
                used.createSession();
                assertThatThrownBy(() -> used.setClientID(Names.unique("late")))
                        .isInstanceOf(IllegalStateException.class);
            }
        }
        try (Connection again = client.factory().createConnection()) {
            again.setClientID(id);
        }
    }

    @AllClients
    @Clause({"6.2.5", "6.2.13"})
    void allListenersOfASessionShareOneThreadAndComeOneAfterTheOther(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            Session session = connection.createSession();
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger most = new AtomicInteger();
            AtomicReference<Thread> thread = new AtomicReference<>();
            AtomicInteger threads = new AtomicInteger();
            CountDownLatch done = new CountDownLatch(60);
            for (int q = 0; q < 3; q++) {
                Queue queue = session.createQueue(Names.unique("serial"));
                producer(session, queue, 20).close();
                session.createConsumer(queue).setMessageListener(message -> {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                    if (thread.getAndSet(Thread.currentThread()) != Thread.currentThread()) {
                        threads.incrementAndGet();
                    }
                    inside.decrementAndGet();
                    done.countDown();
                });
            }
            connection.start();
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(most.get()).isEqualTo(1);
            assertThat(threads.get()).isEqualTo(1);
        }
    }

    @AllClients
    @Clause({"6.1.6", "ConnectionMetaData"})
    void theMetaDataNamesTheVersion(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection()) {
            assertThat(connection.getMetaData().getJMSVersion()).isEqualTo("3.1");
            assertThat(connection.getMetaData().getJMSMajorVersion()).isEqualTo(3);
            assertThat(connection.getMetaData().getJMSMinorVersion()).isEqualTo(1);
            Enumeration<?> names = connection.getMetaData().getJMSXPropertyNames();
            assertThat(Collections.list(names))
                    .extracting(Object::toString)
                    .contains("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount");
        }
    }
}
