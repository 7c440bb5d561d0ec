package io.mainstem.transport.websocket;

/** The header of one frame of a client after the other, byte by byte (RFC 6455, 5.2). Thread: the connection's event loop. */
final class FrameHeader {
    static final int CONTINUATION = 0;
    static final int TEXT = 1;
    static final int BINARY = 2;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;

    /** Of a control frame's payload (5.5). */
    static final int CONTROL_BYTES_MAX = 125;

    private static final int FINAL = 0x80;
    private static final int RESERVED = 0x70;
    private static final int OPCODE = 0x0F;
    private static final int MASKED = 0x80;
    private static final int LENGTH_16 = 126;
    private static final int LENGTH_64 = 127;
    private static final int KEY_BYTES = 4;

    private int have;
    private int lengthBytes;
    private int opcode;
    private boolean last;
    private long length;
    private int key;
    /** A binary message has begun and its last frame has not come. */
    private boolean withinMessage;

    /** Takes the next byte; true if it was the last one. @throws FrameViolation */
    boolean add(int next) {
        if (have == 0) {
            first(next);
        } else if (have == 1) {
            second(next);
        } else if (have < 2 + lengthBytes) {
            length = length << Byte.SIZE | next;
        } else {
            key = key << Byte.SIZE | next;
        }
        have++;
        if (lengthBytes > 0 && have == 2 + lengthBytes) {
            checkLength();
        }
        return isComplete();
    }

    boolean isComplete() {
        return have > 1 && have == 2 + lengthBytes + KEY_BYTES;
    }

    /** The frame is over: the next byte begins another. */
    void next() {
        have = 0;
        lengthBytes = 0;
    }

    private void first(int next) {
        opcode = next & OPCODE;
        last = (next & FINAL) != 0;
        if ((next & RESERVED) != 0) {
            throw FrameViolation.protocol("reserved bits are set, and no extension was agreed on");
        }
        switch (opcode) {
            case CONTINUATION -> {
                if (!withinMessage) {
                    throw FrameViolation.protocol("a continuation of no message");
                }
            }
            case BINARY -> {
                if (withinMessage) {
                    throw FrameViolation.protocol("a message within another one");
                }
            }
            case TEXT -> throw FrameViolation.type("a text message (expected: binary ones)");
            case CLOSE, PING, PONG -> {
                if (!last) {
                    throw FrameViolation.protocol("a control frame in fragments");
                }
            }
            default -> throw FrameViolation.protocol("opcode " + opcode + " is reserved");
        }
        if (!isControl()) {
            withinMessage = !last;
        }
    }

    private void second(int next) {
        if ((next & MASKED) == 0) {
            throw FrameViolation.protocol("a frame that is not masked");
        }
        int said = next & ~MASKED;
        if (isControl() && said > CONTROL_BYTES_MAX) {
            throw FrameViolation.protocol("a control frame of more than " + CONTROL_BYTES_MAX + " bytes");
        }
        lengthBytes = said == LENGTH_16 ? Short.BYTES : said == LENGTH_64 ? Long.BYTES : 0;
        length = lengthBytes == 0 ? said : 0;
        key = 0;
    }

    private void checkLength() {
        if (length < 0) {
            throw FrameViolation.protocol("the highest bit of a length is set");
        }
        if (length < LENGTH_16 || (lengthBytes == Long.BYTES && length < 1 << Short.SIZE)) {
            throw FrameViolation.protocol(
                    "a length of " + length + " in " + lengthBytes + " bytes, more than it needs");
        }
    }

    boolean isControl() {
        return opcode >= CLOSE;
    }

    int opcode() {
        return opcode;
    }

    /** Bytes of payload. */
    long length() {
        return length;
    }

    /** The masking key, its first byte in the highest bits. */
    int key() {
        return key;
    }
}
