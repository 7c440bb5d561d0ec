package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.LinkError;

/**
 * The payload of one delivery while its frames come in, in pieces that grow to {@value #PIECE_BYTES_MAX} bytes. Bounded
 * twice: per message, and by a budget that all connections share. A message of one frame is copied once and never
 * counted. Thread: the connection's event loop.
 */
final class IncompleteMessage {
    private static final int PIECE_BYTES_MAX = 1 << 20;

    private final long messageBytesMax;
    private final Budget budget;
    private final List<byte[]> pieces = new ArrayList<>(1);
    private byte[] filling = {};
    private int filled;
    private long bytes;
    private long charged;

    IncompleteMessage(long messageBytesMax, Budget budget) {
        this.messageBytesMax = messageBytesMax;
        this.budget = budget;
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
        budget.release(charged);
        charged = 0;
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
        if (!budget.take(more)) {
            throw AmqpException.link(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED,
                    "MS-0506 too many bytes in incomplete messages over all connections fix: retry, or raise"
                            + " amqp.incomplete-bytes-max");
        }
        charged += more;
    }

    /** Bytes that all connections may hold in incomplete messages. Thread: any. */
    static final class Budget {
        private final long max;
        private final AtomicLong used = new AtomicLong();

        Budget(long max) {
            this.max = max;
        }

        boolean take(long more) {
            if (used.addAndGet(more) <= max) {
                return true;
            }
            used.addAndGet(-more);
            return false;
        }

        void release(long less) {
            if (less != 0) {
                used.addAndGet(-less);
            }
        }

        long used() {
            return used.get();
        }
    }
}
