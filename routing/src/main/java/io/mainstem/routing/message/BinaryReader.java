package io.mainstem.routing.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads what {@link BinaryWriter} wrote; every length is checked against the bytes that remain before anything is
 * allocated [D-5]. Throws {@link MalformedMessageException} only. Thread: one.
 */
public final class BinaryReader {
    private final byte[] bytes;
    private final int end;
    private int at;

    /** Reads the whole array, which is borrowed. */
    public BinaryReader(byte[] bytes) {
        this(bytes, 0, bytes.length);
    }

    /** Reads {@code length} bytes from {@code offset}; the array is borrowed. */
    public BinaryReader(byte[] bytes, int offset, int length) {
        this.bytes = bytes;
        this.at = offset;
        this.end = offset + length;
    }

    /** Bytes not read yet. */
    public int remaining() {
        return end - at;
    }

    /** 0 to 255. */
    public int u8() {
        need(1);
        return bytes[at++] & 0xFF;
    }

    /** 64 bits, big-endian. */
    public long i64() {
        need(8);
        long value = 0;
        for (int i = 0; i < 8; i++) {
            value = value << 8 | (bytes[at++] & 0xFF);
        }
        return value;
    }

    /** The counterpart of {@link BinaryWriter#varint}. */
    public long varint() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = u8();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new MalformedMessageException("number of more than 10 bytes at byte " + at);
    }

    /** A varint that counts things of at least one byte each; never more than {@link #remaining}. */
    public int count() {
        long count = varint();
        if (count < 0 || count > remaining()) {
            throw new MalformedMessageException("count " + Long.toUnsignedString(count) + " with " + remaining()
                    + " bytes remaining at byte " + at + " (expected: at most that many)");
        }
        return (int) count;
    }

    /** A varint in 0 to {@code max}. */
    public int number(int max) {
        long value = varint();
        if (value < 0 || value > max) {
            throw new MalformedMessageException(
                    "number " + Long.toUnsignedString(value) + " at byte " + at + " (expected: 0 to " + max + ")");
        }
        return (int) value;
    }

    /** The counterpart of {@link BinaryWriter#blob}. */
    public byte[] blob() {
        int length = count();
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }

    /** The counterpart of {@link BinaryWriter#text}; bytes that are not UTF-8 become U+FFFD. */
    public String text() {
        int length = count();
        at += length;
        return new String(bytes, at - length, length, StandardCharsets.UTF_8);
    }

    /** Refuses bytes after the end of a record. */
    public void expectEnd() {
        if (remaining() != 0) {
            throw new MalformedMessageException(remaining() + " bytes after the end of the record at byte " + at);
        }
    }

    private void need(int count) {
        if (remaining() < count) {
            throw new MalformedMessageException("end of bytes at byte " + at + " (expected: " + count + " more)");
        }
    }
}
