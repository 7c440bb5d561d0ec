package io.mainstem.jms.message.value;

import jakarta.jms.MessageFormatException;
import org.jspecify.annotations.Nullable;

/** What an entry of a map or a stream may be when it is given as Object (Jakarta Messaging 3.11.3). */
public final class ElementTypes {
    private static final String WANTED = "a boxed primitive, String or byte[]";

    private ElementTypes() {}

    /** The value, a {@code byte[]} copied. */
    public static @Nullable Object checked(String place, String name, @Nullable Object value)
            throws MessageFormatException {
        if (value instanceof byte[] bytes) {
            return bytes.clone();
        }
        if (value == null
                || value instanceof String
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Byte
                || value instanceof Short
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Float
                || value instanceof Double) {
            return value;
        }
        throw MessageErrors.badType(place, name, value, WANTED);
    }
}
