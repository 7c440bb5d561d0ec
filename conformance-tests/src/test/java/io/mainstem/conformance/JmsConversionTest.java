package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotReadableException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Values keep their types on the way through the broker, so that they convert as Jakarta Messaging says. */
@WithBroker
final class JmsConversionTest {
    private final BrokerAddress broker;
    private JMSContext context;
    private Queue queue;

    JmsConversionTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @BeforeEach
    void connect() {
        context = Jms.context(broker);
        queue = context.createQueue(Jms.uniqueName("conversion"));
    }

    @AfterEach
    void close() {
        context.close();
    }

    /** A kind of value with the getters that may read it, and those of which the table of 3.5.4 and 3.11.3 says no. */
    private static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of(true, Set.of("boolean", "string")),
                Arguments.of((byte) -7, Set.of("byte", "short", "int", "long", "string")),
                Arguments.of((short) 300, Set.of("short", "int", "long", "string")),
                Arguments.of(70_000, Set.of("int", "long", "string")),
                Arguments.of(1L << 40, Set.of("long", "string")),
                Arguments.of(1.5f, Set.of("float", "double", "string")),
                Arguments.of(Math.PI, Set.of("double", "string")));
    }

    private interface Getter {
        Object get(Message message) throws JMSException;
    }

    private static Map<String, Getter> propertyGetters() {
        Map<String, Getter> getters = new HashMap<>();
        getters.put("boolean", message -> message.getBooleanProperty("v"));
        getters.put("byte", message -> message.getByteProperty("v"));
        getters.put("short", message -> message.getShortProperty("v"));
        getters.put("int", message -> message.getIntProperty("v"));
        getters.put("long", message -> message.getLongProperty("v"));
        getters.put("float", message -> message.getFloatProperty("v"));
        getters.put("double", message -> message.getDoubleProperty("v"));
        getters.put("string", message -> message.getStringProperty("v"));
        return getters;
    }

    private static Map<String, Getter> mapGetters() {
        Map<String, Getter> getters = new HashMap<>();
        getters.put("boolean", message -> ((MapMessage) message).getBoolean("v"));
        getters.put("byte", message -> ((MapMessage) message).getByte("v"));
        getters.put("short", message -> ((MapMessage) message).getShort("v"));
        getters.put("int", message -> ((MapMessage) message).getInt("v"));
        getters.put("long", message -> ((MapMessage) message).getLong("v"));
        getters.put("float", message -> ((MapMessage) message).getFloat("v"));
        getters.put("double", message -> ((MapMessage) message).getDouble("v"));
        getters.put("string", message -> ((MapMessage) message).getString("v"));
        return getters;
    }

    private static Map<String, Getter> streamGetters() {
        Map<String, Getter> getters = new HashMap<>();
        getters.put("boolean", message -> ((StreamMessage) message).readBoolean());
        getters.put("byte", message -> ((StreamMessage) message).readByte());
        getters.put("short", message -> ((StreamMessage) message).readShort());
        getters.put("int", message -> ((StreamMessage) message).readInt());
        getters.put("long", message -> ((StreamMessage) message).readLong());
        getters.put("float", message -> ((StreamMessage) message).readFloat());
        getters.put("double", message -> ((StreamMessage) message).readDouble());
        getters.put("string", message -> ((StreamMessage) message).readString());
        return getters;
    }

    @ParameterizedTest
    @MethodSource("values")
    @DisplayName("Jakarta Messaging 3.5.4: a property converts as its type allows, and no further")
    void properties(Object value, Set<String> readable) throws JMSException {
        Message sent = context.createMessage();
        sent.setObjectProperty("v", value);

        Message received = roundTrip(sent);

        assertThat(received.getObjectProperty("v")).isEqualTo(value);
        assertConverts(received, propertyGetters(), value, readable);
    }

    @ParameterizedTest
    @MethodSource("values")
    @DisplayName("Jakarta Messaging 3.11.3: a MapMessage's value converts as its type allows, and no further")
    void mapValues(Object value, Set<String> readable) throws JMSException {
        MapMessage sent = context.createMapMessage();
        sent.setObject("v", value);

        MapMessage received = (MapMessage) roundTrip(sent);

        assertThat(received.getObject("v")).isEqualTo(value);
        assertConverts(received, mapGetters(), value, readable);
    }

    @ParameterizedTest
    @MethodSource("values")
    @DisplayName("Jakarta Messaging 3.11.3: a StreamMessage's value converts as its type allows, and no further")
    void streamValues(Object value, Set<String> readable) throws JMSException {
        StreamMessage sent = context.createStreamMessage();
        sent.writeObject(value);

        StreamMessage received = (StreamMessage) roundTrip(sent);

        assertThat(received.readObject()).isEqualTo(value);
        for (Map.Entry<String, Getter> getter : streamGetters().entrySet()) {
            received.reset();
            assertConverts(received, Map.ofEntries(getter), value, readable);
        }
    }

    private static void assertConverts(Message message, Map<String, Getter> getters, Object value, Set<String> readable)
            throws JMSException {
        for (Map.Entry<String, Getter> getter : getters.entrySet()) {
            if (readable.contains(getter.getKey())) {
                Object read = getter.getValue().get(message);
                if (value instanceof Number number && read instanceof Number same) {
                    assertThat(same.doubleValue()).as(getter.getKey()).isEqualTo(number.doubleValue());
                } else {
                    assertThat(String.valueOf(read)).as(getter.getKey()).isEqualTo(String.valueOf(value));
                }
            } else {
                assertThatThrownBy(() -> getter.getValue().get(message))
                        .as(getter.getKey() + " of " + value.getClass().getSimpleName())
                        .isInstanceOf(MessageFormatException.class);
            }
        }
    }

    @Test
    @DisplayName("Jakarta Messaging 3.5.4: text that is a number reads as one; other text is a NumberFormatException")
    void textAsNumber() throws JMSException {
        Message sent = context.createMessage();
        sent.setStringProperty("number", "42");
        sent.setStringProperty("word", "forty-two");

        Message received = roundTrip(sent);

        assertThat(received.getIntProperty("number")).isEqualTo(42);
        assertThat(received.getDoubleProperty("number")).isEqualTo(42.0);
        assertThatThrownBy(() -> received.getLongProperty("word")).isInstanceOf(NumberFormatException.class);
        assertThat(received.getBooleanProperty("word")).isFalse();
    }

    @Test
    @DisplayName("Jakarta Messaging 3.5: a property that is not there is null, and null is not a number")
    void absentProperty() throws JMSException {
        Message received = roundTrip(context.createMessage());

        assertThat(received.getStringProperty("absent")).isNull();
        assertThat(received.propertyExists("absent")).isFalse();
        assertThatThrownBy(() -> received.getIntProperty("absent")).isInstanceOf(NumberFormatException.class);
    }

    @Test
    @DisplayName("Jakarta Messaging 3.5.1: every property arrives by its name, each once")
    void propertyNames() throws JMSException {
        Message sent = context.createMessage();
        for (int i = 0; i < 200; i++) {
            sent.setIntProperty("p" + i, i);
        }

        Message received = roundTrip(sent);

        List<String> own = new ArrayList<>();
        for (Object name : Collections.list((Enumeration<?>) received.getPropertyNames())) {
            if (!String.valueOf(name).startsWith("JMS")) {
                own.add(String.valueOf(name));
            }
        }
        assertThat(own).hasSize(200).doesNotHaveDuplicates();
        assertThat(received.getIntProperty("p199")).isEqualTo(199);
    }

    @Test
    @DisplayName("Jakarta Messaging 3.5.2, 3.10: what is received is read-only until it is cleared")
    void receivedIsReadOnly() throws JMSException {
        TextMessage sent = context.createTextMessage("x");
        sent.setIntProperty("p", 1);

        TextMessage received = (TextMessage) roundTrip(sent);

        assertThatThrownBy(() -> received.setText("y")).isInstanceOf(MessageNotWriteableException.class);
        assertThatThrownBy(() -> received.setIntProperty("p", 2)).isInstanceOf(MessageNotWriteableException.class);
        received.clearBody();
        received.clearProperties();
        received.setText("y");
        received.setIntProperty("p", 2);
        assertThat(((TextMessage) roundTrip(received)).getText()).isEqualTo("y");
    }

    @Test
    @DisplayName("Jakarta Messaging 3.11: BytesMessage holds every primitive in its order and knows its length")
    void bytesOfEveryType() throws JMSException {
        BytesMessage sent = context.createBytesMessage();
        sent.writeBoolean(true);
        sent.writeByte((byte) -1);
        sent.writeShort((short) -2);
        sent.writeChar('ß');
        sent.writeInt(-3);
        sent.writeLong(Long.MIN_VALUE);
        sent.writeFloat(1.5f);
        sent.writeDouble(-0.0);
        sent.writeUTF("ü€");
        sent.writeBytes(new byte[] {9, 8, 7}, 1, 2);
        assertThatThrownBy(sent::readByte).isInstanceOf(MessageNotReadableException.class);

        BytesMessage received = (BytesMessage) roundTrip(sent);

        assertThat(received.getBodyLength()).isEqualTo(1 + 1 + 2 + 2 + 4 + 8 + 4 + 8 + 2 + 5 + 2);
        assertThat(received.readBoolean()).isTrue();
        assertThat(received.readUnsignedByte()).isEqualTo(255);
        assertThat(received.readUnsignedShort()).isEqualTo(0xfffe);
        assertThat(received.readChar()).isEqualTo('ß');
        assertThat(received.readInt()).isEqualTo(-3);
        assertThat(received.readLong()).isEqualTo(Long.MIN_VALUE);
        assertThat(received.readFloat()).isEqualTo(1.5f);
        assertThat(Double.doubleToLongBits(received.readDouble())).isEqualTo(Double.doubleToLongBits(-0.0));
        assertThat(received.readUTF()).isEqualTo("ü€");
        byte[] rest = new byte[10];
        assertThat(received.readBytes(rest)).isEqualTo(2);
        assertThat(rest).startsWith(8, 7);
        assertThat(received.readBytes(rest)).isEqualTo(-1);
    }

    @Test
    @DisplayName("Jakarta Messaging 3.11.3: bytes, char and null in maps and streams")
    void otherValues() throws JMSException {
        MapMessage map = context.createMapMessage();
        map.setBytes("bytes", new byte[] {1, 2});
        map.setChar("char", 'ß');
        map.setString("null", null);
        StreamMessage stream = context.createStreamMessage();
        stream.writeBytes(new byte[] {1, 2});
        stream.writeChar('ß');
        stream.writeString(null);

        MapMessage receivedMap = (MapMessage) roundTrip(map);
        StreamMessage receivedStream = (StreamMessage) roundTrip(stream);

        assertThat(receivedMap.getBytes("bytes")).containsExactly(1, 2);
        assertThat(receivedMap.getChar("char")).isEqualTo('ß');
        assertThat(receivedMap.getString("char")).isEqualTo("ß");
        assertThat(receivedMap.itemExists("null")).isTrue();
        assertThat(receivedMap.getObject("null")).isNull();
        assertThatThrownBy(() -> receivedMap.getInt("char")).isInstanceOf(MessageFormatException.class);
        byte[] bytes = new byte[2];
        assertThat(receivedStream.readBytes(bytes)).isEqualTo(2);
        assertThat(bytes).containsExactly(1, 2);
        assertThat(receivedStream.readBytes(bytes)).isEqualTo(-1);
        assertThat(receivedStream.readChar()).isEqualTo('ß');
        assertThat(receivedStream.readObject()).isNull();
    }

    @Test
    @DisplayName(
            "Jakarta Messaging 3.4.11, 3.9: a body can be asked for as a type it can be assigned to, not as another")
    void bodyByType() throws JMSException {
        Message text = roundTrip(context.createTextMessage("x"));
        MapMessage map = context.createMapMessage();
        map.setInt("a", 1);
        Message receivedMap = roundTrip(map);

        assertThat(text.getBody(String.class)).isEqualTo("x");
        assertThat(text.isBodyAssignableTo(byte[].class)).isFalse();
        assertThatThrownBy(() -> text.getBody(byte[].class)).isInstanceOf(MessageFormatException.class);
        assertThat((Object) receivedMap.getBody(Map.class)).isEqualTo(Map.of("a", 1));
    }

    @Test
    @DisplayName("Jakarta Messaging 3.4.5: a correlation id may be text of an application, a message id, or bytes")
    void correlationIds() throws JMSException {
        Message first = roundTrip(context.createMessage());
        Message text = context.createMessage();
        text.setJMSCorrelationID("order 17");
        Message id = context.createMessage();
        id.setJMSCorrelationID(first.getJMSMessageID());
        Message bytes = context.createMessage();
        bytes.setJMSCorrelationIDAsBytes(new byte[] {0, 1, (byte) 0xff});

        assertThat(roundTrip(text).getJMSCorrelationID()).isEqualTo("order 17");
        assertThat(roundTrip(id).getJMSCorrelationID()).isEqualTo(first.getJMSMessageID());
        assertThat(roundTrip(bytes).getJMSCorrelationIDAsBytes()).containsExactly(0, 1, 0xff);
    }

    private Message roundTrip(Message message) {
        context.createProducer().send(queue, message);
        try (var consumer = context.createConsumer(queue)) {
            Message received = consumer.receive(Jms.RECEIVE_MS);
            assertThat(received).isNotNull();
            return received;
        }
    }
}
