package io.mainstem.jms.message.section;

import java.io.Serializable;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Decimal128;
import org.apache.qpid.proton.amqp.Decimal32;
import org.apache.qpid.proton.amqp.Decimal64;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.jspecify.annotations.Nullable;

/** AMQP types and the types that JMS knows ([mapping 3.3]). */
public final class AmqpValues {
    private AmqpValues() {}

    /** A property: no char, no nested values. The result is null for null and for what a property cannot hold. */
    public static @Nullable Object toProperty(@Nullable Object amqp) {
        Object value = toElement(amqp);
        if (value instanceof Character) {
            return value.toString();
        }
        return value instanceof List || value instanceof Map ? null : value;
    }

    /** An entry of a map or a stream: the types of Jakarta Messaging; lists and maps of other senders stay what they are. */
    static @Nullable Object toElement(@Nullable Object amqp) {
        if (amqp instanceof UUID || amqp instanceof BigDecimal) {
            return amqp.toString();
        }
        if (amqp instanceof Date date) {
            return msOf(date);
        }
        Object value = toJava(amqp);
        return value instanceof UUID || value instanceof BigDecimal ? value.toString() : value;
    }

    /** The object of an ObjectMessage that was encoded in AMQP's own types: plain values of the JDK, all serialisable. */
    static @Nullable Serializable toJava(@Nullable Object amqp) {
        if (amqp instanceof UnsignedByte || amqp instanceof UnsignedShort || amqp instanceof UnsignedInteger) {
            return widened((Number) amqp);
        }
        if (amqp instanceof UnsignedLong number) {
            return number.longValue() >= 0 ? (Serializable) number.longValue() : number.toString();
        }
        if (amqp instanceof Binary binary) {
            return bytesOf(binary);
        }
        if (amqp instanceof Symbol symbol) {
            return symbol.toString();
        }
        if (amqp instanceof Decimal32 || amqp instanceof Decimal64 || amqp instanceof Decimal128) {
            return DecimalText.of((Number) amqp);
        }
        if (amqp instanceof Map<?, ?> map) {
            LinkedHashMap<Object, @Nullable Object> result = new LinkedHashMap<>();
            map.forEach((key, value) -> result.put(String.valueOf(toJava(key)), toJava(value)));
            return result;
        }
        if (amqp instanceof List<?> list) {
            ArrayList<@Nullable Object> result = new ArrayList<>(list.size());
            list.forEach(value -> result.add(toJava(value)));
            return result;
        }
        if (amqp instanceof Object[] array) {
            ArrayList<@Nullable Object> result = new ArrayList<>(array.length);
            for (Object value : array) {
                result.add(toJava(value));
            }
            return result;
        }
        if (amqp instanceof DescribedType described) {
            return toJava(described.getDescribed());
        }
        // what is left is plain (Boolean, Integer, String, UUID, Date ...) or an array of primitives
        return amqp instanceof Serializable plain ? plain : amqp == null ? null : amqp.toString();
    }

    private static Serializable widened(Number unsigned) {
        if (unsigned instanceof UnsignedByte) {
            return unsigned.shortValue();
        }
        return unsigned instanceof UnsignedShort
                ? (Serializable) unsigned.intValue()
                : (Serializable) unsigned.longValue();
    }

    /** A JMS value for the encoder. */
    public static @Nullable Object toAmqp(@Nullable Object value) {
        return value instanceof byte[] bytes ? new Binary(bytes) : value;
    }

    public static long msOf(Date time) {
        return time.toInstant().toEpochMilli();
    }

    static byte[] bytesOf(Binary binary) {
        byte[] bytes = new byte[binary.getLength()];
        System.arraycopy(binary.getArray(), binary.getArrayOffset(), bytes, 0, bytes.length);
        return bytes;
    }
}
