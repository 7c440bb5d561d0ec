package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageEOFException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotReadableException;
import jakarta.jms.MessageNotWriteableException;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The API documentation of BytesMessage, sentence by sentence. */
final class BytesApiTest {
    @RegisterExtension
    static final OpenConnections OPEN = new OpenConnections();

    private static BytesMessage message(JmsClient client) throws JMSException {
        return OPEN.session(client).createBytesMessage();
    }

    private static ThrowingCallable[] readers(BytesMessage message) {
        return new ThrowingCallable[] {
            message::readBoolean,
            message::readByte,
            message::readUnsignedByte,
            message::readShort,
            message::readUnsignedShort,
            message::readChar,
            message::readInt,
            message::readLong,
            message::readFloat,
            message::readDouble,
            message::readUTF
        };
    }

    private static ThrowingCallable[] writers(BytesMessage message) {
        return new ThrowingCallable[] {
            () -> message.writeBoolean(true),
            () -> message.writeByte((byte) 1),
            () -> message.writeShort((short) 1),
            () -> message.writeChar('c'),
            () -> message.writeInt(1),
            () -> message.writeLong(1),
            () -> message.writeFloat(1),
            () -> message.writeDouble(1),
            () -> message.writeUTF("text"),
            () -> message.writeBytes(new byte[1]),
            () -> message.writeBytes(new byte[2], 1, 1),
            () -> message.writeObject("text")
        };
    }

    @AllClients
    @Clause({
        "BytesMessage.writeBoolean: read as written",
        "BytesMessage.writeByte: read as written",
        "BytesMessage.writeShort: read as written",
        "BytesMessage.writeChar: read as written",
        "BytesMessage.writeInt: read as written",
        "BytesMessage.writeLong: read as written",
        "BytesMessage.writeFloat: read as written",
        "BytesMessage.writeDouble: read as written",
        "BytesMessage.writeUTF: read as written",
        "BytesMessage.writeBytes: a part of an array",
        "BytesMessage.writeObject: equivalent to the method of the primitive type",
        "BytesMessage.readUnsignedShort: the two bytes unsigned"
    })
    void everyWriterHasItsReader(JmsClient client) throws Exception {
        BytesMessage primitive = message(client);
        primitive.writeBoolean(true);
        primitive.writeByte((byte) -2);
        primitive.writeShort((short) -3);
        primitive.writeShort((short) -3);
        primitive.writeChar('c');
        primitive.writeInt(4);
        primitive.writeLong(5);
        primitive.writeFloat(6.5f);
        primitive.writeDouble(7.5);
        primitive.writeUTF("text");
        primitive.writeBytes(new byte[] {1, 2, 3}, 1, 2);
        BytesMessage objects = message(client);
        for (Object value :
                List.of(true, (byte) -2, (short) -3, (short) -3, 'c', 4, 5L, 6.5f, 7.5, "text", new byte[] {2, 3})) {
            objects.writeObject(value);
        }
        for (BytesMessage message : List.of(primitive, objects)) {
            message.reset();
            assertThat(message.readBoolean()).isTrue();
            assertThat(message.readByte()).isEqualTo((byte) -2);
            assertThat(message.readShort()).isEqualTo((short) -3);
            assertThat(message.readUnsignedShort()).isEqualTo(65_533);
            assertThat(message.readChar()).isEqualTo('c');
            assertThat(message.readInt()).isEqualTo(4);
            assertThat(message.readLong()).isEqualTo(5);
            assertThat(message.readFloat()).isEqualTo(6.5f);
            assertThat(message.readDouble()).isEqualTo(7.5);
            assertThat(message.readUTF()).isEqualTo("text");
            byte[] rest = new byte[2];
            assertThat(message.readBytes(rest)).isEqualTo(2);
            assertThat(rest).containsExactly(2, 3);
        }
    }

    @AllClients
    @Clause({
        "BytesMessage: write-only when created and after clearBody",
        "BytesMessage.readX: MessageNotReadableException in write-only mode",
        "BytesMessage.readBytes: MessageNotReadableException in write-only mode",
        "BytesMessage.getBodyLength: MessageNotReadableException in write-only mode"
    })
    void aNewOrClearedMessageIsWriteOnly(JmsClient client) throws Exception {
        BytesMessage created = message(client);
        BytesMessage cleared = message(client);
        cleared.writeInt(1);
        cleared.reset();
        cleared.clearBody();
        for (BytesMessage message : List.of(created, cleared)) {
            Refused.allWith(MessageNotReadableException.class, readers(message));
            Refused.allWith(
                    MessageNotReadableException.class,
                    () -> message.readBytes(new byte[1]),
                    () -> message.readBytes(new byte[1], 1),
                    message::getBodyLength);
            message.writeInt(1);
        }
    }

