package io.mainstem.jms.message;

import io.mainstem.jms.message.section.AmqpValues;
import io.mainstem.jms.message.section.ReceivedBody;
import io.mainstem.jms.message.value.ElementTypes;
import io.mainstem.jms.message.value.MessageErrors;
import io.mainstem.jms.message.value.TypedValue;
import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.StreamMessage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.proton.amqp.messaging.AmqpSequence;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;

/** Values one after another. On the wire an AMQP sequence. A read that fails does not move on. Thread: one at a time. */
final class JmsStreamMessage extends JmsMessage implements StreamMessage {
    private static final String PLACE = "stream element";
    private static final int NOT_INSIDE = -1;

    private @Nullable List<@Nullable Object> elements;
    private int position;
    /** How much of the {@code byte[]} at {@link #position} was read, or {@link #NOT_INSIDE}. */
    private int bytesRead = NOT_INSIDE;

    JmsStreamMessage(boolean strictNames) {
        super(strictNames);
    }

    @Override
    MessageKind kind() {
        return MessageKind.STREAM;
    }

    private List<@Nullable Object> elements() throws MessageFormatException {
        if (elements == null) {
            ReceivedBody body = received();
            elements = body == null ? new ArrayList<>() : body.list();
        }
        return elements;
    }

    /** The next element, without moving on. */
    private TypedValue peek() throws JMSException {
        requireBodyReadable();
        if (bytesRead != NOT_INSIDE) {
            throw MessageErrors.insideBytes();
        }
        return next();
    }

    private TypedValue next() throws JMSException {
        if (position >= elements().size()) {
            throw MessageErrors.endOfBody("another element");
        }
        return new TypedValue(PLACE, Integer.toString(position), elements().get(position));
    }

    private void requireBodyReadable() throws JMSException {
        if (!isBodyReadOnly()) {
            throw MessageErrors.writeOnly();
        }
    }

    @Override
    public boolean readBoolean() throws JMSException {
        boolean value = peek().asBoolean();
        position++;
        return value;
    }

    @Override
    public byte readByte() throws JMSException {
        byte value = peek().asByte();
        position++;
        return value;
    }

    @Override
    public short readShort() throws JMSException {
        short value = peek().asShort();
        position++;
        return value;
    }

    @Override
    public char readChar() throws JMSException {
        char value = peek().asChar();
        position++;
        return value;
    }

    @Override
    public int readInt() throws JMSException {
        int value = peek().asInt();
        position++;
        return value;
    }

    @Override
    public long readLong() throws JMSException {
        long value = peek().asLong();
        position++;
        return value;
    }

    @Override
    public float readFloat() throws JMSException {
        float value = peek().asFloat();
        position++;
        return value;
    }

    @Override
    public double readDouble() throws JMSException {
        double value = peek().asDouble();
        position++;
        return value;
    }

    @Override
    public @Nullable String readString() throws JMSException {
        String value = peek().asString();
        position++;
        return value;
    }

    @Override
    public @Nullable Object readObject() throws JMSException {
        Object value = peek().asObject();
        position++;
        return value;
    }

    /**
     * The element is read to its end when fewer bytes than the array holds came back, or -1. A null element gives -1 at
     * once.
     */
    @Override
    public int readBytes(byte[] target) throws JMSException {
        requireBodyReadable();
        TypedValue element = next();
        if (element.value() != null && !(element.value() instanceof byte[])) {
            throw MessageErrors.noConversion(element, "byte[]");
        }
        byte[] bytes = (byte[]) element.value();
        int from = bytesRead == NOT_INSIDE ? 0 : bytesRead;
        if (bytes == null || (bytesRead != NOT_INSIDE && from == bytes.length && target.length > 0)) {
            finishElement();
            return -1;
        }
        int count = Math.min(target.length, bytes.length - from);
        System.arraycopy(bytes, from, target, 0, count);
        bytesRead = from + count;
        if (count < target.length) {
            finishElement();
        }
        return count;
    }

    private void finishElement() {
        position++;
        bytesRead = NOT_INSIDE;
    }

    private void write(@Nullable Object value) throws JMSException {
        requireBodyWritable();
        elements().add(value);
    }

    @Override
    public void writeBoolean(boolean value) throws JMSException {
        write(value);
    }

    @Override
    public void writeByte(byte value) throws JMSException {
        write(value);
    }

    @Override
    public void writeShort(short value) throws JMSException {
        write(value);
    }

    @Override
    public void writeChar(char value) throws JMSException {
        write(value);
    }

    @Override
    public void writeInt(int value) throws JMSException {
        write(value);
    }

    @Override
    public void writeLong(long value) throws JMSException {
        write(value);
    }

    @Override
    public void writeFloat(float value) throws JMSException {
        write(value);
    }

    @Override
    public void writeDouble(double value) throws JMSException {
        write(value);
    }

    @Override
    public void writeString(@Nullable String value) throws JMSException {
        write(value);
    }

    @Override
    public void writeBytes(byte @Nullable [] value) throws JMSException {
        write(value == null ? null : value.clone());
    }

    @Override
    public void writeBytes(byte[] value, int offset, int length) throws JMSException {
        if (offset < 0 || length < 0 || length > value.length - offset) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + ", length " + length + " of an array of " + value.length + " bytes");
        }
        write(Arrays.copyOfRange(value, offset, offset + length));
    }

    @Override
    public void writeObject(@Nullable Object value) throws JMSException {
        write(ElementTypes.checked(PLACE, Integer.toString(elements().size()), value));
    }

    @Override
    public void reset() {
        makeBodyReadOnly();
        position = 0;
        bytesRead = NOT_INSIDE;
    }

    @Override
    void dropBody() {
        elements = null;
        position = 0;
        bytesRead = NOT_INSIDE;
    }

    @Override
    List<Section> bodySections() throws JMSException {
        List<@Nullable Object> body = new ArrayList<>(elements().size());
        elements().forEach(value -> body.add(AmqpValues.toAmqp(value)));
        return List.of(new AmqpSequence(body));
    }

    @Override
    Object bodyValue() throws JMSException {
        return elements();
    }

    /** A stream is read by its read methods only (3.11.1). */
    @Override
    boolean fits(Object body, Class<?> wanted) {
        return false;
    }
}
