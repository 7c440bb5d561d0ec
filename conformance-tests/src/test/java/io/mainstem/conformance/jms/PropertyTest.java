package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.Connection;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.Queue;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Message properties (Jakarta Messaging 3.5), each written by one client and read by another after its way through the broker. */
final class PropertyTest {
    private interface Getter {
        Object get(Message message, String name) throws JMSException;
    }

    private static final Map<Class<?>, Getter> GETTERS = new LinkedHashMap<>();

    static {
        GETTERS.put(Boolean.class, Message::getBooleanProperty);
        GETTERS.put(Byte.class, Message::getByteProperty);
        GETTERS.put(Short.class, Message::getShortProperty);
        GETTERS.put(Integer.class, Message::getIntProperty);
        GETTERS.put(Long.class, Message::getLongProperty);
        GETTERS.put(Float.class, Message::getFloatProperty);
        GETTERS.put(Double.class, Message::getDoubleProperty);
        GETTERS.put(String.class, Message::getStringProperty);
    }

    /** Table 3-2: what a value of the type can be read as. */
    private static final Map<Class<?>, Set<Class<?>>> READABLE_AS = Map.of(
            Boolean.class, Set.of(Boolean.class, String.class),
            Byte.class, Set.of(Byte.class, Short.class, Integer.class, Long.class, String.class),
            Short.class, Set.of(Short.class, Integer.class, Long.class, String.class),
            Integer.class, Set.of(Integer.class, Long.class, String.class),
            Long.class, Set.of(Long.class, String.class),
            Float.class, Set.of(Float.class, Double.class, String.class),
            Double.class, Set.of(Double.class, String.class),
            String.class, GETTERS.keySet());

    private static final List<Object> VALUES = List.of(true, (byte) 7, (short) 7, 7, 7L, 7.5f, 7.5d, "7");

    private static Message passed(JMSContext context, Message message) {
        Queue queue = context.createQueue(Names.unique("property"));
        context.createProducer().send(queue, message);
        return context.createConsumer(queue).receive(Names.WAIT_MS);
    }

