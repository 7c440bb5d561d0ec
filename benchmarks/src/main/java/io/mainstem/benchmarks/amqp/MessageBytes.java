package io.mainstem.benchmarks.amqp;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Builds the encoded messages that are sent. */
final class MessageBytes {
    private static final byte[] DURABLE_HEADER = {0, 0x53, 0x70, (byte) 0xC0, 2, 1, 0x41};
    private static final byte[] DATA_SECTION = {0, 0x53, 0x75, (byte) 0xB0};

    /** A section with one annotation, up to its value. */
    private static final byte[] ANNOTATIONS = annotations();

    private MessageBytes() {}

    /** A message to be delivered at a time that is yet to be put in at {@link #timeAt}. */
    static byte[] delayed(boolean durable, int bodyBytes) {
        byte[] plain = of(durable, bodyBytes);
        int header = durable ? DURABLE_HEADER.length : 0;
        ByteBuffer message = ByteBuffer.allocate(plain.length + ANNOTATIONS.length + Long.BYTES);
        message.put(plain, 0, header).put(ANNOTATIONS).position(header + ANNOTATIONS.length + Long.BYTES);
        return message.put(plain, header, plain.length - header).array();
    }

    /** Where in a delayed message its time stands, 8 bytes. */
    static int timeAt(boolean durable) {
        return (durable ? DURABLE_HEADER.length : 0) + ANNOTATIONS.length;
    }

    private static byte[] annotations() {
        byte[] key = "x-opt-delivery-time".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer section = ByteBuffer.allocate(9 + key.length);
        section.put(
                new byte[] {0, 0x53, 0x72, (byte) 0xC1, (byte) (key.length + 12), 2, (byte) 0xA3, (byte) key.length});
        return section.put(key).put((byte) 0x83).array();
    }

    /** A message of one data section, whose body comes last. */
    static byte[] of(boolean durable, int bodyBytes) {
        byte[] header = durable ? DURABLE_HEADER : new byte[0];
        ByteBuffer message = ByteBuffer.allocate(header.length + DATA_SECTION.length + 4 + bodyBytes);
        return message.put(header).put(DATA_SECTION).putInt(bodyBytes).array();
    }
}
