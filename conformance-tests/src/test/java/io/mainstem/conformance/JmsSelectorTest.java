package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Qpid JMS with message selectors, no-local and message groups. */
@WithBroker
final class JmsSelectorTest {
    private final BrokerAddress broker;

    JmsSelectorTest(BrokerAddress broker) {
        this.broker = broker;
    }

    private static JMSProducer colored(JMSContext context, String color, int n) {
        return context.createProducer().setProperty("color", color).setProperty("n", n);
    }

    @Test
    @DisplayName("Jakarta Messaging 3.8.1: a queue's consumer gets what matches; the rest stays for others")
    void queue() {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            for (int n = 0; n < 6; n++) {
                colored(context, n % 2 == 0 ? "red" : "blue", n).send(queue, "m" + n);
            }
            try (JMSConsumer red = context.createConsumer(queue, "color = 'red' AND n BETWEEN 1 AND 10")) {
                assertThat(Jms.receiveBodies(red, 2)).containsExactly("m2", "m4");
                assertThat(red.receiveNoWait()).isNull();
            }
            try (JMSConsumer rest = context.createConsumer(queue)) {
                assertThat(Jms.receiveBodies(rest, 4)).containsExactly("m0", "m1", "m3", "m5");
            }
        }
    }

    @ParameterizedTest
    @DisplayName("mapping 7: header fields and every type of property")
    @ValueSource(
            strings = {
                "JMSType = 'invoice'",
                "JMSPriority = 7",
                "JMSDeliveryMode = 'NON_PERSISTENT'",
                "JMSCorrelationID = 'order 7'",
                "JMSMessageID LIKE 'ID:%'",
                "JMSTimestamp > 0",
                "byte = 1 AND short = 2 AND int = 3 AND long = 4",
                "float = 0.5 AND double = 1.5",
                "flag AND flag = TRUE",
                "text = 'it''s' AND text LIKE '_t%' AND text IN ('it''s')",
                "absent IS NULL AND text IS NOT NULL",
                "NOT (int > 3)",
            })
    void fields(String selector) throws JMSException {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            Message message = context.createTextMessage("typed");
            message.setByteProperty("byte", (byte) 1);
            message.setShortProperty("short", (short) 2);
            message.setIntProperty("int", 3);
            message.setLongProperty("long", 4);
            message.setFloatProperty("float", 0.5f);
            message.setDoubleProperty("double", 1.5);
            message.setBooleanProperty("flag", true);
            message.setStringProperty("text", "it's");
            context.createProducer()
                    .setDeliveryMode(DeliveryMode.NON_PERSISTENT)
                    .setJMSType("invoice")
                    .setPriority(7)
                    .setJMSCorrelationID("order 7")
                    .send(queue, message);

            assertThat(Jms.receiveBodies(context.createConsumer(queue, selector), 1))
                    .containsExactly("typed");
        }
    }

    @Test
    @DisplayName("mapping 4.8: a message is found by the id its sender got")
    void byMessageId() throws JMSException {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            TextMessage wanted = context.createTextMessage("wanted");
            context.createProducer().send(queue, "other").send(queue, wanted);

            String selector = "JMSMessageID = '" + wanted.getJMSMessageID() + "'";
            assertThat(Jms.receiveBodies(context.createConsumer(queue, selector), 1))
                    .containsExactly("wanted");
        }
    }

    @Test
    @DisplayName("Jakarta Messaging 6.1.4: a browser shows what matches and takes nothing")
    void browser() throws JMSException {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            for (int n = 0; n < 4; n++) {
                colored(context, n % 2 == 0 ? "red" : "blue", n).send(queue, "m" + n);
            }
            List<String> seen = new ArrayList<>();
            try (QueueBrowser browser = context.createBrowser(queue, "color = 'blue'")) {
                for (Object message : Collections.list((Enumeration<?>) browser.getEnumeration())) {
                    seen.add(((TextMessage) message).getText());
                }
            }
            assertThat(seen).containsExactly("m1", "m3");
            assertThat(Jms.receiveBodies(context.createConsumer(queue), 4)).containsExactly("m0", "m1", "m2", "m3");
        }
    }

    @Test
    @DisplayName("[S-11] a topic's subscription gets what matches, and no-local nothing of its own connection")
    void topic() {
        try (JMSContext context = Jms.context(broker);
                JMSContext another = Jms.context(broker)) {
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            JMSConsumer red = context.createConsumer(topic, "color = 'red'");
            JMSConsumer foreign = context.createConsumer(topic, null, true);
            colored(context, "blue", 1).send(topic, "own blue");
            colored(context, "red", 2).send(topic, "own red");
            colored(another, "red", 3).send(topic, "foreign red");

            assertThat(Jms.receiveBodies(red, 2)).containsExactly("own red", "foreign red");
            assertThat(Jms.receiveBodies(foreign, 1)).containsExactly("foreign red");
            assertThat(red.receiveNoWait()).isNull();
            assertThat(foreign.receiveNoWait()).isNull();
        }
    }

    @Test
    @DisplayName("[S-2] a durable subscription with another selector is a new one")
    void durableSubscription() {
        try (JMSContext context = Jms.context(broker)) {
            context.setClientID("client-" + UUID.randomUUID());
            Topic topic = context.createTopic(Jms.uniqueName("topic"));
            context.createDurableConsumer(topic, "sub", "color = 'red'", false).close();
            colored(context, "blue", 1).send(topic, "blue");
            colored(context, "red", 2).send(topic, "red");
            try (JMSConsumer same = context.createDurableConsumer(topic, "sub", "color = 'red'", false)) {
                assertThat(Jms.receiveBodies(same, 1)).containsExactly("red");
                assertThat(same.receiveNoWait()).isNull();
            }
            colored(context, "red", 3).send(topic, "lost with the old subscription");
            try (JMSConsumer changed = context.createDurableConsumer(topic, "sub", "color = 'blue'", false)) {
                colored(context, "blue", 4).send(topic, "new");
                assertThat(Jms.receiveBodies(changed, 1)).containsExactly("new");
                assertThat(changed.receiveNoWait()).isNull();
            }
            context.unsubscribe("sub");
        }
    }

    @Test
    @DisplayName("JMSXGroupID: each group goes to one of two consumers, in order")
    void groups() throws JMSException {
        try (JMSContext one = Jms.context(broker);
                JMSContext two = Jms.context(broker)) {
            Queue queue = one.createQueue(Jms.uniqueName("queue"));
            JMSConsumer a = one.createConsumer(queue);
            JMSConsumer b = two.createConsumer(queue);
            for (int n = 0; n < 40; n++) {
                one.createProducer()
                        .setProperty("JMSXGroupID", "group " + n % 8)
                        .setProperty("n", n)
                        .send(queue, "m");
            }
            List<Message> ofA = new ArrayList<>();
            List<Message> ofB = new ArrayList<>();
            long end = System.nanoTime() + Jms.RECEIVE_MS * 1_000_000;
            while (ofA.size() + ofB.size() < 40 && System.nanoTime() < end) {
                receiveInto(ofA, a);
                receiveInto(ofB, b);
            }

            assertThat(ofA.size() + ofB.size()).isEqualTo(40);
            assertThat(a.receiveNoWait()).isNull();
            assertThat(b.receiveNoWait()).isNull();
            assertThat(groups(ofA)).doesNotContainAnyElementsOf(groups(ofB));
            for (List<Message> of : List.of(ofA, ofB)) {
                for (String group : groups(of)) {
                    List<Integer> numbers = new ArrayList<>();
                    for (Message message : of) {
                        if (message.getStringProperty("JMSXGroupID").equals(group)) {
                            numbers.add(message.getIntProperty("n"));
                        }
                    }
                    assertThat(numbers).isSorted().hasSize(5);
                }
            }
        }
    }

    /** What comes without a long wait; a silence does not say that nothing more will. */
    private static void receiveInto(List<Message> messages, JMSConsumer consumer) {
        for (Message next = consumer.receive(20); next != null; next = consumer.receive(20)) {
            messages.add(next);
        }
    }

    private static List<String> groups(List<Message> messages) throws JMSException {
        List<String> groups = new ArrayList<>();
        for (Message message : messages) {
            groups.add(message.getStringProperty("JMSXGroupID"));
        }
        return groups.stream().distinct().toList();
    }
}