    @AllClients
    @Clause({"3.5.2", "3.5.4", "3.5.5", "Message.getObjectProperty"})
    void everyConversionOfTheTableAndNoOther(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Message sent = context.createMessage();
            for (Object value : VALUES) {
                sent.setObjectProperty("p" + value.getClass().getSimpleName(), value);
            }
            Message received = passed(context, sent);
            for (Message message : List.of(sent, received)) {
                for (Object value : VALUES) {
                    checkConversions(message, "p" + value.getClass().getSimpleName(), value);
                }
            }
        }
    }

    private static void checkConversions(Message message, String name, Object value) throws JMSException {
        assertThat(message.getObjectProperty(name)).isEqualTo(value);
        for (Map.Entry<Class<?>, Getter> getter : GETTERS.entrySet()) {
            if (READABLE_AS.get(value.getClass()).contains(getter.getKey())) {
                String expected =
                        getter.getKey() == Boolean.class && value instanceof String ? "false" : value.toString();
                Object read = getter.getValue().get(message, name);
                assertThat(read).isInstanceOf(getter.getKey());
                assertThat(read.toString().replaceAll("\\.0$", "")).isEqualTo(expected);
            } else {
                assertThatThrownBy(() -> getter.getValue().get(message, name))
                        .as("%s as %s", name, getter.getKey())
                        .isInstanceOf(MessageFormatException.class);
            }
        }
    }

    @AllClients
    @Clause({"3.5.4", "3.5.8", "Message.getIntProperty"})
    void whatIsNoNumberAndWhatIsNotThere(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Message sent = context.createMessage();
            sent.setStringProperty("text", "seven");
            Message message = passed(context, sent);
            for (Getter number : List.<Getter>of(
                    Message::getByteProperty,
                    Message::getShortProperty,
                    Message::getIntProperty,
                    Message::getLongProperty)) {
                assertThatThrownBy(() -> number.get(message, "text")).isInstanceOf(NumberFormatException.class);
                assertThatThrownBy(() -> number.get(message, "missing")).isInstanceOf(NumberFormatException.class);
            }
            assertThatThrownBy(() -> message.getDoubleProperty("text")).isInstanceOf(NumberFormatException.class);
            assertThatThrownBy(() -> message.getDoubleProperty("missing")).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> message.getFloatProperty("missing")).isInstanceOf(NullPointerException.class);
            assertThat(message.getBooleanProperty("missing")).isFalse();
            assertThat(message.getStringProperty("missing")).isNull();
            assertThat(message.getObjectProperty("missing")).isNull();
            assertThat(message.propertyExists("missing")).isFalse();
        }
    }

    @OurClients
    @Clause({"3.5.5", "Message.setObjectProperty"})
    void otherClassesAreRefused(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Message message = context.createMessage();
            for (Object wrong : List.of(new BigDecimal("1"), new byte[1], 'c', List.of())) {
                assertThatThrownBy(() -> message.setObjectProperty("p", wrong))
                        .isInstanceOf(MessageFormatException.class);
            }
        }
    }

    @OurClients
    @Clause({"3.5.1", "Message.setStringProperty"})
    void namesAreIdentifiers(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Message message = context.createMessage();
            for (String wrong : List.of("", "a b", "1a", "a-b", "NULL", "TRUE", "not", "Between", "escape")) {
                assertThatThrownBy(() -> message.setStringProperty(wrong, "x"))
                        .as(wrong)
                        .isInstanceOfAny(IllegalArgumentException.class, JMSException.class);
            }
            assertThatThrownBy(() -> message.setStringProperty(null, "x")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> message.setStringProperty("", "x")).isInstanceOf(IllegalArgumentException.class);
            for (String right : List.of("_a", "$b", "Überfluß", "a1", "JMS_vendor_x")) {
                message.setStringProperty(right, "x");
            }
            assertThat(passed(context, message).getStringProperty("Überfluß")).isEqualTo("x");
        }
    }

    @OurClients
    @Clause({"3.5.6", "3.5.7", "Message.getPropertyNames", "Message.clearProperties"})
    void namesAreListedWithoutHeaders(JmsClient client) throws Exception {
        try (JMSContext context = client.factory().createContext()) {
            Message message = context.createTextMessage("x");
            message.setJMSType("t");
            message.setJMSCorrelationID("c");
            message.setIntProperty("a", 1);
            message.setStringProperty("b", null);
            assertThat(Enumerated.names(message.getPropertyNames())).containsExactlyInAnyOrder("a", "b");
            Message received = passed(context, message);
            assertThat(Enumerated.names(received.getPropertyNames()))
                    .contains("a")
                    .doesNotContain("JMSType", "JMSCorrelationID", "JMSMessageID", "JMSPriority");
            assertThat(received.getObjectProperty("b")).isNull();
            received.clearProperties();
            assertThat(Enumerated.names(received.getPropertyNames())).doesNotContain("a", "b");
            assertThat(received.getBody(String.class)).isEqualTo("x");
        }
    }

    @AllClients
    @Clause({"3.5.9", "ConnectionMetaData.getJMSXPropertyNames"})
    void definedPropertiesAreKnownAndCarried(JmsClient client) throws Exception {
        try (Connection connection = client.factory().createConnection();
                JMSContext context = client.factory().createContext()) {
            assertThat(Enumerated.names(connection.getMetaData().getJMSXPropertyNames()))
                    .contains("JMSXGroupID", "JMSXGroupSeq", "JMSXDeliveryCount");
            Message message = context.createMessage();
            message.setStringProperty("JMSXGroupID", "g");
            message.setIntProperty("JMSXGroupSeq", 3);
            Message received = passed(context, message);
            assertThat(received.getStringProperty("JMSXGroupID")).isEqualTo("g");
            assertThat(received.getIntProperty("JMSXGroupSeq")).isEqualTo(3);
            assertThat(received.getIntProperty("JMSXDeliveryCount")).isEqualTo(1);
        }
    }
}
