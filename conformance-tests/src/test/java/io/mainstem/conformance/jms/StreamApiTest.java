package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.JMSException;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotReadableException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of StreamMessage, sentence by sentence. */
final class StreamApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    private static StreamMessage message(JmsClient client) throws JMSException {
        return OPEN.session(client).createStreamMessage();
    }

    private static StreamMessage passed(JmsClient client, StreamMessage message) throws JMSException {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("stream"));
        session.createProducer(queue).send(message);
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            return (StreamMessage) consumer.receive(Names.WAIT_MS);
        }
    }

    private static ThrowingCallable[] readers(StreamMessage message) {
        return new ThrowingCallable[] {
            message::readBoolean,
            message::readByte,
            message::readShort,
            message::readChar,
            message::readInt,
            message::readLong,
            message::readFloat,
            message::readDouble,
            message::readString,
            message::readObject,
            () -> message.readBytes(new byte[1])
        };
    }

    private static ThrowingCallable[] writers(StreamMessage message) {
        return new ThrowingCallable[] {
            () -> message.writeBoolean(true),
            () -> message.writeByte((byte) 1),
            () -> message.writeShort((short) 1),
            () -> message.writeChar('c'),
            () -> message.writeInt(1),
            () -> message.writeLong(1),
            () -> message.writeFloat(1),
            () -> message.writeDouble(1),
            () -> message.writeString("text"),
            () -> message.writeBytes(new byte[1]),
            () -> message.writeBytes(new byte[2], 1, 1),
            () -> message.writeObject("text")
        };
    }

    @AllClients
    @Clause({
        "StreamMessage.writeBoolean: read as written",
        "StreamMessage.writeByte: read as written",
        "StreamMessage.writeShort: read as written",
        "StreamMessage.writeChar: read as written",
        "StreamMessage.writeInt: read as written",
        "StreamMessage.writeLong: read as written",
        "StreamMessage.writeFloat: read as written",
        "StreamMessage.writeDouble: read as written",
        "StreamMessage.writeString: read as written",
        "StreamMessage.writeBytes: a part of an array",
        "StreamMessage.writeObject: equivalent to the method of the primitive type",
        "StreamMessage.readObject: in objectified format",
        "StreamMessage.reset: repositions to the beginning"
    })
    void everyWriterHasItsReader(JmsClient client) throws Exception {
        StreamMessage primitive = message(client);
        primitive.writeBoolean(true);
        primitive.writeByte((byte) 1);
        primitive.writeShort((short) 2);
        primitive.writeChar('c');
        primitive.writeInt(3);
        primitive.writeLong(4);
        primitive.writeFloat(5.5f);
        primitive.writeDouble(6.5);
        primitive.writeString("text");
        primitive.writeBytes(new byte[] {1, 2, 3}, 1, 2);
        StreamMessage objects = message(client);
        List<Object> values = List.of(true, (byte) 1, (short) 2, 'c', 3, 4L, 5.5f, 6.5, "text", new byte[] {2, 3});
        for (Object value : values) {
            objects.writeObject(value);
        }
        for (StreamMessage message : List.of(primitive, objects, passed(client, objects))) {
            message.reset();
            for (Object value : values) {
                assertThat(message.readObject()).isEqualTo(value);
            }
            message.reset();
            assertThat(message.readBoolean()).isTrue();
            assertThat(message.readByte()).isEqualTo((byte) 1);
            assertThat(message.readShort()).isEqualTo((short) 2);
            assertThat(message.readChar()).isEqualTo('c');
            assertThat(message.readInt()).isEqualTo(3);
            assertThat(message.readLong()).isEqualTo(4);
            assertThat(message.readFloat()).isEqualTo(5.5f);
            assertThat(message.readDouble()).isEqualTo(6.5);
            assertThat(message.readString()).isEqualTo("text");
        }
    }

    @AllClients
    @Clause({
        "StreamMessage: write-only when created and after clearBody",
        "StreamMessage.readX: MessageNotReadableException in write-only mode"
    })
    void aNewOrClearedMessageIsWriteOnly(JmsClient client) throws Exception {
        StreamMessage created = message(client);
        StreamMessage cleared = message(client);
        cleared.writeInt(1);
        cleared.reset();
        cleared.clearBody();
        for (StreamMessage message : List.of(created, cleared)) {
            Refused.allWith(MessageNotReadableException.class, readers(message));
            message.writeInt(1);
        }
    }

    @AllClients
    @Clause({
        "StreamMessage: read-only after reset and when received",
        "StreamMessage.writeX: MessageNotWriteableException in read-only mode",
        "StreamMessage.readX: MessageEOFException at the end",
        "StreamMessage.readBytes: MessageEOFException at the end",
        "StreamMessage.readObject: MessageEOFException at the end"
    })
    void aResetOrReceivedMessageIsReadOnly(JmsClient client) throws Exception {
        StreamMessage reset = message(client);
        reset.reset();
        for (StreamMessage message : List.of(reset, passed(client, message(client)))) {
            Refused.allWith(MessageNotWriteableException.class, writers(message));
            Refused.allWith(MessageEOFException.class, readers(message));
        }
    }

    @AllClients
    @Clause({
        "StreamMessage.readBytes: as many as the array takes, then the rest",
        "StreamMessage.readBytes: -1 after a piece as long as the array if no more bytes are there",
        "StreamMessage.readBytes: -1 for a null value",
        "StreamMessage.readBytes: 0 for an empty value",
        "StreamMessage.readBytes: the next field only after the whole value, MessageFormatException before",
        "StreamMessage.readObject: MessageFormatException within a byte field",
        "StreamMessage.readBytes: MessageFormatException for a field of another type"
    })
    void byteFieldsAreReadByPieces(JmsClient client) throws Exception {
        StreamMessage message = message(client);
        message.writeBytes(new byte[] {1, 2, 3, 4});
        message.writeObject(null);
        message.writeBytes(new byte[0]);
        message.writeString("text");
        message.reset();
        byte[] two = new byte[2];
        assertThat(message.readBytes(two)).isEqualTo(2);
        assertThat(two).containsExactly(1, 2);
        Refused.allWith(MessageFormatException.class, message::readString, message::readInt, message::readObject);
        assertThat(message.readBytes(two)).isEqualTo(2);
        assertThat(two).containsExactly(3, 4);
        assertThat(message.readBytes(two)).isEqualTo(-1);
        assertThat(message.readBytes(two)).as("null").isEqualTo(-1);
        assertThat(message.readBytes(two)).as("empty").isZero();
        Refused.allWith(MessageFormatException.class, () -> message.readBytes(two));
        assertThat(message.readString()).isEqualTo("text");
    }

    @AllClients
    @Clause({
        "StreamMessage.readX: a null value is read by the valueOf of its type",
        "StreamMessage.readChar: NullPointerException for a null value",
        "StreamMessage.readX: a read that fails does not move on"
    })
    void nullsAreReadAsTheirTypesValueOf(JmsClient client) throws Exception {
        StreamMessage message = message(client);
        for (int i = 0; i < 3; i++) {
            message.writeString(null);
        }
        message.reset();
        Refused.allWith(
                NumberFormatException.class,
                message::readByte,
                message::readShort,
                message::readInt,
                message::readLong);
        Refused.allWith(NullPointerException.class, message::readFloat, message::readDouble, message::readChar);
        assertThat(message.readBoolean()).isFalse();
        assertThat(message.readString()).isNull();
        assertThat(message.readObject()).isNull();
    }

    @AllClients
    @Clause("StreamMessage.writeObject: MessageFormatException for other classes")
    void otherObjectsAreNotWritten(JmsClient client) throws Exception {
        StreamMessage message = message(client);
        Refused.allWith(
                MessageFormatException.class,
                () -> message.writeObject(List.of()),
                () -> message.writeObject(new int[1]));
        message.reset();
        Refused.allWith(MessageEOFException.class, message::readObject);
    }
}