    @AllClients
    @Clause({
        "BytesMessage: read-only after reset and when received",
        "BytesMessage.writeX: MessageNotWriteableException in read-only mode",
        "BytesMessage.writeObject: MessageNotWriteableException in read-only mode",
        "BytesMessage.readX: MessageEOFException at the end"
    })
    void aResetOrReceivedMessageIsReadOnly(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("bytes"));
        BytesMessage reset = message(client);
        reset.reset();
        session.createProducer(queue).send(message(client));
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            BytesMessage received = (BytesMessage) consumer.receive(Names.WAIT_MS);
            for (BytesMessage message : List.of(reset, received)) {
                Refused.allWith(MessageNotWriteableException.class, writers(message));
                Refused.allWith(MessageEOFException.class, readers(message));
                assertThat(message.getBodyLength()).isZero();
                assertThat(message.readBytes(new byte[1])).isEqualTo(-1);
            }
        }
    }

    @AllClients
    @Clause({
        "BytesMessage.readBytes: fills the array while bytes remain",
        "BytesMessage.readBytes: fewer than asked at the end, then -1",
        "BytesMessage.readBytes: not beyond the given length",
        "BytesMessage.readBytes: IndexOutOfBoundsException for a negative or too large length, nothing read"
    })
    void bytesAreReadByPieces(JmsClient client) throws Exception {
        BytesMessage message = message(client);
        message.writeBytes(new byte[] {1, 2, 3, 4, 5, 6});
        message.reset();
        byte[] two = new byte[2];
        Refused.allWith(
                IndexOutOfBoundsException.class, () -> message.readBytes(two, -1), () -> message.readBytes(two, 3));
        assertThat(message.readBytes(two)).isEqualTo(2);
        assertThat(two).containsExactly(1, 2);
        assertThat(message.readBytes(two, 1)).isEqualTo(1);
        assertThat(two).containsExactly(3, 2);
        byte[] four = new byte[4];
        assertThat(message.readBytes(four)).isEqualTo(3);
        assertThat(four).containsExactly(4, 5, 6, 0);
        assertThat(message.readBytes(four)).isEqualTo(-1);
    }

    @AllClients
    @Clause({
        "BytesMessage.writeObject: MessageFormatException for other classes",
        "BytesMessage.writeObject: NullPointerException for null"
    })
    void otherObjectsAreNotWritten(JmsClient client) throws Exception {
        BytesMessage message = message(client);
        Refused.allWith(
                MessageFormatException.class,
                () -> message.writeObject(List.of()),
                () -> message.writeObject(new int[1]),
                () -> message.writeObject(new Byte[0]));
        Refused.allWith(NullPointerException.class, () -> message.writeObject(null));
        message.reset();
        assertThat(message.getBodyLength()).isZero();
    }

    @AllClients
    @Clause({
        "BytesMessage.reset: repositions to the beginning",
        "BytesMessage.clearBody: empties the body",
        "Message.getBody: resets a BytesMessage before and after"
    })
    void resetBeginsAnew(JmsClient client) throws Exception {
        BytesMessage message = message(client);
        message.writeInt(7);
        message.writeInt(8);
        message.reset();
        assertThat(message.readInt()).isEqualTo(7);
        message.reset();
        assertThat(message.readInt()).isEqualTo(7);
        assertThat(message.getBody(byte[].class)).hasSize(8);
        assertThat(message.readInt()).isEqualTo(7);
        message.clearBody();
        message.reset();
        assertThat(message.getBodyLength()).isZero();
    }

    @AllClients
    @Clause({
        "BytesMessage: the sender may modify and send it again",
        "BytesMessage: reset when passed to a CompletionListener"
    })
    void aSentMessageIsTheSendersAgain(JmsClient client) throws Exception {
        Session session = OPEN.session(client);
        Queue queue = session.createQueue(Names.unique("bytes"));
        BytesMessage message = message(client);
        message.writeInt(1);
        CompletableFuture<Integer> told = new CompletableFuture<>();
        session.createProducer(queue).send(message, new CompletionListener() {
            @Override
            public void onCompletion(Message sent) {
                try {
                    told.complete(((BytesMessage) sent).readInt());
                } catch (JMSException e) {
                    told.completeExceptionally(e);
                }
            }

            @Override
            public void onException(Message sent, Exception failure) {
                told.completeExceptionally(failure);
            }
        });
        assertThat(told.get(Names.WAIT_MS, TimeUnit.MILLISECONDS)).isEqualTo(1);
        message.clearBody();
        message.writeInt(2);
        session.createProducer(queue).send(message);
        try (MessageConsumer consumer = session.createConsumer(queue)) {
            assertThat(((BytesMessage) consumer.receive(Names.WAIT_MS)).readInt())
                    .isEqualTo(1);
            assertThat(((BytesMessage) consumer.receive(Names.WAIT_MS)).readInt())
                    .isEqualTo(2);
        }
    }
}
