package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.BytesMessage;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Qpid JMS puts into a message comes out of it again. */
@WithBroker
final class JmsMessageTest {
    private final BrokerAddress broker;

    JmsMessageTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "text", "ü € \uD83D\uDE00"})
    void textMessage(String text) throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            TextMessage received = (TextMessage) roundTrip(context, context.createTextMessage(text));

            assertThat(received.getText()).isEqualTo(text);
        }
    }

    @Test
    void textMessageWithoutText() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            assertThat(((TextMessage) roundTrip(context, context.createTextMessage(null))).getText())
                    .isNull();
        }
    }

    @Test
    void messageWithoutBody() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            Message sent = context.createMessage();
            sent.setStringProperty("only", "a property");

            Message received = roundTrip(context, sent);

            assertThat(received).isNotInstanceOfAny(TextMessage.class, BytesMessage.class);
            assertThat(received.getStringProperty("only")).isEqualTo("a property");
        }
    }

    @Test
    void bytesMessage() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            BytesMessage sent = context.createBytesMessage();
            sent.writeInt(42);
            sent.writeUTF("utf");

            BytesMessage received = (BytesMessage) roundTrip(context, sent);

            assertThat(received.readInt()).isEqualTo(42);
            assertThat(received.readUTF()).isEqualTo("utf");
        }
    }

    @Test
    void mapMessage() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            MapMessage sent = context.createMapMessage();
            sent.setString("string", "s");
            sent.setLong("long", Long.MIN_VALUE);
            sent.setBytes("bytes", new byte[] {1, 2});
            sent.setChar("char", 'ß');

            MapMessage received = (MapMessage) roundTrip(context, sent);

            assertThat(received.getString("string")).isEqualTo("s");
            assertThat(received.getLong("long")).isEqualTo(Long.MIN_VALUE);
            assertThat(received.getBytes("bytes")).containsExactly(1, 2);
            assertThat(received.getChar("char")).isEqualTo('ß');
        }
    }

    @Test
    void streamMessage() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            StreamMessage sent = context.createStreamMessage();
            sent.writeBoolean(true);
            sent.writeDouble(2.5);
            sent.writeString("s");

            StreamMessage received = (StreamMessage) roundTrip(context, sent);

            assertThat(received.readBoolean()).isTrue();
            assertThat(received.readDouble()).isEqualTo(2.5);
            assertThat(received.readString()).isEqualTo("s");
        }
    }

    @Test
    void objectMessage() throws Exception {
        try (JMSContext context = Jms.context(broker, "jms.deserializationPolicy.allowList=java.util,java.lang")) {
            ObjectMessage sent = context.createObjectMessage(new ArrayList<>(List.of("a", "b")));

            assertThat(((ObjectMessage) roundTrip(context, sent)).getObject()).isEqualTo(List.of("a", "b"));
        }
    }

    @Test
    void headersAndProperties() throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            Message sent = context.createTextMessage("x");
            sent.setJMSType("type");
            sent.setJMSCorrelationID("correlation");
            sent.setJMSReplyTo(context.createTopic("some.topic"));
            sent.setStringProperty("JMSXGroupID", "group");
            sent.setIntProperty("JMSXGroupSeq", 7);
            sent.setBooleanProperty("aBoolean", true);
            sent.setByteProperty("aByte", (byte) -1);
            sent.setShortProperty("aShort", (short) -2);
            sent.setIntProperty("anInt", -3);
            sent.setLongProperty("aLong", -4L);
            sent.setFloatProperty("aFloat", 1.5f);
            sent.setDoubleProperty("aDouble", -0.0);
            sent.setStringProperty("aString", "ü");

            Message received = roundTrip(context, sent);

            assertThat(received.getJMSMessageID())
                    .isEqualTo(sent.getJMSMessageID())
                    .startsWith("ID:");
            assertThat(received.getJMSTimestamp()).isEqualTo(sent.getJMSTimestamp());
            assertThat(received.getJMSDestination()).isEqualTo(sent.getJMSDestination());
            assertThat(received.getJMSReplyTo()).isEqualTo(sent.getJMSReplyTo());
            assertThat(received.getJMSType()).isEqualTo("type");
            assertThat(received.getJMSCorrelationID()).isEqualTo("correlation");
            assertThat(received.getJMSRedelivered()).isFalse();
            for (String name : List.of(
                    "aBoolean",
                    "aByte",
                    "aShort",
                    "anInt",
                    "aLong",
                    "aFloat",
                    "aDouble",
                    "aString",
                    "JMSXGroupID",
                    "JMSXGroupSeq")) {
                assertThat(received.getObjectProperty(name)).as(name).isEqualTo(sent.getObjectProperty(name));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT})
    void deliveryModeAndPriority(int mode) throws Exception {
        try (JMSContext context = Jms.context(broker)) {
            Queue queue = context.createQueue(Jms.uniqueName("queue"));
            JMSConsumer consumer = context.createConsumer(queue);
            JMSProducer producer = context.createProducer().setDeliveryMode(mode);
            for (int priority = 0; priority <= 9; priority++) {
                producer.setPriority(priority).send(queue, "x");
                Message received = consumer.receive(Jms.RECEIVE_MS);

                assertThat(received.getJMSDeliveryMode()).isEqualTo(mode);
                assertThat(received.getJMSPriority()).isEqualTo(priority);
            }
        }
    }

    private static Message roundTrip(JMSContext context, Message sent) throws JMSException {
        Queue queue = context.createQueue(Jms.uniqueName("queue"));
        context.createProducer().send(queue, sent);
        Message received = context.createConsumer(queue).receive(Jms.RECEIVE_MS);
        assertThat(received).as("message on %s", queue).isNotNull();
        return received;
    }
}
