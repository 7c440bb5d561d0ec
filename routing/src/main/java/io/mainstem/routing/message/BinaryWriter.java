package io.mainstem.routing.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A growing byte array with the primitives of the broker's own records and of AMQP values. Thread: one. */
public final class BinaryWriter {
    private byte[] bytes;
    private int size;

    /**
     * Empty.
     *
     * @param expected bytes to make room for at first
     */
    public BinaryWriter(int expected) {
        bytes = new byte[Math.max(16, expected)];
    }

    /** Bytes written so far. */
    public int size() {
        return size;
    }

    /** A copy of what was written. */
    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    /** Writes the low eight bits. */
    public BinaryWriter u8(int value) {
        room(1);
        bytes[size++] = (byte) value;
        return this;
    }

    /** Writes the low 16 bits, big-endian. */
    public BinaryWriter i16(int value) {
        return u8(value >>> 8).u8(value);
    }

    /** Writes 32 bits, big-endian. */
    public BinaryWriter i32(int value) {
        return i16(value >>> 16).i16(value);
    }

    /** Writes 64 bits, big-endian. */
    public BinaryWriter i64(long value) {
        return i32((int) (value >>> 32)).i32((int) value);
    }

    /** Writes 1 to 10 bytes, seven bits each, low bits first; the value is taken as unsigned. */
    public BinaryWriter varint(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            u8(((int) rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        return u8((int) rest);
    }

    /** Writes the bytes alone. */
    public BinaryWriter raw(byte[] source) {
        return raw(source, 0, source.length);
    }

    /** Writes {@code length} bytes alone. */
    public BinaryWriter raw(byte[] source, int offset, int length) {
        room(length);
        System.arraycopy(source, offset, bytes, size, length);
        size += length;
        return this;
    }

    /** Writes a varint length and the bytes. */
    public BinaryWriter blob(byte[] source) {
        return varint(source.length).raw(source);
    }

    /** Writes a varint length and the text in UTF-8. */
    public BinaryWriter text(String text) {
        return blob(text.getBytes(StandardCharsets.UTF_8));
    }

    private void room(int more) {
        if (bytes.length - size < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(size, more)));
        }
    }
}
