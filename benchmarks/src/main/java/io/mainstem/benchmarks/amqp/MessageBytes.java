package io.mainstem.benchmarks.amqp;

import java.nio.ByteBuffer;

/** Builds the encoded messages that are sent. */
final class MessageBytes {
    private static final byte[] DURABLE_HEADER = {0, 0x53, 0x70, (byte) 0xC0, 2, 1, 0x41};
    private static final byte[] DATA_SECTION = {0, 0x53, 0x75, (byte) 0xB0};

    private MessageBytes() {}

    /** A message of one data section, whose body comes last. */
    static byte[] of(boolean durable, int bodyBytes) {
        byte[] header = durable ? DURABLE_HEADER : new byte[0];
        ByteBuffer message = ByteBuffer.allocate(header.length + DATA_SECTION.length + 4 + bodyBytes);
        return message.put(header).put(DATA_SECTION).putInt(bodyBytes).array();
    }
}
