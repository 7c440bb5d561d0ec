package io.mainstem.mqtt.raw;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Fields of MQTT packets, one behind the other; also illegal ones. */
public final class Bytes {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    public static Bytes of(int... values) {
        return new Bytes().u8(values);
    }

    public Bytes u8(int... values) {
        for (int value : values) {
            out.write(value);
        }
        return this;
    }

    public Bytes u16(int value) {
        return u8(value >> 8, value);
    }

    public Bytes u32(long value) {
        return u16((int) (value >> 16)).u16((int) value);
    }

    public Bytes varint(int value) {
        int rest = value;
        while (rest > 127) {
            u8((rest & 127) | 128);
            rest >>= 7;
        }
        return u8(rest);
    }

    public Bytes raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    /** UTF-8 with a length before it. */
    public Bytes text(String text) {
        return binary(text.getBytes(StandardCharsets.UTF_8));
    }

    public Bytes binary(byte[] bytes) {
        return u16(bytes.length).raw(bytes);
    }

    /** Properties with their length before them. */
    public Bytes properties(Bytes properties) {
        byte[] content = properties.toArray();
        return varint(content.length).raw(content);
    }

    /** A user property. */
    public Bytes user(String name, String value) {
        return u8(0x26).text(name).text(value);
    }

    public byte[] toArray() {
        return out.toByteArray();
    }

    /** As a whole packet. */
    public byte[] packet(int firstByte) {
        return Bytes.of(firstByte).varint(out.size()).raw(toArray()).toArray();
    }
}
