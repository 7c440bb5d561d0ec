package io.mainstem.benchmarks.amqp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Decodes AMQP 1.0 values: whole numbers as Long, floating ones as their bits, string and symbol as String, binary as
 * byte[], list, array and map as Object[], a described value as {@link Described}. Thread: any.
 */
final class WireReader {
    /** A value with its descriptor, a Long or a String. */
    record Described(Object descriptor, @Nullable Object value) {
        /** The numeric descriptor, or -1. */
        int code() {
            return descriptor instanceof Long code ? code.intValue() : -1;
        }
    }

    private WireReader() {}

    /** Reads the next value. */
    static @Nullable Object value(ByteBuffer in) {
        int constructor = in.get() & 0xFF;
        if (constructor == 0) {
            Object descriptor = value(in);
            return new Described(descriptor == null ? "null" : descriptor, value(in));
        }
        return value(in, constructor);
    }

    private static @Nullable Object value(ByteBuffer in, int constructor) {
        return switch (constructor >>> 4) {
            case 0x4 -> emptyValue(constructor);
            case 0x5 -> constructor == 0x56 ? (Object) (in.get() != 0) : small(in.get(), constructor);
            case 0x6 -> (long) (in.getShort() & 0xFFFF);
            case 0x7 -> (long) in.getInt() & 0xFFFF_FFFFL;
            case 0x8 -> in.getLong();
            case 0x9 -> new long[] {in.getLong(), in.getLong()};
            case 0xA -> bytes(in, constructor, in.get() & 0xFF);
            case 0xB -> bytes(in, constructor, in.getInt());
            case 0xC -> elements(skip(in, 1), in.get() & 0xFF);
            case 0xD -> elements(skip(in, 4), in.getInt());
            case 0xE -> array(skip(in, 1), in.get() & 0xFF);
            case 0xF -> array(skip(in, 4), in.getInt());
            default ->
                throw new LoadException("constructor 0x" + Integer.toHexString(constructor) + " (expected: AMQP 1.0)");
        };
    }

    // The size in bytes, which only those need who want to pass over the value.
    private static ByteBuffer skip(ByteBuffer in, int bytes) {
        return in.position(in.position() + bytes);
    }

    private static @Nullable Object emptyValue(int constructor) {
        return switch (constructor) {
            case 0x41 -> true;
            case 0x42 -> false;
            case 0x43, 0x44 -> 0L;
            case 0x45 -> new Object[0];
            default -> null;
        };
    }

    private static Long small(byte value, int constructor) {
        boolean signed = constructor == 0x51 || constructor == 0x54 || constructor == 0x55;
        return signed ? (long) value : value & 0xFFL;
    }

    private static Object bytes(ByteBuffer in, int constructor, int count) {
        byte[] bytes = new byte[count];
        in.get(bytes);
        return (constructor & 0x0F) == 0 ? bytes : new String(bytes, StandardCharsets.UTF_8);
    }

    private static @Nullable Object[] elements(ByteBuffer in, int count) {
        @Nullable Object[] elements = new Object[count];
        for (int i = 0; i < count; i++) {
            elements[i] = value(in);
        }
        return elements;
    }

    private static @Nullable Object[] array(ByteBuffer in, int count) {
        int constructor = in.get() & 0xFF;
        @Nullable Object[] elements = new Object[count];
        for (int i = 0; i < count; i++) {
            elements[i] = value(in, constructor);
        }
        return elements;
    }
}
