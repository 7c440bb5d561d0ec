package io.mainstem.mqtt.wire;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** The body of one packet, read field by field; nothing is read beyond its end. Thread: one. */
final class PacketBytes {
    private static final int VARINT_BYTES_MAX = 4;

    private final ByteBuf in;
    private int end;

    /** @param end index behind the last byte */
    PacketBytes(ByteBuf in, int end) {
        this.in = in;
        this.end = end;
    }

    int remaining() {
        return end - in.readerIndex();
    }

    int u8() {
        need(1);
        return in.readUnsignedByte();
    }

    int u16() {
        need(2);
        return in.readUnsignedShort();
    }

    long u32() {
        need(4);
        return in.readUnsignedInt();
    }

    /** Variable byte integer (1.5.5), at most four bytes and no longer than needed [MQTT-1.5.5-1]. */
    int varint() {
        int value = 0;
        for (int i = 0; i < VARINT_BYTES_MAX; i++) {
            int next = u8();
            value |= (next & 0x7F) << (7 * i);
            if (next < 0x80) {
                if (next == 0 && i > 0) {
                    throw MqttViolation.malformed("a variable byte integer is longer than needed");
                }
                return value;
            }
        }
        throw MqttViolation.malformed("a variable byte integer has more than 4 bytes");
    }

    byte[] binary() {
        byte[] bytes = new byte[checked(u16())];
        in.readBytes(bytes);
        return bytes;
    }

    /** All that is left. */
    byte[] rest() {
        byte[] bytes = new byte[remaining()];
        in.readBytes(bytes);
        return bytes;
    }

    /** UTF-8 string without surrogates, overlong forms and NUL [MQTT-1.5.4-1], [MQTT-1.5.4-2]. */
    String text(String what) {
        int length = checked(u16());
        int from = in.readerIndex();
        in.skipBytes(length);
        String text =
                isAscii(from, length) ? in.toString(from, length, StandardCharsets.US_ASCII) : utf8(what, from, length);
        if (text.indexOf(0) >= 0) {
            throw MqttViolation.malformed(what + " holds NUL");
        }
        return text;
    }

    /** The same fields, but only the next {@code length} bytes; {@link #leave} ends that. */
    int enter(int length) {
        int outer = end;
        end = in.readerIndex() + checked(length);
        return outer;
    }

    void leave(int outer) {
        end = outer;
    }

    void expectEnd(PacketType type) {
        if (remaining() != 0) {
            throw MqttViolation.malformed(type + " has " + remaining() + " bytes too many");
        }
    }

    private boolean isAscii(int from, int length) {
        for (int i = from; i < from + length; i++) {
            if (in.getByte(i) < 0) {
                return false;
            }
        }
        return true;
    }

    private String utf8(String what, int from, int length) {
        byte[] bytes = new byte[length];
        in.getBytes(from, bytes);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notUtf8) {
            throw new MqttViolation(Reason.MALFORMED_PACKET, "MS-0601 malformed packet: " + what + " is not UTF-8");
        }
    }

    private int checked(int length) {
        need(length);
        return length;
    }

    private void need(int bytes) {
        if (remaining() < bytes) {
            throw MqttViolation.malformed(
                    "a field of " + bytes + " bytes (expected: at most " + remaining() + ", to the end of the packet)");
        }
    }
}
