package io.mainstem.jms.message.value;

import jakarta.jms.MessageFormatException;
import org.jspecify.annotations.Nullable;

/**
 * One value of a message with the conversions that Jakarta Messaging 3.5.4 (properties) and 3.11.3 (map and stream
 * bodies) allow; everything else is a {@link MessageFormatException}. A missing value and null read as a number do what
 * {@code valueOf(null)} does.
 *
 * @param place "property", "map item" or "stream element", for the error
 * @param name which one
 * @param value a boxed primitive, a String, a {@code byte[]} or null
 */
public record TypedValue(
        String place, String name, @Nullable Object value) {
    public boolean asBoolean() throws MessageFormatException {
        if (value instanceof Boolean bool) {
            return bool;
        }
        return Boolean.parseBoolean(text("boolean"));
    }

    public byte asByte() throws MessageFormatException {
        if (value instanceof Byte number) {
            return number;
        }
        return Byte.parseByte(text("byte"));
    }

    public short asShort() throws MessageFormatException {
        if (value instanceof Byte || value instanceof Short) {
            return ((Number) value).shortValue();
        }
        return Short.parseShort(text("short"));
    }

    public int asInt() throws MessageFormatException {
        if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
            return ((Number) value).intValue();
        }
        return Integer.parseInt(text("int"));
    }

    public long asLong() throws MessageFormatException {
        if (value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long) {
            return ((Number) value).longValue();
        }
        return Long.parseLong(text("long"));
    }

    public float asFloat() throws MessageFormatException {
        if (value instanceof Float number) {
            return number;
        }
        return Float.parseFloat(text("float"));
    }

    public double asDouble() throws MessageFormatException {
        if (value instanceof Float || value instanceof Double) {
            return ((Number) value).doubleValue();
        }
        return Double.parseDouble(text("double"));
    }

    public char asChar() throws MessageFormatException {
        if (value instanceof Character character) {
            return character;
        }
        if (value == null) {
            throw new NullPointerException(place + " '" + name + "' is null or missing; wanted a char");
        }
        throw MessageErrors.noConversion(this, "char");
    }

    public @Nullable String asString() throws MessageFormatException {
        if (value instanceof byte[]) {
            throw MessageErrors.noConversion(this, "String");
        }
        return value == null ? null : value.toString();
    }

    /** A copy: what the caller does to it does not show in the message. */
    public byte @Nullable [] asBytes() throws MessageFormatException {
        if (value == null || value instanceof byte[]) {
            return value == null ? null : ((byte[]) value).clone();
        }
        throw MessageErrors.noConversion(this, "byte[]");
    }

    /** The value itself; a {@code byte[]} is copied. */
    public @Nullable Object asObject() {
        return value instanceof byte[] bytes ? bytes.clone() : value;
    }

    /** The text to parse. The parsers of the JDK answer null as {@code valueOf(null)} does, so it may be null. */
    private @Nullable String text(String wanted) throws MessageFormatException {
        if (value != null && !(value instanceof String)) {
            throw MessageErrors.noConversion(this, wanted);
        }
        return (String) value;
    }
}
