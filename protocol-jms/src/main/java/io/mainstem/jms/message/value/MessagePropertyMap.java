package io.mainstem.jms.message.value;

import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.MessageNotWriteableException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The properties of one message with their rules (Jakarta Messaging 3.5). Properties that arrive are decoded when the
 * first of them is asked for. Thread: that of its message.
 */
public final class MessagePropertyMap {
    /** Where the properties of a received message come from, asked once. */
    @FunctionalInterface
    public interface Source {
        /** What application-properties, properties and annotations say, under JMS names and with JMS types. */
        Map<String, @Nullable Object> read() throws MessageFormatException;
    }

    private static final long UINT_MAX = 0xffff_ffffL;
    private static final String VALUES_WANTED = "boolean, byte, short, int, long, float, double or String";

    private final boolean strictNames;
    private @Nullable Source source;
    private @Nullable Map<String, @Nullable Object> values;
    private boolean readOnly;

    public MessagePropertyMap(boolean strictNames) {
        this.strictNames = strictNames;
    }

    public void received(Source received) {
        source = received;
        readOnly = true;
    }

    public void clear() {
        source = null;
        values = null;
        readOnly = false;
    }

    public boolean contains(@Nullable String name) throws JMSException {
        return name != null && values().containsKey(name);
    }

    public TypedValue get(@Nullable String name) throws JMSException {
        return name == null
                ? new TypedValue("property", "null", null)
                : new TypedValue("property", name, values().get(name));
    }

    /** What the sender set; not what the broker noted. */
    public List<String> names() throws JMSException {
        return values().keySet().stream()
                .filter(name -> !name.startsWith(PropertyNames.BROKER_PREFIX))
                .toList();
    }

    public void set(@Nullable String name, @Nullable Object value) throws JMSException {
        String checked = PropertyNames.checked(name, strictNames);
        requireWritable();
        put(checked, value);
    }

    /** From a foreign message: names are the other provider's business, what JMS defines itself is set by the sender only. */
    public void copy(String name, @Nullable Object value) throws JMSException {
        if (!name.startsWith(PropertyNames.BROKER_PREFIX) && !name.equals(PropertyNames.DELIVERY_COUNT)) {
            put(name, value);
        }
    }

    private void put(String name, @Nullable Object value) throws JMSException {
        if (!isAllowed(value)) {
            throw MessageErrors.badType("property", name, value, VALUES_WANTED);
        }
        writable().put(name, coerced(new TypedValue("property", name, value)));
    }

    private static @Nullable Object coerced(TypedValue typed) throws JMSException {
        return switch (typed.name()) {
            case PropertyNames.GROUP_SEQUENCE -> typed.value() == null ? null : (Object) typed.asInt();
            case PropertyNames.GROUP_ID, PropertyNames.USER_ID, PropertyNames.APP_ID, PropertyNames.REPLY_TO_GROUP_ID ->
                text(typed);
            case PropertyNames.TTL -> ttl(typed);
            default -> typed.value();
        };
    }

    private static @Nullable Object text(TypedValue typed) throws JMSException {
        if (typed.value() != null && !(typed.value() instanceof String)) {
            throw MessageErrors.noConversion(typed, "String");
        }
        return typed.value();
    }

    private static Long ttl(TypedValue typed) throws JMSException {
        if (typed.value() == null || typed.asLong() < 0 || typed.asLong() > UINT_MAX) {
            throw MessageErrors.badType("property", typed.name(), typed.value(), "0 to " + UINT_MAX + " ms");
        }
        return typed.asLong();
    }

    private static boolean isAllowed(@Nullable Object value) {
        return value == null
                || value instanceof String
                || value instanceof Boolean
                || value instanceof Byte
                || value instanceof Short
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Float
                || value instanceof Double;
    }

    void requireWritable() throws MessageNotWriteableException {
        if (readOnly) {
            throw MessageErrors.readOnly("properties");
        }
    }

    /** All properties in the order they were set. */
    public Map<String, @Nullable Object> all() throws JMSException {
        return values();
    }

    private Map<String, @Nullable Object> values() throws MessageFormatException {
        if (source != null) {
            Map<String, @Nullable Object> read = new LinkedHashMap<>(source.read());
            values = read;
            source = null;
            return read;
        }
        return values == null ? Map.of() : values;
    }

    private Map<String, @Nullable Object> writable() throws MessageFormatException {
        if (values == null) {
            values = new LinkedHashMap<>(values());
        }
        return values;
    }
}
