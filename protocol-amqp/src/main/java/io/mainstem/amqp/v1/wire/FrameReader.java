package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import org.apache.qpid.proton.amqp.transport.ConnectionError;

/**
 * Finds frames in a stream of bytes.
 *
 * <pre>
 *  0               4       5       6               8                          size
 *  +---------------+-------+-------+---------------+----------------+-----------+
 *  | size          | doff  | type  | channel       | ext. header    | body      |
 *  +---------------+-------+-------+---------------+----------------+-----------+
 *                    x 4                                            ^ doff x 4
 * </pre>
 *
 * Thread: the connection's event loop.
 */
public final class FrameReader {
    /** Frame type of performatives. */
    public static final int AMQP = 0;
    /** Frame type of SASL. */
    public static final int SASL = 1;

    private static final int HEADER_BYTES = 8;
    private static final int BYTES_PER_DOFF = 4;

    private int type;
    private int channel;
    private int end;

    /**
     * Advances to the body of the next frame.
     *
     * @param in reader index at a frame's first byte; moved to its body if this returns true, else not moved
     * @param frameBytesMax largest frame allowed
     * @return false if the frame is not complete yet
     * @throws AmqpException framing-error if the header is not possible
     */
    public boolean next(ByteBuf in, int frameBytesMax) {
        if (in.readableBytes() < HEADER_BYTES) {
            return false;
        }
        int start = in.readerIndex();
        long size = in.getUnsignedInt(start);
        int bodyOffset = in.getUnsignedByte(start + 4) * BYTES_PER_DOFF;
        if (size < HEADER_BYTES || size > frameBytesMax) {
            throw framing("frame size " + size + " (expected: " + HEADER_BYTES + " to " + frameBytesMax + ")");
        }
        if (bodyOffset < HEADER_BYTES || bodyOffset > size) {
            throw framing("frame doff " + bodyOffset / BYTES_PER_DOFF + " (expected: 2 to size/4)");
        }
        if (in.readableBytes() < size) {
            return false;
        }
        type = in.getUnsignedByte(start + 5);
        channel = in.getUnsignedShort(start + 6);
        end = start + (int) size;
        in.readerIndex(start + bodyOffset);
        return true;
    }

    /** {@link #AMQP}, {@link #SASL} or something illegal. */
    public int type() {
        return type;
    }

    /** The peer's channel number. */
    public int channel() {
        return channel;
    }

    /** Index after the frame's last byte. */
    public int end() {
        return end;
    }

    private static AmqpException framing(String text) {
        return AmqpException.connection(ConnectionError.FRAMING_ERROR, text);
    }
}
