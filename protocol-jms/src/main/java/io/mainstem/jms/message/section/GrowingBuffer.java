package io.mainstem.jms.message.section;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.codec.WritableBuffer;

/** Bytes that grow as the encoder writes them. Thread: one. */
public final class GrowingBuffer implements WritableBuffer {
    /** Largest array every JVM gives. */
    private static final int BYTES_MAX = Integer.MAX_VALUE - 8;

    private byte[] bytes;
    private int position;

    /** @param bytesExpected room to begin with */
    public GrowingBuffer(int bytesExpected) {
        bytes = new byte[bytesExpected];
    }

    /** What was written; the array goes with it and is not written again. */
    public ByteBuffer finished() {
        return ByteBuffer.wrap(bytes, 0, position).slice();
    }

    @Override
    public void put(byte b) {
        ensureRemaining(1);
        bytes[position++] = b;
    }

    @Override
    public void putShort(short value) {
        put((byte) (value >> 8));
        put((byte) value);
    }

    @Override
    public void putInt(int value) {
        ensureRemaining(4);
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes[position++] = (byte) (value >> shift);
        }
    }

    @Override
    public void putLong(long value) {
        putInt((int) (value >> 32));
        putInt((int) value);
    }

    @Override
    public void putFloat(float value) {
        putInt(Float.floatToRawIntBits(value));
    }

    @Override
    public void putDouble(double value) {
        putLong(Double.doubleToRawLongBits(value));
    }

    @Override
    public void put(byte[] src, int offset, int length) {
        ensureRemaining(length);
        System.arraycopy(src, offset, bytes, position, length);
        position += length;
    }

    @Override
    public void put(ByteBuffer payload) {
        int length = payload.remaining();
        ensureRemaining(length);
        payload.get(bytes, position, length);
        position += length;
    }

    @Override
    public void put(ReadableBuffer payload) {
        payload.get(this);
    }

    @Override
    public void put(String value) {
        requireWholeCharacters(value);
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        put(utf8, 0, utf8.length);
    }

    /** The JDK would write a question mark instead, one byte where the encoder announced three. */
    private static void requireWholeCharacters(String value) {
        for (int i = 0; i < value.length(); i++) {
            char unit = value.charAt(i);
            if (Character.isSurrogate(unit)) {
                boolean pair = Character.isHighSurrogate(unit)
                        && i + 1 < value.length()
                        && Character.isLowSurrogate(value.charAt(i + 1));
                if (!pair) {
                    throw new IllegalArgumentException("text has half a character (surrogate) at index " + i);
                }
                i++;
            }
        }
    }

    @Override
    public boolean hasRemaining() {
        return position < BYTES_MAX;
    }

    @Override
    public int remaining() {
        return BYTES_MAX - position;
    }

    @Override
    public void ensureRemaining(int length) {
        if (length > bytes.length - position) {
            if (length > remaining()) {
                throw new IllegalArgumentException("message: more than " + BYTES_MAX + " bytes");
            }
            long doubled = Math.max(2L * bytes.length, (long) position + length);
            bytes = Arrays.copyOf(bytes, (int) Math.min(doubled, BYTES_MAX));
        }
    }

    @Override
    public int position() {
        return position;
    }

    /** The encoder goes back to fill in a length, and forth again. */
    @Override
    public void position(int position) {
        ensureRemaining(Math.max(0, position - this.position));
        this.position = position;
    }

    @Override
    public int limit() {
        return BYTES_MAX;
    }
}
