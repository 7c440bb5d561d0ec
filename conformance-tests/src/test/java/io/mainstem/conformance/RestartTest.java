package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is there again after the broker ended, by {@code kill -9} or in order. */
final class RestartTest {
    private static final int BACKLOG = 40_000;
    private static final Duration RESTART_MAX = Duration.ofSeconds(20);

    @TempDir
    Path folder;

    @BeforeEach
    void needsOurs() {
        SharedBroker.assumeOurs();
    }

    @Test
    void queuesAndSubscriptionsSurviveAKill() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            byte[] large = new byte[20 << 20];
            new SplittableRandom(7).nextBytes(large);
            List<String> bodies =
                    IntStream.range(0, 200).mapToObj(i -> "body " + i).toList();
            try (JMSContext context = Jms.context(broker.address(), "jms.clientID=client")) {
                Topic topic = context.createTopic("news");
                context.createDurableConsumer(topic, "sub").close();
                context.createSharedDurableConsumer(topic, "shared").close();
                context.createProducer().send(topic, "while away");
                bodies.forEach(body -> context.createProducer().send(context.createQueue("orders"), body));
                context.createProducer().setPriority(9).send(context.createQueue("orders"), "urgent");
                context.createProducer().send(context.createQueue("large"), large);
            }

            broker.kill9();
            broker.restart();

            try (JMSContext context = Jms.context(broker.address(), "jms.clientID=client")) {
                JMSConsumer subscriber = context.createDurableConsumer(context.createTopic("news"), "sub");
                assertThat(Jms.receiveBodies(subscriber, 1)).containsExactly("while away");
                JMSConsumer shared = context.createSharedDurableConsumer(context.createTopic("news"), "shared");
                assertThat(Jms.receiveBodies(shared, 1)).containsExactly("while away");
                JMSConsumer orders = context.createConsumer(context.createQueue("orders"));
                assertThat(Jms.receiveBodies(orders, 1)).containsExactly("urgent");
                assertThat(Jms.receiveBodies(orders, bodies.size())).isEqualTo(bodies);
                assertThat(orders.receiveNoWait()).isNull();
                JMSConsumer larges = context.createConsumer(context.createQueue("large"));
                assertThat(larges.receiveBody(byte[].class, Jms.RECEIVE_MS)).isEqualTo(large);
            }
        }
    }

    @Test
    void acknowledgedMessagesStayAwayAfterACleanStop() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            try (JMSContext context = Jms.context(broker.address(), "jms.prefetchPolicy.all=0")) {
                Queue queue = context.createQueue("orders");
                List.of("1", "2", "3").forEach(body -> context.createProducer().send(queue, body));
                assertThat(Jms.receiveBodies(context.createConsumer(queue), 2)).containsExactly("1", "2");
            }

            assertThat(broker.terminate()).isZero();
            assertThat(broker.data().resolve("endpoints")).doesNotExist();
            broker.restart();

            try (JMSContext context = Jms.context(broker.address())) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("orders"));
                Message left = consumer.receive(Jms.RECEIVE_MS);
                assertThat(left.getBody(String.class)).isEqualTo("3");
                assertThat(left.getJMSRedelivered()).isFalse();
                assertThat(consumer.receiveNoWait()).isNull();
            }
        }
    }

    @Test
    void deliveryCountsSurviveAKill() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            try (JMSContext context = Jms.context(broker.address())) {
                context.createProducer().send(context.createQueue("orders"), "poison");
            }
            for (int count = 1; count <= 2; count++) {
                assertThat(deliverOnce(broker)).isEqualTo(count);
            }
            // A count is durable with what is confirmed after it.
            try (JMSContext context = Jms.context(broker.address())) {
                context.createProducer().send(context.createQueue("other"), "later");
            }

            broker.kill9();
            broker.restart();

            assertThat(deliverOnce(broker)).isEqualTo(3);
        }
    }

    @Test
    void nonDurableMessagesGoWithTheBroker() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            try (JMSContext context = Jms.context(broker.address())) {
                Queue queue = context.createQueue("mixed");
                context.createProducer()
                        .setDeliveryMode(jakarta.jms.DeliveryMode.NON_PERSISTENT)
                        .send(queue, "light");
                context.createProducer().send(queue, "heavy");
            }

            broker.kill9();
            broker.restart();

            try (JMSContext context = Jms.context(broker.address())) {
                JMSConsumer consumer = context.createConsumer(context.createQueue("mixed"));
                assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("heavy");
                assertThat(consumer.receiveNoWait()).isNull();
            }
        }
    }

    @Test
    void aSecondBrokerOnTheSameDataIsRefusedByNameOfTheFirst() {
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"))) {
            assertThat(BrokerProcess.refusal(broker.data())).contains(Long.toString(broker.pid()));
        }
    }

    @Test
    @DisplayName("restart takes seconds however long the log is, and everything confirmed is there in order")
    void backlog() throws Exception {
        try (BrokerProcess broker = BrokerProcess.startShortLived(
                folder.resolve("data"), "store.segment-bytes=16MiB", "store.checkpoint-bytes=8MiB")) {
            publishBacklog(broker.address());

            broker.kill9();
            broker.restart();

            System.out.println("restart ms with a backlog of " + BACKLOG + " messages, "
                    + (folderBytes(broker.data()) >> 20) + " MiB of files: "
                    + broker.startTime().toMillis());
            assertThat(broker.startTime()).isLessThan(RESTART_MAX);
            try (AmqpPeer peer = new AmqpPeer(broker.address())) {
                Receiver receiver = peer.receiver(peer.session(), "backlog", 1000);
                for (long expected = 0; expected < BACKLOG; expected++) {
                    AmqpPeer.Received next = peer.await(receiver);
                    assertThat(CrashClients.idOf(next)).isEqualTo(new MessageId(0, expected));
                    CrashClients.accept(next.delivery());
                    receiver.flow(1);
                }
            }
        }
    }

    private static void publishBacklog(BrokerAddress broker) throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Sender sender = peer.sender(peer.session(), "backlog");
            Deque<Delivery> unconfirmed = new ArrayDeque<>();
            for (long sequence = 0; sequence < BACKLOG; sequence++) {
                while (sender.getCredit() <= 0 || unconfirmed.size() >= 500) {
                    peer.pump(Duration.ofMillis(20));
                    unconfirmed.removeIf(delivery -> delivery.getRemoteState() != null);
                }
                unconfirmed.add(AmqpPeer.send(sender, sequence, new MessageId(0, sequence).encode(0)));
            }
            peer.pumpUntil(
                    "outcomes", () -> unconfirmed.stream().allMatch(delivery -> delivery.getRemoteState() != null));
        }
    }

    /** Receives the one message and goes without an acknowledgement; gives its JMSXDeliveryCount. */
    private static int deliverOnce(BrokerProcess broker) throws JMSException {
        try (JMSContext context = Jms.context(broker.address(), JMSContext.CLIENT_ACKNOWLEDGE)) {
            Message message =
                    context.createConsumer(context.createQueue("orders")).receive(Jms.RECEIVE_MS);
            return message.getIntProperty("JMSXDeliveryCount");
        }
    }

    private static long folderBytes(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
