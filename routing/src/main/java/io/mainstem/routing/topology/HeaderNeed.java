package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import java.nio.ByteBuffer;

/**
 * A header, or a header of one value, so that what compares as equal is equal. Immutable.
 *
 * @param value {@link #PRESENT}, or an integer as long, a floating point number as double, bytes as buffer, any other as it is
 */
record HeaderNeed(String name, Object value) {
    private static final Object PRESENT = new Object();

    /** @param value of a binding's argument, or of a message's header */
    static HeaderNeed of(String name, Object value) {
        return new HeaderNeed(name, value == BindingSpec.VOID ? PRESENT : comparable(value));
    }

    static HeaderNeed presence(String name) {
        return new HeaderNeed(name, PRESENT);
    }

    private static Object comparable(Object value) {
        if (value instanceof byte[] bytes) {
            return ByteBuffer.wrap(bytes);
        }
        if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof Float || value instanceof Double) {
            // -0.0 as 0.0, as == has it.
            return ((Number) value).doubleValue() + 0.0;
        }
        return value;
    }
}
