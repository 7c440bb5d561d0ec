package io.mainstem.conformance;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.message.Message;

/**
 * Producers and consumers that load a broker until it dies under them; one set a life of the broker. Each client is a
 * thread with a connection of its own, and ends when its connection does.
 */
final class CrashClients {
    private static final int UNCONFIRMED_MAX = 100;
    private static final int CREDIT = 50;
    private static final Duration PUMP = Duration.ofMillis(10);
    private static final long END_SECONDS_MAX = 60;

    private final BrokerAddress broker;
    private final int life;
    private final CountDownLatch attached;
    private final List<Thread> threads = new ArrayList<>();

    /**
     * Clients for one life of the broker.
     *
     * @param life number of this start of the broker
     * @param clients how many will be started
     */
    CrashClients(BrokerAddress broker, int life, int clients) {
        this.attached = new CountDownLatch(clients);
        this.broker = broker;
        this.life = life;
    }

    /** Sends messages of this number to the address, confirms noted in the journal. */
    void startProducer(int number, String address, CrashJournal journal) {
        start("producer-" + number + "-of-" + address, journal, () -> produce(number, address, journal));
    }

    /** Settles what the feed brings: accepts most of it. */
    void startConsumer(int number, Feed feed, CrashJournal journal) {
        String name = "consumer-" + number + "-of-" + feed.name() + "-life-" + life;
        start(name, journal, () -> consume(name, feed, journal));
    }

    /** Waits until every client has its link, so that the load is on. */
    void awaitLoad() throws InterruptedException {
        if (!attached.await(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError(attached.getCount() + " clients got no link in life " + life);
        }
    }

    /** Waits for all clients to notice that the broker has died. */
    void awaitEnd() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS_MAX));
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " did not notice the end of its connection");
            }
        }
    }

    /** Takes and accepts what the queue holds until the broker says that it is empty; gives the count. */
    static int drain(BrokerAddress broker, Feed feed, CrashJournal journal, String name) throws IOException {
        int count = 0;
        try (AmqpPeer peer = feed.connect(broker)) {
            Receiver receiver = feed.attach(peer, 0);
            int before;
            do {
                before = count;
                receiver.drain(1000);
                while (receiver.draining() || receiver.current() != null) {
                    peer.pump(PUMP);
                    for (AmqpPeer.Received next = AmqpPeer.take(receiver);
                            next != null;
                            next = AmqpPeer.take(receiver)) {
                        MessageId id = note(next, journal, name);
                        settle(next.delivery(), Outcome.ACCEPT);
                        journal.accepted(id);
                        count++;
                    }
                }
            } while (count > before);
            peer.pump(PUMP);
        }
        return count;
    }

    private void start(String name, CrashJournal journal, Client client) {
        Thread thread = new Thread(
                () -> {
                    try {
                        client.run();
                    } catch (IOException e) {
                        // The broker was killed: that is the end of this client.
                    } catch (RuntimeException e) {
                        journal.fault(name + " in life " + life + ": " + e);
                    }
                },
                name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private void produce(int number, String address, CrashJournal journal) throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Sender sender = peer.sender(peer.session(), address);
            attached.countDown();
            Deque<Unconfirmed> unconfirmed = new ArrayDeque<>();
            while (true) {
                while (sender.getCredit() > 0 && unconfirmed.size() < UNCONFIRMED_MAX) {
                    MessageId id = journal.nextToSend(number);
                    Delivery delivery = AmqpPeer.send(sender, id.sequence(), id.encode(journal.seed()));
                    unconfirmed.add(new Unconfirmed(id, delivery));
                }
                peer.pump(PUMP);
                unconfirmed.removeIf(sent -> isConfirmed(sent, journal));
            }
        }
    }

    private static boolean isConfirmed(Unconfirmed sent, CrashJournal journal) {
        if (sent.delivery().getRemoteState() == null) {
            return false;
        }
        if (sent.delivery().getRemoteState() instanceof Accepted) {
            journal.confirmed(sent.id());
        } else {
            journal.fault(sent.id() + " was answered with " + sent.delivery().getRemoteState());
        }
        sent.delivery().settle();
        return true;
    }

    private void consume(String name, Feed feed, CrashJournal journal) throws IOException {
        SplittableRandom random = new SplittableRandom(journal.seed() + name.hashCode());
        try (AmqpPeer peer = feed.connect(broker)) {
            Receiver receiver = feed.attach(peer, CREDIT);
            attached.countDown();
            List<MessageId> accepting = new ArrayList<>();
            while (true) {
                for (AmqpPeer.Received next = AmqpPeer.take(receiver); next != null; next = AmqpPeer.take(receiver)) {
                    MessageId id = note(next, journal, name);
                    Outcome outcome = Outcome.random(random);
                    settle(next.delivery(), outcome);
                    if (outcome == Outcome.ACCEPT) {
                        accepting.add(id);
                    }
                }
                receiver.flow(Math.max(0, CREDIT - receiver.getCredit()));
                peer.pump(PUMP);
                accepting.forEach(journal::accepted);
                accepting.clear();
            }
        }
    }

    /** The id of a received message. */
    static MessageId idOf(AmqpPeer.Received received) {
        return MessageId.of(decode(received));
    }

    static void accept(Delivery delivery) {
        settle(delivery, Outcome.ACCEPT);
    }

    private static Message decode(AmqpPeer.Received received) {
        Message message = Proton.message();
        message.decode(received.encoded(), 0, received.encoded().length);
        return message;
    }

    private static MessageId note(AmqpPeer.Received received, CrashJournal journal, String consumer) {
        Message message = decode(received);
        MessageId id = MessageId.of(message);
        boolean flagged = !message.isFirstAcquirer() || message.getDeliveryCount() > 0;
        journal.received(id, id.isContentOf(message, journal.seed()), flagged, consumer);
        return id;
    }

    private static void settle(Delivery delivery, Outcome outcome) {
        switch (outcome) {
            case ACCEPT -> delivery.disposition(Accepted.getInstance());
            case RELEASE -> delivery.disposition(Released.getInstance());
            case FAIL -> {
                Modified failed = new Modified();
                failed.setDeliveryFailed(true);
                delivery.disposition(failed);
            }
            case HOLD -> {
                return;
            }
        }
        delivery.settle();
    }

    private enum Outcome {
        ACCEPT,
        RELEASE,
        FAIL,
        /** Left unsettled until the connection goes. */
        HOLD;

        static Outcome random(SplittableRandom random) {
            int percent = random.nextInt(100);
            return percent < 90 ? ACCEPT : percent < 94 ? RELEASE : percent < 98 ? FAIL : HOLD;
        }
    }

    /**
     * Where messages come from.
     *
     * @param address of the queue or topic
     * @param subscription name of a durable subscription of a client of the same name, or empty for a queue
     */
    record Feed(String address, String subscription) {
        static Feed queue(String name) {
            return new Feed(name, "");
        }

        String name() {
            return address + subscription;
        }

        AmqpPeer connect(BrokerAddress broker) throws IOException {
            return subscription.isEmpty() ? new AmqpPeer(broker) : new AmqpPeer(broker, subscription);
        }

        Receiver attach(AmqpPeer peer, int credit) throws IOException {
            return subscription.isEmpty()
                    ? peer.receiver(peer.session(), address, credit)
                    : peer.subscription(peer.session(), address, subscription, credit);
        }
    }

    private record Unconfirmed(MessageId id, Delivery delivery) {}

    @FunctionalInterface
    private interface Client {
        void run() throws IOException;
    }
}
