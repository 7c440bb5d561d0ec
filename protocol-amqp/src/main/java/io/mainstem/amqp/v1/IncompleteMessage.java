package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.transport.InputBudget;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.LinkError;

/**
 * The payload of one delivery while its frames come in, in pieces that grow to {@value #PIECE_BYTES_MAX} bytes. Bounded
 * thrice: per message, per connection, and by a budget that all connections share. A message of one frame is copied once and never
 * counted. Thread: the connection's event loop.
 */
final class IncompleteMessage {
    private static final int PIECE_BYTES_MAX = 1 << 20;

    private final long messageBytesMax;
    private final InputBudget.Hold hold;
    private final List<byte[]> pieces = new ArrayList<>(1);
    private byte[] filling = {};
    private int filled;
    private long bytes;

    IncompleteMessage(long messageBytesMax, InputBudget.Hold hold) {
        this.messageBytesMax = messageBytesMax;
        this.hold = hold;
    }

    /** What a message of so many bytes may take while it grows. */
    static long roomFor(long messageBytes) {
        return messageBytes + Math.min(messageBytes, PIECE_BYTES_MAX);
    }

    /** Adds the bytes from the reader index to {@code end}. */
    void append(ByteBuf in, int end) {
        int length = end - in.readerIndex();
        checkSize(bytes + length);
        while (in.readerIndex() < end) {
            if (filled == filling.length) {
                grow(end - in.readerIndex());
            }
            int part = Math.min(end - in.readerIndex(), filling.length - filled);
            in.readBytes(filling, filled, part);
            filled += part;
        }
        bytes += length;
    }

    /** True if no frame of the next message has come yet. */
    boolean isEmpty() {
        return bytes == 0;
    }

    /** Adds the last bytes and gives the payload out; this is empty then. */
    List<byte[]> complete(ByteBuf in, int end) {
        int length = end - in.readerIndex();
        if (bytes == 0 && length <= PIECE_BYTES_MAX) {
            checkSize(length);
            byte[] only = new byte[length];
            in.readBytes(only);
            return List.of(only);
        }
        append(in, end);
        List<byte[]> whole = new ArrayList<>(pieces);
        if (filled > 0) {
            whole.add(filled == filling.length ? filling : Arrays.copyOf(filling, filled));
        }
        clear();
        return whole;
    }

    /** Drops what came so far. */
    void clear() {
        pieces.clear();
        filling = new byte[0];
        filled = 0;
        bytes = 0;
        hold.clear();
    }

    private void checkSize(long size) {
        if (size > messageBytesMax) {
            throw AmqpException.link(
                    LinkError.MESSAGE_SIZE_EXCEEDED,
                    "MS-0506 message of more than " + messageBytesMax
                            + " bytes fix: send less, or raise amqp.message-bytes-max");
        }
    }

    /** Doubles the piece, or begins a new one when it is full grown. */
    private void grow(int wanted) {
        int length = filling.length;
        if (length == PIECE_BYTES_MAX) {
            pieces.add(filling);
            charge(PIECE_BYTES_MAX);
            filling = new byte[PIECE_BYTES_MAX];
            filled = 0;
            return;
        }
        int larger = Math.min(PIECE_BYTES_MAX, Math.max(2 * length, wanted));
        charge(larger - length);
        filling = Arrays.copyOf(filling, larger);
    }

    private void charge(int more) {
        if (!hold.add(more)) {
            throw AmqpException.link(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED,
                    "MS-0506 too many bytes in incomplete messages, of this connection or of all fix: retry, or raise"
                            + " amqp.incomplete-bytes-max");
        }
    }
}
