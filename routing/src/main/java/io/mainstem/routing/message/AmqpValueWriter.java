package io.mainstem.routing.message;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Encodes AMQP 1.0 values (part 1, 1.6) in their shortest form. Thread: one. */
public final class AmqpValueWriter {
    private final BinaryWriter out = new BinaryWriter(64);

    /** What was written. */
    public byte[] toByteArray() {
        return out.toByteArray();
    }

    /** Bytes written so far. */
    public int size() {
        return out.size();
    }

    /** The constructor of a section: {@code 0x00 0x53 code}; its value follows. */
    public AmqpValueWriter descriptor(int code) {
        out.u8(AmqpTypes.DESCRIBED).u8(AmqpTypes.ULONG_SMALL).u8(code);
        return this;
    }

    /** null. */
    public AmqpValueWriter nothing() {
        out.u8(AmqpTypes.NULL);
        return this;
    }

    /** A ubyte, 0 to 255. */
    public AmqpValueWriter ubyte(int value) {
        out.u8(AmqpTypes.UBYTE).u8(value);
        return this;
    }

    /** A uint, 0 to 2^32 - 1. */
    public AmqpValueWriter uint(long value) {
        if (value == 0) {
            out.u8(AmqpTypes.UINT_0);
        } else if (value < 256) {
            out.u8(AmqpTypes.UINT_SMALL).u8((int) value);
        } else {
            out.u8(AmqpTypes.UINT).i32((int) value);
        }
        return this;
    }

    /** A symbol; ASCII by contract. */
    public AmqpValueWriter symbol(String text) {
        return variable(AmqpTypes.SYMBOL_8, text.getBytes(StandardCharsets.UTF_8));
    }

    /** An encoded value as it is. */
    public AmqpValueWriter raw(byte[] encoded) {
        out.raw(encoded);
        return this;
    }

    /** A list of {@code count} values that {@code fields} holds. */
    public AmqpValueWriter list(int count, AmqpValueWriter fields) {
        if (count == 0) {
            out.u8(AmqpTypes.LIST_0);
            return this;
        }
        return compound(AmqpTypes.LIST_8, count, fields);
    }

    /** A map of {@code pairs} keys and values that {@code entries} holds. */
    public AmqpValueWriter map(int pairs, AmqpValueWriter entries) {
        return compound(AmqpTypes.MAP_8, 2 * pairs, entries);
    }

    /**
     * A value by its Java type: Boolean, Byte, Short, Integer (int), Long, Float, Double, String (string), Instant
     * (timestamp), UUID, byte[], List, Map with String keys (as symbols), or null.
     *
     * @throws IllegalArgumentException for any other type
     */
    public AmqpValueWriter value(@Nullable Object value) {
        if (value == null) {
            return nothing();
        } else if (value instanceof String text) {
            return variable(AmqpTypes.STRING_8, text.getBytes(StandardCharsets.UTF_8));
        } else if (value instanceof Boolean flag) {
            out.u8(flag ? AmqpTypes.TRUE : AmqpTypes.FALSE);
        } else if (value instanceof Number number) {
            number(number);
        } else if (value instanceof byte[] binary) {
            return variable(AmqpTypes.BINARY_8, binary);
        } else if (value instanceof Instant instant) {
            out.u8(AmqpTypes.TIMESTAMP).i64(instant.toEpochMilli());
        } else if (value instanceof UUID uuid) {
            out.u8(AmqpTypes.UUID).i64(uuid.getMostSignificantBits()).i64(uuid.getLeastSignificantBits());
        } else if (value instanceof List<?> list) {
            AmqpValueWriter fields = new AmqpValueWriter();
            list.forEach(fields::value);
            return list(list.size(), fields);
        } else if (value instanceof Map<?, ?> map) {
            AmqpValueWriter entries = new AmqpValueWriter();
            map.forEach((key, each) -> entries.symbol(String.valueOf(key)).value(each));
            return map(map.size(), entries);
        } else {
            throw new IllegalArgumentException(
                    "no AMQP type for " + value.getClass().getName());
        }
        return this;
    }

    private void number(Number value) {
        if (value instanceof Long || value instanceof Integer) {
            boolean wide = value instanceof Long;
            long number = value.longValue();
            if (number == (byte) number) {
                out.u8(wide ? AmqpTypes.LONG_SMALL : AmqpTypes.INT_SMALL).u8((int) number);
            } else if (wide) {
                out.u8(AmqpTypes.LONG).i64(number);
            } else {
                out.u8(AmqpTypes.INT).i32((int) number);
            }
        } else if (value instanceof Short number) {
            out.u8(AmqpTypes.SHORT).i16(number);
        } else if (value instanceof Byte number) {
            out.u8(AmqpTypes.BYTE).u8(number);
        } else if (value instanceof Float number) {
            out.u8(AmqpTypes.FLOAT).i32(Float.floatToIntBits(number));
        } else if (value instanceof Double number) {
            out.u8(AmqpTypes.DOUBLE).i64(Double.doubleToLongBits(number));
        } else {
            throw new IllegalArgumentException(
                    "no AMQP type for " + value.getClass().getName());
        }
    }

    private AmqpValueWriter variable(int narrowCode, byte[] data) {
        if (data.length < 256) {
            out.u8(narrowCode).u8(data.length);
        } else {
            out.u8(narrowCode | 0x10).i32(data.length);
        }
        out.raw(data);
        return this;
    }

    private AmqpValueWriter compound(int narrowCode, int count, AmqpValueWriter content) {
        int size = content.size();
        if (count < 256 && size < 255) {
            out.u8(narrowCode).u8(size + 1).u8(count);
        } else {
            out.u8(narrowCode | 0x10).i32(size + 4).i32(count);
        }
        out.raw(content.toByteArray());
        return this;
    }
}
