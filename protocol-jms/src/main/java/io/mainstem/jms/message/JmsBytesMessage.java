package io.mainstem.jms.message;

import io.mainstem.jms.message.section.ContentTypes;
import io.mainstem.jms.message.section.GrowingBuffer;
import io.mainstem.jms.message.section.ReceivedBody;
import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UTFDataFormatException;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Data;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;

/**
 * Bytes, and the primitive types in the form that {@link DataOutputStream} gives them. On the wire an AMQP data section.
 * A read that fails does not move on. Thread: one at a time.
 */
final class JmsBytesMessage extends JmsMessage implements BytesMessage {
    private static final int EMPTY_BYTES = 64;

    private GrowingBuffer written = new GrowingBuffer(EMPTY_BYTES);
    private @Nullable ByteBuffer readable;

    JmsBytesMessage(boolean strictNames) {
        super(strictNames);
    }

    @Override
    MessageKind kind() {
        return MessageKind.BYTES;
    }

    @Override
    String contentType() {
        return ContentTypes.BYTES;
    }

    /** All bytes, whoever wrote them; at the reader's position. */
    private ByteBuffer readable() throws JMSException {
        if (!isBodyReadOnly()) {
            throw MessageErrors.writeOnly();
        }
        ByteBuffer bytes = readable;
        if (bytes == null) {
            bytes = content();
            readable = bytes;
        }
        return bytes;
    }

    private ByteBuffer content() throws MessageFormatException {
        ReceivedBody body = received();
        return body == null ? written.finished() : body.bytes().slice();
    }

    private ByteBuffer require(int bytes, String wanted) throws JMSException {
        ByteBuffer input = readable();
        if (input.remaining() < bytes) {
            throw MessageErrors.endOfBody(wanted);
        }
        return input;
    }

    @Override
    public long getBodyLength() throws JMSException {
        return readable().limit();
    }

    @Override
    public boolean readBoolean() throws JMSException {
        return require(1, "a boolean").get() != 0;
    }

    @Override
    public byte readByte() throws JMSException {
        return require(1, "a byte").get();
    }

    @Override
    public int readUnsignedByte() throws JMSException {
        return require(1, "an unsigned byte").get() & 0xff;
    }

    @Override
    public short readShort() throws JMSException {
        return require(Short.BYTES, "a short").getShort();
    }

    @Override
    public int readUnsignedShort() throws JMSException {
        return require(Short.BYTES, "an unsigned short").getShort() & 0xffff;
    }

    @Override
    public char readChar() throws JMSException {
        return require(Character.BYTES, "a char").getChar();
    }

    @Override
    public int readInt() throws JMSException {
        return require(Integer.BYTES, "an int").getInt();
    }

    @Override
    public long readLong() throws JMSException {
        return require(Long.BYTES, "a long").getLong();
    }

    @Override
    public float readFloat() throws JMSException {
        return require(Float.BYTES, "a float").getFloat();
    }

    @Override
    public double readDouble() throws JMSException {
        return require(Double.BYTES, "a double").getDouble();
    }

