package io.mainstem.mqtt.raw;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A packet from the server, read field by field in the order of the standard. */
public final class Received {
    private final int first;
    private final ByteBuffer body;
    private final byte[] bytes;

    Received(int first, byte[] bytes) {
        this.first = first;
        this.bytes = bytes;
        this.body = ByteBuffer.wrap(bytes);
    }

    public int type() {
        return first >> 4;
    }

    public int flags() {
        return first & 15;
    }

    public int size() {
        return bytes.length;
    }

    public int u8() {
        return body.get() & 255;
    }

    public int u16() {
        return body.getShort() & 0xffff;
    }

    public long u32() {
        return body.getInt() & 0xffff_ffffL;
    }

    public int varint() {
        int value = 0;
        for (int shift = 0; ; shift += 7) {
            int next = u8();
            value |= (next & 127) << shift;
            if (next < 128) {
                return value;
            }
        }
    }

    public String text() {
        return new String(binary(), StandardCharsets.UTF_8);
    }

    public byte[] binary() {
        byte[] data = new byte[u16()];
        body.get(data);
        return data;
    }

    public byte[] rest() {
        byte[] data = new byte[body.remaining()];
        body.get(data);
        return data;
    }

    public int remaining() {
        return body.remaining();
    }

    /** The properties at this place; each as {@code code=value} with numbers in decimal, texts as they are, bytes in hex. */
    public List<String> properties() {
        int end = varint();
        end += body.position();
        List<String> found = new ArrayList<>();
        while (body.position() < end) {
            int code = u8();
            found.add(String.format("%02x=", code) + value(code));
        }
        return found;
    }

    private String value(int code) {
        return switch (code) {
            case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A -> String.valueOf(u8());
            case 0x13, 0x21, 0x22, 0x23 -> String.valueOf(u16());
            case 0x02, 0x11, 0x18, 0x27 -> String.valueOf(u32());
            case 0x0B -> String.valueOf(varint());
            case 0x09, 0x16 -> HexFormat.of().formatHex(binary());
            case 0x26 -> text() + ":" + text();
            default -> text();
        };
    }

    @Override
    public String toString() {
        return "type " + type() + " flags " + flags() + " " + HexFormat.of().formatHex(bytes);
    }
}
