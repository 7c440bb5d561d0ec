package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BindingSpec;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.jspecify.annotations.Nullable;

/** Arguments of queues, exchanges and bindings, between AMQP 1.0 and the model; what comes in goes out equal. */
final class Arguments {
    private Arguments() {}

    /** @param value as decoded; null = presence only */
    static Object toModel(String name, @Nullable Object value) {
        if (value == null) {
            return BindingSpec.VOID;
        }
        if (value instanceof Symbol symbol) {
            return symbol.toString();
        }
        if (value instanceof Binary binary) {
            byte[] bytes = new byte[binary.getLength()];
            System.arraycopy(binary.getArray(), binary.getArrayOffset(), bytes, 0, bytes.length);
            return bytes;
        }
        if (value instanceof UnsignedByte || value instanceof UnsignedShort || value instanceof UnsignedInteger) {
            return ((Number) value).longValue();
        }
        if (value instanceof UnsignedLong number && number.longValue() >= 0) {
            return number.longValue();
        }
        boolean same = value instanceof String
                || value instanceof Boolean
                || value instanceof Byte
                || value instanceof Short
                || value instanceof Integer
                || value instanceof Long
                || value instanceof Float
                || value instanceof Double;
        if (!same) {
            throw RequestException.bad("argument '" + name + "' of type "
                    + value.getClass().getSimpleName() + " (expected: string, number, boolean, binary or null)");
        }
        return value;
    }

    /** For a response, in the order of names. */
    static Map<String, @Nullable Object> toWire(Map<String, Object> arguments) {
        Map<String, @Nullable Object> wire = new LinkedHashMap<>();
        new TreeMap<>(arguments).forEach((name, value) -> {
            if (value == BindingSpec.VOID) {
                wire.put(name, null);
            } else {
                wire.put(name, value instanceof byte[] bytes ? new Binary(bytes) : value);
            }
        });
        return wire;
    }
}
