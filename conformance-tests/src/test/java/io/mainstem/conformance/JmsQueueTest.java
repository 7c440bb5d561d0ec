package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import jakarta.jms.CompletionListener;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Qpid JMS sends to queues and receives from them. */
@WithBroker
final class JmsQueueTest {
    private final BrokerAddress broker;

    JmsQueueTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @ParameterizedTest
    @CsvSource({
        "0,PERSISTENT",
        "1,PERSISTENT",
        "1000,PERSISTENT",
        "0,NON_PERSISTENT",
        "1,NON_PERSISTENT",
        "1000,NON_PERSISTENT"
    })
    void messagesArriveInOrderWhateverThePrefetch(int prefetch, String deliveryMode) {
        try (JMSContext context = Jms.context(broker, "jms.prefetchPolicy.all=" + prefetch)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            JMSProducer producer = context.createProducer().setDeliveryMode(deliveryMode(deliveryMode));
            List<String> bodies = bodies(100);

            bodies.forEach(body -> producer.send(queue, body));

            assertThat(Jms.receiveBodies(context.createConsumer(queue), 100)).isEqualTo(bodies);
        }
    }

    @Test
    @DisplayName("receiveNoWait tells at once what is there: drain [mapping 4.11]")
    void receiveNoWaitDrains() {
        try (JMSContext context = Jms.context(broker, "jms.prefetchPolicy.all=0")) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            JMSConsumer consumer = context.createConsumer(queue);

            assertThat(consumer.receiveNoWait()).isNull();
            context.createProducer().send(queue, "one");
            assertThat(consumer.receiveBodyNoWait(String.class)).isEqualTo("one");
            assertThat(consumer.receiveNoWait()).isNull();
        }
    }

    @Test
    void receiveWithTimeoutEndsEmptyHanded() {
        try (JMSContext context = Jms.context(broker, "jms.prefetchPolicy.all=0")) {
            JMSConsumer consumer = context.createConsumer(context.createQueue(Jms.uniqueName("queue")));

            assertThat(consumer.receive(100)).isNull();
        }
    }

    @Test
    void aBrowserSeesAllAndTakesNothing() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            bodies(10).forEach(body -> context.createProducer().send(queue, body));

            assertThat(browse(context, queue)).isEqualTo(bodies(10));
            assertThat(browse(context, queue)).isEqualTo(bodies(10));
            assertThat(Jms.receiveBodies(context.createConsumer(queue), 10)).isEqualTo(bodies(10));
            assertThat(browse(context, queue)).isEmpty();
        }
    }

    @Test
    void higherPrioritiesComeFirst() {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            for (int priority : new int[] {0, 9, 4, 9, 0}) {
                context.createProducer().setPriority(priority).send(queue, "p" + priority);
            }

            assertThat(Jms.receiveBodies(context.createConsumer(queue), 5))
                    .containsExactly("p9", "p9", "p4", "p0", "p0");
        }
    }

    @Test
    void anExpiredMessageIsNotDelivered() throws Exception {
        try (JMSContext context = Jms.context(broker, "jms.localMessageExpiry=false")) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            context.createProducer().setTimeToLive(1).send(queue, "short");
            context.createProducer().setTimeToLive(60_000).send(queue, "long");

            Message message = context.createConsumer(queue).receive(Jms.RECEIVE_MS);
            assertThat(message.getBody(String.class)).isEqualTo("long");
            assertThat(message.getJMSExpiration()).isPositive();
        }
    }

    @Test
    void twoConsumersShareTheMessages() throws Exception {
        try (Connection connection = Jms.connection(broker, "jms.prefetchPolicy.all=10")) {
            String name = Jms.uniqueName("queue");
            List<String> received = new CopyOnWriteArrayList<>();
            for (int i = 0; i < 2; i++) {
                Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
                session.createConsumer(session.createQueue(name)).setMessageListener(m -> received.add(text(m)));
            }
            Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
            MessageProducer producer = session.createProducer(session.createQueue(name));

            for (String body : bodies(200)) {
                producer.send(session.createTextMessage(body));
            }

            await().atMost(Duration.ofMinutes(1)).until(() -> received.size() >= 200);
            assertThat(received).containsExactlyInAnyOrderElementsOf(bodies(200));
        }
    }

    @Test
    void manySessionsAndLinksLiveOnOneConnection() throws Exception {
        try (Connection connection = Jms.connection(broker)) {
            for (int s = 0; s < 30; s++) {
                Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
                for (int l = 0; l < 5; l++) {
                    Queue queue = session.createQueue(Jms.uniqueName("queue"));
                    MessageConsumer consumer = session.createConsumer(queue);
                    session.createProducer(queue).send(session.createTextMessage("x"));
                    assertThat(text(consumer.receive(Jms.RECEIVE_MS))).isEqualTo("x");
                }
            }
        }
    }

    @Test
    void asyncSendsCompleteInOrder() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            List<String> completed = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch done = new CountDownLatch(500);
            JMSProducer producer = context.createProducer().setAsync(new CompletionListener() {
                @Override
                public void onCompletion(Message message) {
                    completed.add(text(message));
                    done.countDown();
                }

                @Override
                public void onException(Message message, Exception exception) {
                    completed.add(exception.toString());
                    done.countDown();
                }
            });

            bodies(500).forEach(body -> producer.send(queue, body));

            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(completed).isEqualTo(bodies(500));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 100, 65_536, 1 << 20, 100 << 20})
    void bodiesFromEmptyToOneHundredMebibytesArriveWhole(int bytes) throws Exception {
        try (JMSContext context = Jms.context(broker, "jms.prefetchPolicy.all=1")) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            byte[] body = new byte[bytes];
            for (int i = 0; i < bytes; i += 911) {
                body[i] = (byte) (i >>> 4);
            }

            context.createProducer().send(queue, body);

            Message message = context.createConsumer(queue).receive(60_000);
            assertThat(message).isNotNull();
            // Qpid gives no array for an empty bytes message.
            byte[] received = message.getBody(byte[].class);
            assertThat(received == null ? new byte[0] : received).isEqualTo(body);
        }
    }

    @Test
    void messagesWaitForTheConnectionToStart() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            context.setAutoStart(false);
            JMSConsumer consumer = context.createConsumer(queue);
            context.createProducer().send(queue, "one");

            assertThat(consumer.receive(200)).isNull();
            context.start();
            assertThat(consumer.receiveBody(String.class, Jms.RECEIVE_MS)).isEqualTo("one");
        }
    }

    @Test
    void theProducersConnectionNeedNotLive() {
        String name = Jms.uniqueName("queue");
        try (JMSContext sender = Jms.context(broker)) {
            sender.createProducer().send(sender.createQueue(name), "left behind");
        }
        try (JMSContext receiver = Jms.context(broker)) {
            assertThat(Jms.receiveBodies(receiver.createConsumer(receiver.createQueue(name)), 1))
                    .containsExactly("left behind");
        }
    }

    private static List<String> browse(JMSContext context, Queue queue) throws Exception {
        try (var browser = context.createBrowser(queue)) {
            return Collections.list((java.util.Enumeration<?>) browser.getEnumeration()).stream()
                    .map(message -> text((Message) message))
                    .collect(Collectors.toList());
        }
    }

    private static int deliveryMode(String name) {
        return name.equals("PERSISTENT") ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT;
    }

    private static List<String> bodies(int count) {
        return IntStream.range(0, count).mapToObj(i -> "body " + i).toList();
    }

    private static String text(Message message) {
        try {
            return ((TextMessage) message).getText();
        } catch (jakarta.jms.JMSException e) {
            throw new AssertionError(e);
        }
    }
}