    @Override
    public String readUTF() throws JMSException {
        ByteBuffer input = require(Short.BYTES, "the length of a UTF string");
        int bytes = Short.BYTES + (input.getShort(input.position()) & 0xffff);
        require(bytes, "a UTF string of " + bytes + " bytes");
        byte[] encoded = new byte[bytes];
        input.duplicate().get(encoded);
        try {
            String text = new DataInputStream(new ByteArrayInputStream(encoded)).readUTF();
            input.position(input.position() + bytes);
            return text;
        } catch (UTFDataFormatException malformed) {
            throw MessageErrors.malformed("UTF string", malformed);
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public int readBytes(byte[] target) throws JMSException {
        return readBytes(target, target.length);
    }

    @Override
    public int readBytes(byte[] target, int length) throws JMSException {
        if (length < 0 || length > target.length) {
            throw new IndexOutOfBoundsException("length " + length + " for an array of " + target.length + " bytes");
        }
        ByteBuffer input = readable();
        if (!input.hasRemaining() && length > 0) {
            return -1;
        }
        int count = Math.min(length, input.remaining());
        input.get(target, 0, count);
        return count;
    }

    private GrowingBuffer writable() throws JMSException {
        requireBodyWritable();
        return written;
    }

    @Override
    public void writeBoolean(boolean value) throws JMSException {
        writable().put((byte) (value ? 1 : 0));
    }

    @Override
    public void writeByte(byte value) throws JMSException {
        writable().put(value);
    }

    @Override
    public void writeShort(short value) throws JMSException {
        writable().putShort(value);
    }

    @Override
    public void writeChar(char value) throws JMSException {
        writable().putShort((short) value);
    }

    @Override
    public void writeInt(int value) throws JMSException {
        writable().putInt(value);
    }

    @Override
    public void writeLong(long value) throws JMSException {
        writable().putLong(value);
    }

    @Override
    public void writeFloat(float value) throws JMSException {
        writable().putFloat(value);
    }

    @Override
    public void writeDouble(double value) throws JMSException {
        writable().putDouble(value);
    }

    @Override
    public void writeUTF(String value) throws JMSException {
        GrowingBuffer target = writable();
        ByteArrayOutputStream encoded = new ByteArrayOutputStream(value.length() + Short.BYTES);
        try {
            new DataOutputStream(encoded).writeUTF(value);
        } catch (UTFDataFormatException tooLong) {
            throw MessageErrors.badType("body", "writeUTF", value, "a text of at most 65535 bytes");
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        target.put(encoded.toByteArray(), 0, encoded.size());
    }

    @Override
    public void writeBytes(byte[] value) throws JMSException {
        writeBytes(value, 0, value.length);
    }

    @Override
    public void writeBytes(byte[] value, int offset, int length) throws JMSException {
        if (offset < 0 || length < 0 || length > value.length - offset) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + ", length " + length + " of an array of " + value.length + " bytes");
        }
        writable().put(value, offset, length);
    }

    @Override
    public void writeObject(Object value) throws JMSException {
        requireBodyWritable();
        if (value == null) {
            throw new NullPointerException("a BytesMessage cannot hold null");
        }
        if (value instanceof String text) {
            writeUTF(text);
        } else if (value instanceof byte[] bytes) {
            writeBytes(bytes);
        } else if (value instanceof Boolean bool) {
            writeBoolean(bool);
        } else if (value instanceof Character character) {
            writeChar(character);
        } else {
            writeNumber(value);
        }
    }

    private void writeNumber(Object value) throws JMSException {
        if (value instanceof Byte number) {
            writeByte(number);
        } else if (value instanceof Short number) {
            writeShort(number);
        } else if (value instanceof Integer number) {
            writeInt(number);
        } else if (value instanceof Long number) {
            writeLong(number);
        } else if (value instanceof Float number) {
            writeFloat(number);
        } else if (value instanceof Double number) {
            writeDouble(number);
        } else {
            throw MessageErrors.badType("body", "writeObject", value, "a boxed primitive, String or byte[]");
        }
    }

    @Override
    public void reset() {
        makeBodyReadOnly();
        readable = null;
    }

    @Override
    void bodyTaken() {
        reset();
    }

    @Override
    void dropBody() {
        written = new GrowingBuffer(EMPTY_BYTES);
        readable = null;
    }

    @Override
    List<Section> bodySections() throws JMSException {
        ByteBuffer bytes = content();
        return List.of(new Data(new Binary(bytes.array(), bytes.arrayOffset(), bytes.remaining())));
    }

    @Override
    @Nullable
    Object bodyValue() throws MessageFormatException {
        ByteBuffer bytes = content();
        if (!bytes.hasRemaining()) {
            return null;
        }
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return copy;
    }

    @Override
    boolean fits(Object body, Class<?> wanted) {
        return wanted == byte[].class || wanted == Object.class;
    }
}
