package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.IntStream;

/** Point-to-point messaging (Jakarta Messaging 4.1). */
final class QueueTest {
    @AllClients
    @Clause({"6.2.9", "4.1.2"})
    void messagesComeInTheOrderTheyWereSent(JmsClient client) throws Exception {
        for (int prefetch : new int[] {0, 1, 1000}) {
            try (Connection connection =
                    client.factory("jms.prefetchPolicy.all=" + prefetch).createConnection()) {
                connection.start();
                Session session = connection.createSession();
                Queue queue = session.createQueue(Names.unique("queue"));
                MessageProducer producer = session.createProducer(queue);
                for (int i = 0; i < 100; i++) {
                    producer.send(session.createTextMessage("m" + i));
                }
                assertThat(bodies(session.createConsumer(queue), 100))
                        .isEqualTo(
                                IntStream.range(0, 100).mapToObj(i -> "m" + i).toList());
            }
        }
    }

    static List<String> bodies(MessageConsumer consumer, int count) throws Exception {
        List<String> bodies = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Message message = consumer.receive(Names.WAIT_MS);
            assertThat(message).as("message %s of %s", i, count).isNotNull();
            bodies.add(((TextMessage) message).getText());
        }
        return bodies;
    }

    @AllClients
    @Clause("MessageConsumer.receiveNoWait")
    void receiveNoWaitTellsWhatIsThereAtOnce(JmsClient client) throws Exception {
        for (int prefetch : new int[] {0, 10}) {
            try (JMSContext context =
                    client.factory("jms.prefetchPolicy.all=" + prefetch).createContext()) {
                Queue queue = context.createQueue(Names.unique("queue"));
                var consumer = context.createConsumer(queue);
                assertThat(consumer.receiveNoWait()).isNull();
                context.createProducer().send(queue, "one");
                assertThat(consumer.receiveBodyNoWait(String.class)).isEqualTo("one");
                assertThat(consumer.receiveNoWait()).isNull();
            }
        }
    }

    @AllClients
    @Clause({"4.1.5", "QueueBrowser"})
    void aBrowserSeesAllAndTakesNothing(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Queue queue = context.createQueue(Names.unique("queue"));
            for (int i = 0; i < 250; i++) {
                context.createProducer().setProperty("n", i).send(queue, "m" + i);
            }
            try (var browser = context.createBrowser(queue);
                    var few = context.createBrowser(queue, "n < 3")) {
                assertThat(count(browser.getEnumeration())).isEqualTo(250);
                assertThat(count(browser.getEnumeration())).isEqualTo(250);
                assertThat(count(few.getEnumeration())).isEqualTo(3);
            }
            var consumer = context.createConsumer(queue);
            for (int i = 0; i < 250; i++) {
                assertThat(consumer.receiveBody(String.class, Names.WAIT_MS)).isEqualTo("m" + i);
            }
        }
    }

    private static int count(Enumeration<?> messages) {
        int count = 0;
        while (messages.hasMoreElements()) {
            assertThat(messages.nextElement()).isInstanceOf(TextMessage.class);
            count++;
        }
        return count;
    }
}
