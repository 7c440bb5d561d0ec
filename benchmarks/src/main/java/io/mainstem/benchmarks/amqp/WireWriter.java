package io.mainstem.benchmarks.amqp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Encodes AMQP 1.0 frames into one buffer. The caller sees to it that there is room. Thread: one. */
final class WireWriter {
    private static final int FRAME_HEADER_BYTES = 8;
    private static final int LIST_32 = 0xD0;

    private final ByteBuffer out;

    WireWriter(int capacityBytes) {
        this.out = ByteBuffer.allocateDirect(capacityBytes);
    }

    /** The buffer, to be flipped and written by the connection. */
    ByteBuffer buffer() {
        return out;
    }

    /**
     * Begins a frame with a performative; its fields follow.
     *
     * @param type 0 AMQP, 1 SASL
     * @return to be given to {@link #endFrame}
     */
    int beginFrame(int type, int performative) {
        int start = out.position();
        out.putInt(0).put((byte) 2).put((byte) type).putShort((short) 0);
        beginList(performative);
        return start;
    }

    /** Ends performative and frame. */
    void endFrame(int start, int fields) {
        endList(start + FRAME_HEADER_BYTES, fields);
        out.putInt(start, out.position() - start);
    }

    /** Ends performative and frame, with a payload behind the performative. */
    void endFrame(int start, int fields, byte[] payload, int from, int count) {
        endList(start + FRAME_HEADER_BYTES, fields);
        out.put(payload, from, count);
        out.putInt(start, out.position() - start);
    }

    /** A described list; its fields follow. Returns what {@link #endList} wants. */
    int beginList(int descriptor) {
        int start = out.position();
        out.put((byte) 0).put((byte) 0x53).put((byte) descriptor);
        out.put((byte) LIST_32).putInt(0).putInt(0);
        return start;
    }

    void endList(int start, int fields) {
        int sizeAt = start + 4;
        out.putInt(sizeAt, out.position() - sizeAt - 4);
        out.putInt(sizeAt + 4, fields);
    }

    /** A described list without fields, such as an outcome. */
    WireWriter emptyList(int descriptor) {
        out.put((byte) 0).put((byte) 0x53).put((byte) descriptor).put((byte) 0x45);
        return this;
    }

    WireWriter nothing() {
        out.put((byte) 0x40);
        return this;
    }

    WireWriter bool(boolean value) {
        out.put((byte) (value ? 0x41 : 0x42));
        return this;
    }

    WireWriter ubyte(int value) {
        out.put((byte) 0x50).put((byte) value);
        return this;
    }

    WireWriter ushort(int value) {
        out.put((byte) 0x60).putShort((short) value);
        return this;
    }

    WireWriter uint(long value) {
        if (value == 0) {
            out.put((byte) 0x43);
        } else if (value > 0 && value < 256) {
            out.put((byte) 0x52).put((byte) value);
        } else {
            out.put((byte) 0x70).putInt((int) value);
        }
        return this;
    }

    /** A binary of 4 bytes. */
    WireWriter tag(int value) {
        out.put((byte) 0xA0).put((byte) 4).putInt(value);
        return this;
    }

    WireWriter binary(byte[] value) {
        out.put((byte) 0xB0).putInt(value.length).put(value);
        return this;
    }

    WireWriter string(@Nullable String value) {
        if (value == null) {
            return nothing();
        }
        byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        out.put((byte) 0xB1).putInt(bytes.length).put(bytes);
        return this;
    }

    WireWriter symbol(@Nullable String value) {
        if (value == null) {
            return nothing();
        }
        byte[] bytes = value.getBytes(StandardCharsets.US_ASCII);
        out.put((byte) 0xB3).putInt(bytes.length).put(bytes);
        return this;
    }
}
