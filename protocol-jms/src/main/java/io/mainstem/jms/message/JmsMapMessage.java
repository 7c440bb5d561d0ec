package io.mainstem.jms.message;

import io.mainstem.jms.message.section.AmqpValues;
import io.mainstem.jms.message.section.ReceivedBody;
import io.mainstem.jms.message.value.ElementTypes;
import io.mainstem.jms.message.value.MessageErrors;
import io.mainstem.jms.message.value.TypedValue;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.MessageFormatException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;

/** Names and values, in the order they were set. On the wire an AMQP map. Thread: one at a time. */
final class JmsMapMessage extends JmsMessage implements MapMessage {
    private static final String PLACE = "map item";

    private @Nullable Map<String, @Nullable Object> items;

    JmsMapMessage(boolean strictNames) {
        super(strictNames);
    }

    @Override
    MessageKind kind() {
        return MessageKind.MAP;
    }

    private Map<String, @Nullable Object> items() throws MessageFormatException {
        if (items == null) {
            ReceivedBody body = received();
            items = body == null ? new LinkedHashMap<>() : body.map();
        }
        return items;
    }

    private TypedValue get(@Nullable String name) throws JMSException {
        return new TypedValue(PLACE, checked(name), items().get(name));
    }

    private void put(@Nullable String name, @Nullable Object value) throws JMSException {
        String checked = checked(name);
        requireBodyWritable();
        items().put(checked, value);
    }

    private static String checked(@Nullable String name) {
        if (name == null || name.isEmpty()) {
            throw MessageErrors.badName(PLACE, name, "at least one character");
        }
        return name;
    }

    @Override
    public boolean getBoolean(String name) throws JMSException {
        return get(name).asBoolean();
    }

    @Override
    public byte getByte(String name) throws JMSException {
        return get(name).asByte();
    }

    @Override
    public short getShort(String name) throws JMSException {
        return get(name).asShort();
    }

    @Override
    public char getChar(String name) throws JMSException {
        return get(name).asChar();
    }

    @Override
    public int getInt(String name) throws JMSException {
        return get(name).asInt();
    }

    @Override
    public long getLong(String name) throws JMSException {
        return get(name).asLong();
    }

    @Override
    public float getFloat(String name) throws JMSException {
        return get(name).asFloat();
    }

    @Override
    public double getDouble(String name) throws JMSException {
        return get(name).asDouble();
    }

    @Override
    public @Nullable String getString(String name) throws JMSException {
        return get(name).asString();
    }

    @Override
    public byte @Nullable [] getBytes(String name) throws JMSException {
        return get(name).asBytes();
    }

    @Override
    public @Nullable Object getObject(String name) throws JMSException {
        return get(name).asObject();
    }

    @Override
    public Enumeration<String> getMapNames() throws JMSException {
        return Collections.enumeration(new ArrayList<>(items().keySet()));
    }

    @Override
    public void setBoolean(String name, boolean value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setByte(String name, byte value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setShort(String name, short value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setChar(String name, char value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setInt(String name, int value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setLong(String name, long value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setFloat(String name, float value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setDouble(String name, double value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setString(String name, @Nullable String value) throws JMSException {
        put(name, value);
    }

    @Override
    public void setBytes(String name, byte @Nullable [] value) throws JMSException {
        put(name, value == null ? null : value.clone());
    }

    @Override
    public void setBytes(String name, byte[] value, int offset, int length) throws JMSException {
        if (offset < 0 || length < 0 || length > value.length - offset) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + ", length " + length + " of an array of " + value.length + " bytes");
        }
        put(name, Arrays.copyOfRange(value, offset, offset + length));
    }

    @Override
    public void setObject(String name, @Nullable Object value) throws JMSException {
        put(name, ElementTypes.checked(PLACE, checked(name), value));
    }

    @Override
    public boolean itemExists(String name) throws JMSException {
        return items().containsKey(name);
    }

    @Override
    void dropBody() {
        items = null;
    }

    @Override
    List<Section> bodySections() throws JMSException {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        items().forEach((name, value) -> body.put(name, AmqpValues.toAmqp(value)));
        return List.of(new AmqpValue(body));
    }

    /** A copy of the whole map: changes of it do not show in the message. */
    @Override
    @Nullable
    Object bodyValue() throws MessageFormatException {
        if (items().isEmpty()) {
            return null;
        }
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        items().forEach((name, value) -> copy.put(name, new TypedValue(PLACE, name, value).asObject()));
        return copy;
    }

    @Override
    boolean fits(Object body, Class<?> wanted) {
        return wanted == Map.class || wanted == Object.class;
    }
}
