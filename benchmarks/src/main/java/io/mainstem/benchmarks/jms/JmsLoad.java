package io.mainstem.benchmarks.jms;

import io.mainstem.benchmarks.amqp.LoadException;
import io.mainstem.benchmarks.measure.ProcessCpu;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Destination;
import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Producers, each with a connection and a thread of its own, and listeners, in this process. Thread: one. */
final class JmsLoad implements AutoCloseable {
    /** For a process id: the broker is in this JVM, and all CPU counts as the client's. */
    static final long SAME_PROCESS = 0;

    private static final int BODY_BYTES = 1024;
    /** Sent and not yet received: more would measure how the broker stores a backlog. */
    private static final int ON_THEIR_WAY_MAX = 2_000;

    private final JmsScenario scenario;
    private final ConnectionFactory factory;
    private final Connection consuming;
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final Semaphore room = new Semaphore(ON_THEIR_WAY_MAX);
    private final List<Thread> producers = new ArrayList<>();
    private final List<MessageConsumer> subscriptions = new ArrayList<>();
    private volatile boolean stopping;
    private volatile @Nullable Exception failure;

    /**
     * Of the measured time.
     *
     * @param compilers seconds of CPU that both JVMs' compilers took; they are part of the other two
     * @param wakeUps of threads of both
     */
    record Result(
            long received, double seconds, double serverCpu, double clientCpu, double compilers, double wakeUps) {}

    JmsLoad(ConnectionFactory factory, JmsScenario scenario, String clientId) throws JMSException {
        this.factory = factory;
        this.scenario = scenario;
        consuming = factory.createConnection();
        consuming.setClientID(clientId);
        consume();
        consuming.start();
        for (int n = 0; n < scenario.producers(); n++) {
            Thread producer = new Thread(this::produce, "bench-producer-" + n);
            producers.add(producer);
        }
    }

    private Destination destination(Session session) throws JMSException {
        String name = "bench.jms." + scenario;
        return scenario.subscriptions() > 0 ? session.createTopic(name) : session.createQueue(name);
    }

    private void consume() throws JMSException {
        for (int n = 0; n < scenario.copies(); n++) {
            Session session = consuming.createSession(false, Session.AUTO_ACKNOWLEDGE);
            Destination from = destination(session);
            MessageConsumer consumer = scenario.subscriptions() > 0
                    ? session.createDurableConsumer((Topic) from, "sub-" + n)
                    : session.createConsumer(from);
            consumer.setMessageListener(message -> arrived());
            subscriptions.add(consumer);
        }
    }

    private void arrived() {
        if (received.incrementAndGet() % scenario.copies() == 0) {
            room.release();
        }
    }

    private void produce() {
        try (Connection connection = factory.createConnection()) {
            boolean transacted = scenario.batch() > 0;
            Session session = connection.createSession(transacted, Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(destination(session));
            producer.setDeliveryMode(scenario.persistent() ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
            byte[] body = new byte[BODY_BYTES];
            while (!stopping) {
                for (int n = 0; n < Math.max(1, scenario.batch()); n++) {
                    room.acquireUninterruptibly();
                    BytesMessage message = session.createBytesMessage();
                    message.writeBytes(body);
                    producer.send(message);
                    sent.incrementAndGet();
                }
                if (transacted) {
                    session.commit();
                }
            }
        } catch (JMSException | RuntimeException e) {
            failure = e;
        }
    }

    Result run(double warmUpSeconds, double seconds, long serverPid) throws InterruptedException {
        producers.forEach(Thread::start);
        pause(warmUpSeconds);
        Counters from = Counters.of(serverPid, received.get());
        long begin = System.nanoTime();
        pause(seconds);
        double measured = (System.nanoTime() - begin) / 1e9;
        return Counters.of(serverPid, received.get()).since(from, measured);
    }

    /** What has been used so far. */
    private record Counters(long received, double serverCpu, double clientCpu, double compilers, long wakeUps) {
        static Counters of(long serverPid, long received) {
            long self = ProcessHandle.current().pid();
            boolean two = serverPid != SAME_PROCESS;
            return new Counters(
                    received,
                    two ? ProcessCpu.seconds(serverPid) : 0,
                    ProcessCpu.seconds(self),
                    ProcessCpu.compilerSeconds(self) + (two ? ProcessCpu.compilerSeconds(serverPid) : 0),
                    ProcessCpu.wakeUps(self) + (two ? ProcessCpu.wakeUps(serverPid) : 0));
        }

        Result since(Counters from, double seconds) {
            return new Result(
                    received - from.received,
                    seconds,
                    serverCpu - from.serverCpu,
                    clientCpu - from.clientCpu,
                    compilers - from.compilers,
                    wakeUps - from.wakeUps);
        }
    }

    private void pause(double seconds) throws InterruptedException {
        Thread.sleep((long) (seconds * 1000));
        Exception thrown = failure;
        if (thrown != null) {
            throw new LoadException("a producer failed", thrown);
        }
    }

    /** Lets everything sent arrive, so that the next turn begins with an empty queue, and ends the subscriptions. */
    @Override
    public void close() throws JMSException {
        stopping = true;
        room.release(scenario.producers());
        try {
            for (Thread producer : producers) {
                producer.join();
            }
            long end = System.nanoTime() + 20_000_000_000L;
            while (received.get() < sent.get() * scenario.copies() && System.nanoTime() < end) {
                Thread.sleep(10);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (MessageConsumer consumer : subscriptions) {
            consumer.close();
        }
        if (scenario.subscriptions() > 0) {
            Session session = consuming.createSession(false, Session.AUTO_ACKNOWLEDGE);
            for (int n = 0; n < scenario.subscriptions(); n++) {
                session.unsubscribe("sub-" + n);
            }
        }
        consuming.close();
    }
}
