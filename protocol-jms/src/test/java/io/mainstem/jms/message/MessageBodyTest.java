package io.mainstem.jms.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotReadableException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.StreamMessage;
import jakarta.jms.TextMessage;
import java.io.Serializable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies: Jakarta Messaging 3.11 and the API documentation of each type. */
final class MessageBodyTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "text", "Grüße, 世界 \ud83d\ude00", "\u0000"})
    @DisplayName("TextMessage: every text arrives")
    void textsArrive(String text) throws JMSException {
        assertThat(Exchange.passed(Exchange.FACTORY.createTextMessage(text)).getText())
                .isEqualTo(text);
        String long300 = text.repeat(300);
        assertThat(Exchange.passed(Exchange.FACTORY.createTextMessage(long300)).getText())
                .isEqualTo(long300);
    }

    @Test
    @DisplayName("TextMessage: null is a text")
    void nullTextArrives() throws JMSException {
        assertThat(Exchange.passed(Exchange.FACTORY.createTextMessage(null)).getText())
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "a\ude00b", "\ud83d\ud83d"})
    @DisplayName("Half a character is refused by name, not sent as a question mark")
    void halfACharacterIsRefused(String text) {
        assertThatThrownBy(() -> Exchange.sent(Exchange.FACTORY.createTextMessage(text)))
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("surrogate");
    }

    @Test
    @DisplayName(
            "3.10: a received body is read-only until clearBody; clearBody leaves the properties and gives an empty body to write")
    void receivedBodiesAreReadOnlyUntilCleared() throws JMSException {
        TextMessage text = Exchange.FACTORY.createTextMessage("t");
        text.setIntProperty("p", 1);
        TextMessage received = Exchange.passed(text);
        MapMessage map = Exchange.passed(Exchange.FACTORY.createMapMessage());
        BytesMessage bytes = Exchange.passed(Exchange.FACTORY.createBytesMessage());
        StreamMessage stream = Exchange.passed(Exchange.FACTORY.createStreamMessage());

        assertThatThrownBy(() -> received.setText("x")).isInstanceOf(MessageNotWriteableException.class);
        assertThatThrownBy(() -> map.setInt("x", 1)).isInstanceOf(MessageNotWriteableException.class);
        assertThatThrownBy(() -> bytes.writeInt(1)).isInstanceOf(MessageNotWriteableException.class);
        assertThatThrownBy(() -> stream.writeInt(1)).isInstanceOf(MessageNotWriteableException.class);
        received.clearBody();

        assertThat(received.getText()).isNull();
        assertThat(received.getIntProperty("p")).isEqualTo(1);
        assertThatThrownBy(() -> received.setIntProperty("p", 2)).isInstanceOf(MessageNotWriteableException.class);
        received.setText("new");
        assertThat(Exchange.passed(received).getText()).isEqualTo("new");
    }

    @Test
    @DisplayName("MapMessage: names need a character, byte arrays are copied both ways, order stays")
    void mapsKeepNamesAndCopies() throws JMSException {
        MapMessage map = Exchange.FACTORY.createMapMessage();
        byte[] bytes = {1, 2, 3, 4};
        map.setBytes("z", bytes);
        map.setBytes("part", bytes, 1, 2);
        map.setString("null", null);
        bytes[0] = 9;

        assertThatThrownBy(() -> map.setInt("", 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> map.setObject(null, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> map.setObject("x", List.of())).isInstanceOf(MessageFormatException.class);
        assertThatThrownBy(() -> map.setBytes("x", bytes, 3, 2)).isInstanceOf(IndexOutOfBoundsException.class);
        MapMessage received = Exchange.passed(map);
        received.getBytes("z")[1] = 9;

        assertThat(received.getBytes("z")).containsExactly(1, 2, 3, 4);
        assertThat(received.getBytes("part")).containsExactly(2, 3);
        assertThat(received.itemExists("null")).isTrue();
        assertThat(received.itemExists("none")).isFalse();
        assertThat(received.getObject("none")).isNull();
        assertThat(Exchange.list(received.getMapNames())).hasToString("[z, part, null]");
    }

    @Test
    @DisplayName("BytesMessage: everything written is read in its order")
    void bytesAreReadAsWritten() throws JMSException {
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeBoolean(true);
        bytes.writeByte((byte) -1);
        bytes.writeShort((short) -2);
        bytes.writeChar('\u20ac');
        bytes.writeInt(-3);
        bytes.writeLong(-4);
        bytes.writeFloat(1.5f);
        bytes.writeDouble(-2.5);
        bytes.writeUTF("Grüße");
        bytes.writeBytes(new byte[] {1, 2});
        for (Object value : new Object[] {true, (byte) 1, (short) 2, 'c', 3, 4L, 5f, 6d, "s", new byte[] {7}}) {
            bytes.writeObject(value);
        }
        BytesMessage received = Exchange.passed(bytes);

        assertThat(received.readBoolean()).isTrue();
        assertThat(received.readUnsignedByte()).isEqualTo(255);
        assertThat(received.readUnsignedShort()).isEqualTo(65534);
        assertThat(received.readChar()).isEqualTo('\u20ac');
        assertThat(received.readInt()).isEqualTo(-3);
        assertThat(received.readLong()).isEqualTo(-4);
        assertThat(received.readFloat()).isEqualTo(1.5f);
        assertThat(received.readDouble()).isEqualTo(-2.5);
        assertThat(received.readUTF()).isEqualTo("Grüße");
        byte[] two = new byte[2];
        assertThat(received.readBytes(two)).isEqualTo(2);
        assertThat(two).containsExactly(1, 2);
        assertThat(received.readBoolean()).isTrue();
        assertThat(received.readByte()).isEqualTo((byte) 1);
        assertThat(received.readShort()).isEqualTo((short) 2);
        assertThat(received.readChar()).isEqualTo('c');
        assertThat(received.readInt()).isEqualTo(3);
        assertThat(received.readLong()).isEqualTo(4);
        assertThat(received.readFloat()).isEqualTo(5);
        assertThat(received.readDouble()).isEqualTo(6);
        assertThat(received.readUTF()).isEqualTo("s");
        assertThat(received.readByte()).isEqualTo((byte) 7);
        assertThat(received.readBytes(two)).isEqualTo(-1);
        assertThatThrownBy(received::readByte).isInstanceOf(MessageEOFException.class);
    }

    @Test
    @DisplayName("BytesMessage: a read past the end is MessageEOFException and does not move on")
    void readingPastTheEndDoesNotMoveOn() throws JMSException {
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeShort((short) 0x0102);
        BytesMessage received = Exchange.passed(bytes);

        assertThatThrownBy(received::readInt)
                .isInstanceOf(MessageEOFException.class)
                .hasMessageContaining("an int");
        assertThatThrownBy(received::readUTF).isInstanceOf(MessageEOFException.class);
        assertThat(received.readShort()).isEqualTo((short) 0x0102);
    }

    @Test
    @DisplayName("BytesMessage: readBytes gives what is there, then -1; lengths outside the array are refused")
    void readBytesGivesWhatIsThere() throws JMSException {
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeBytes(new byte[] {1, 2, 3}, 0, 3);
        BytesMessage received = Exchange.passed(bytes);
        byte[] target = new byte[2];

        assertThat(received.getBodyLength()).isEqualTo(3);
        assertThatThrownBy(() -> received.readBytes(target, 3)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> received.readBytes(target, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(received.readBytes(target, 1)).isEqualTo(1);
        assertThat(received.readBytes(target)).isEqualTo(2);
        assertThat(received.readBytes(target)).isEqualTo(-1);
        received.reset();
        assertThat(received.readByte()).isEqualTo((byte) 1);
        assertThat(received.getBodyLength()).isEqualTo(3);
    }

    @Test
    @DisplayName("BytesMessage, StreamMessage: written until reset, then read; null has no bytes")
    void bodiesAreWrittenThenRead() throws JMSException {
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        StreamMessage stream = Exchange.FACTORY.createStreamMessage();

        assertThatThrownBy(bytes::readByte).isInstanceOf(MessageNotReadableException.class);
        assertThatThrownBy(bytes::getBodyLength).isInstanceOf(MessageNotReadableException.class);
        assertThatThrownBy(stream::readObject).isInstanceOf(MessageNotReadableException.class);
        assertThatThrownBy(() -> stream.readBytes(new byte[1])).isInstanceOf(MessageNotReadableException.class);
        assertThatThrownBy(() -> bytes.writeObject(null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> bytes.writeObject(List.of())).isInstanceOf(MessageFormatException.class);
        assertThatThrownBy(() -> stream.writeObject(List.of())).isInstanceOf(MessageFormatException.class);
        bytes.reset();
        stream.reset();
        assertThatThrownBy(() -> bytes.writeByte((byte) 1)).isInstanceOf(MessageNotWriteableException.class);
        assertThatThrownBy(() -> stream.writeByte((byte) 1)).isInstanceOf(MessageNotWriteableException.class);
        bytes.clearBody();
        bytes.writeByte((byte) 1);
        stream.clearBody();
        stream.writeByte((byte) 1);
    }

    @Test
    @DisplayName("BytesMessage API: a message that was sent can be written on and sent again")
    void aSentMessageCanBeWrittenOn() throws JMSException {
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeByte((byte) 1);
        BytesMessage first = Exchange.passed(bytes);
        bytes.writeByte((byte) 2);
        BytesMessage second = Exchange.passed(bytes);

        assertThat(first.getBodyLength()).isEqualTo(1);
        assertThat(second.getBodyLength()).isEqualTo(2);
    }

    @Test
    @DisplayName("StreamMessage: a read of the wrong type does not move on; past the end is MessageEOFException")
    void aFailingReadDoesNotMoveOn() throws JMSException {
        StreamMessage stream = Exchange.FACTORY.createStreamMessage();
        stream.writeLong(5);
        stream.writeString("x");
        stream.writeString(null);
        StreamMessage received = Exchange.passed(stream);

        assertThatThrownBy(received::readInt).isInstanceOf(MessageFormatException.class);
        assertThatThrownBy(() -> received.readBytes(new byte[1])).isInstanceOf(MessageFormatException.class);
        assertThat(received.readLong()).isEqualTo(5);
        assertThatThrownBy(received::readInt).isInstanceOf(NumberFormatException.class);
        assertThat(received.readString()).isEqualTo("x");
        assertThatThrownBy(received::readInt).isInstanceOf(NumberFormatException.class);
        assertThatThrownBy(received::readChar).isInstanceOf(NullPointerException.class);
        assertThat(received.readString()).isNull();
        assertThatThrownBy(received::readString).isInstanceOf(MessageEOFException.class);
        assertThatThrownBy(() -> received.readBytes(new byte[1])).isInstanceOf(MessageEOFException.class);
    }

    @Test
    @DisplayName("StreamMessage: a byte[] may be read in pieces and must be read to its end")
    void byteArraysAreReadInPieces() throws JMSException {
        StreamMessage stream = Exchange.FACTORY.createStreamMessage();
        stream.writeBytes(new byte[] {1, 2, 3, 4});
        stream.writeBytes(new byte[0]);
        stream.writeBytes(null);
        stream.writeBytes(new byte[] {0, 5, 0}, 1, 1);
        stream.writeInt(6);
        StreamMessage received = Exchange.passed(stream);
        byte[] two = new byte[2];

        assertThat(received.readBytes(two)).isEqualTo(2);
        assertThatThrownBy(received::readObject)
                .isInstanceOf(MessageFormatException.class)
                .hasMessageContaining("MS-0756");
        assertThat(received.readBytes(two)).isEqualTo(2);
        assertThat(two).containsExactly(3, 4);
        assertThat(received.readBytes(two)).isEqualTo(-1);
        assertThat(received.readBytes(two)).isZero();
        assertThat(received.readBytes(two)).isEqualTo(-1);
        assertThat(received.readObject()).isEqualTo(new byte[] {5});
        assertThat(received.readInt()).isEqualTo(6);
        received.reset();
        assertThat(received.readObject()).isEqualTo(new byte[] {1, 2, 3, 4});
    }

    @Test
    @DisplayName(
            "API getBody: a body is given as its own class or one it is assignable to; without a body everything fits")
    void bodiesAreGivenAsTheirClass() throws JMSException {
        MapMessage map = Exchange.FACTORY.createMapMessage();
        map.setInt("a", 1);
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeByte((byte) 7);
        StreamMessage stream = Exchange.FACTORY.createStreamMessage();
        stream.writeInt(1);

        assertFits(Exchange.FACTORY.createTextMessage("t"), String.class, CharSequence.class, Object.class);
        assertFits(map, Map.class, Object.class);
        assertFits(bytes, byte[].class, Object.class);
        assertFits(Exchange.FACTORY.createObjectMessage(5), Integer.class, Number.class, Serializable.class);
        assertFits(stream);
        for (Message empty : List.of(
                Exchange.FACTORY.createMessage(),
                Exchange.FACTORY.createTextMessage(null),
                Exchange.FACTORY.createMapMessage(),
                Exchange.FACTORY.createBytesMessage(),
                Exchange.FACTORY.createObjectMessage(null))) {
            assertThat(Exchange.passed(empty).isBodyAssignableTo(Thread.class)).isTrue();
            assertThat(Exchange.passed(empty).getBody(Thread.class)).isNull();
        }
    }

    private static void assertFits(Message message, Class<?>... classes) throws JMSException {
        for (Class<?> wanted : new Class<?>[] {
            String.class,
            CharSequence.class,
            Map.class,
            HashMap.class,
            byte[].class,
            Integer.class,
            Number.class,
            Serializable.class,
            Object.class,
            Thread.class
        }) {
            boolean fits = Arrays.asList(classes).contains(wanted)
                    || (wanted == Object.class && classes.length > 0)
                    || (message instanceof TextMessage && wanted.isAssignableFrom(String.class));
            assertThat(message.isBodyAssignableTo(wanted))
                    .as("%s as %s", message, wanted)
                    .isEqualTo(fits);
            if (fits) {
                assertThat(message.<Object>getBody(asObjectClass(wanted))).isNotNull();
            } else {
                assertThatThrownBy(() -> message.getBody(wanted)).isInstanceOf(MessageFormatException.class);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static Class<Object> asObjectClass(Class<?> type) {
        return (Class<Object>) type;
    }

    @Test
    @DisplayName("API getBody: a BytesMessage is reset by it, a MapMessage gives a copy")
    void gettingABodyLeavesTheMessageAsItWas() throws JMSException {
        BytesMessage bytes = Exchange.FACTORY.createBytesMessage();
        bytes.writeShort((short) 0x0708);
        BytesMessage received = Exchange.passed(bytes);
        received.readByte();

        assertThat(received.getBody(byte[].class)).containsExactly(7, 8);
        assertThat(received.readByte()).isEqualTo((byte) 7);
        MapMessage map = Exchange.FACTORY.createMapMessage();
        map.setInt("a", 1);
        map.getBody(Map.class).clear();
        assertThat(map.getInt("a")).isEqualTo(1);
    }
}
