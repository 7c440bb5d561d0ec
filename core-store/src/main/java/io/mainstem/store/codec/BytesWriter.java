package io.mainstem.store.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Grows an array of bytes. Fixed-size numbers are little-endian. Thread: one. */
public final class BytesWriter {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes;
    private int size;

    public BytesWriter(int capacity) {
        this.bytes = new byte[Math.max(16, capacity)];
    }

    public BytesWriter u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    public BytesWriter u32(int value) {
        room(4);
        INT.set(bytes, size, value);
        size += 4;
        return this;
    }

    public BytesWriter u64(long value) {
        room(8);
        LONG.set(bytes, size, value);
        size += 8;
        return this;
    }

    /** An unsigned number, 7 bits a byte, lowest first: 1 byte below 128, 10 at most. */
    public BytesWriter varint(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[size++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[size++] = (byte) rest;
        return this;
    }

    /** A signed number as {@link #varint}, small magnitudes short. */
    public BytesWriter zigzag(long value) {
        return varint(value << 1 ^ value >> 63);
    }

    public BytesWriter raw(byte[] value) {
        return raw(value, 0, value.length);
    }

    public BytesWriter raw(byte[] value, int from, int count) {
        room(count);
        System.arraycopy(value, from, bytes, size, count);
        size += count;
        return this;
    }

    /** Length as varint, then the bytes. */
    public BytesWriter block(byte[] value) {
        return varint(value.length).raw(value);
    }

    /** Bytes written so far. */
    public int size() {
        return size;
    }

    /** A copy of what was written. */
    public byte[] toBytes() {
        return Arrays.copyOf(bytes, size);
    }

    /** The array behind, valid up to {@link #size} and until the next write. */
    public byte[] array() {
        return bytes;
    }

    /** Forgets what was written, keeps the memory. */
    public void clear() {
        size = 0;
    }

    private void room(int count) {
        if (bytes.length - size < count) {
            bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, count), bytes.length + (bytes.length >> 1)));
        }
    }
}
