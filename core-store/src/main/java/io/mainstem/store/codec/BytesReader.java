package io.mainstem.store.codec;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Reads what {@link BytesWriter} wrote; every step is checked and fails with {@link MalformedException}. Thread: one. */
public final class BytesReader {
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final byte[] bytes;
    private final int end;
    private int at;

    public BytesReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    /** @param end exclusive */
    public BytesReader(byte[] bytes, int from, int end) {
        this.bytes = bytes;
        this.at = from;
        this.end = end;
    }

    public int u8() {
        need(1);
        return bytes[at++] & 0xFF;
    }

    public int u32() {
        need(4);
        int value = (int) INT.get(bytes, at);
        at += 4;
        return value;
    }

    public long u64() {
        need(8);
        long value = (long) LONG.get(bytes, at);
        at += 8;
        return value;
    }

    /** See {@link BytesWriter#varint}. */
    public long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int b = u8();
            value |= (long) (b & 0x7F) << shift;
            if (b < 0x80) {
                return value;
            }
        }
        throw malformed("varint of more than 10 bytes");
    }

    /** A varint that must be in [0, max]. */
    public long varint(long max) {
        long value = varint();
        if (value < 0 || value > max) {
            throw malformed("number " + Long.toUnsignedString(value) + " above " + max);
        }
        return value;
    }

    /** A count of things that take at least {@code bytesEach} bytes of what is left; so it cannot ask for much memory. */
    public int count(int bytesEach) {
        return (int) varint((end - at) / Math.max(1, bytesEach));
    }

    /** See {@link BytesWriter#zigzag}. */
    public long zigzag() {
        long value = varint();
        return value >>> 1 ^ -(value & 1);
    }

    /** See {@link BytesWriter#block}. */
    public byte[] block() {
        return raw(count(1));
    }

    public byte[] raw(int count) {
        need(count);
        byte[] value = Arrays.copyOfRange(bytes, at, at + count);
        at += count;
        return value;
    }

    /** All that is left. */
    public byte[] rest() {
        return raw(end - at);
    }

    public void skip(int count) {
        need(count);
        at += count;
    }

    public int position() {
        return at;
    }

    public int remaining() {
        return end - at;
    }

    /** Fails unless everything was read. */
    public void expectEnd() {
        if (at != end) {
            throw malformed(end - at + " bytes too many");
        }
    }

    /** The exception to throw for what is wrong at the current position. */
    public MalformedException malformed(String problem) {
        return new MalformedException(problem, at);
    }

    private void need(int count) {
        if (count < 0 || end - at < count) {
            throw malformed("ends early, " + count + " bytes wanted, " + (end - at) + " left");
        }
    }
}
