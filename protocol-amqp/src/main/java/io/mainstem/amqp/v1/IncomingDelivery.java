package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.TransferFrame;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.LinkError;
import org.jspecify.annotations.Nullable;

/**
 * The delivery that is coming in on a link, from its first frame to its last (AMQP 1.0 part 2, 2.6.14). One instance per
 * link, reused. Thread: the connection's event loop.
 */
final class IncomingDelivery {
    private static final int TAG_BYTES_MAX = 32;
    private static final byte[] NO_TAG = {};

    private final boolean settleSecond;
    private long id = -1;
    private boolean settled;
    private boolean second;
    /** Of a delivery of several frames. */
    private byte[] tag = NO_TAG;
    /** -1 = not said, which is 0. */
    private long messageFormat;

    private @Nullable OpenTransaction transaction;
    private @Nullable ErrorCondition error;

    /** @param settleSecond the link was granted rcv-settle-mode second */
    IncomingDelivery(boolean settleSecond) {
        this.settleSecond = settleSecond;
    }

    /** True between the first frame and the last. */
    boolean isOpen() {
        return id >= 0;
    }

    int id() {
        return (int) id;
    }

    /** What the broker shall give back with its answer. */
    long publishTag() {
        return PublishTag.of(id(), settled, second);
    }

    /** What it is part of, or null. */
    @Nullable
    OpenTransaction transaction() {
        return transaction;
    }

    /** Why it is refused once it is complete, or null. */
    @Nullable
    ErrorCondition error() {
        return error;
    }

    /**
     * One more frame; the first one opens it.
     *
     * @throws AmqpException for the link
     */
    void frame(TransferFrame transfer, ByteBuf in, boolean credit, Transactions open) {
        if (!isOpen()) {
            begin(transfer, credit);
            join(transfer, open);
            if (transfer.resume()) {
                error = unknown(transfer.tag(in));
            }
            tag = transfer.more() ? transfer.tag(in) : NO_TAG;
            messageFormat = transfer.messageFormat();
        } else {
            goesOn(transfer, in);
        }
        if (transfer.settledGiven()) {
            settled |= transfer.settled();
        }
    }

    /** What is said again has to be what the first frame said (AMQP 1.0 part 2, 2.7.5). */
    private void goesOn(TransferFrame transfer, ByteBuf in) {
        if (transfer.deliveryId() >= 0 && transfer.deliveryId() != id) {
            throw AmqpException.link(
                    AmqpError.NOT_ALLOWED,
                    "MS-0507 delivery " + transfer.deliveryId() + " begins before delivery " + id + " is complete");
        }
        if (transfer.tagBytes() >= 0 && !Arrays.equals(transfer.tag(in), tag)) {
            throw AmqpException.link(
                    AmqpError.NOT_ALLOWED,
                    "MS-0507 delivery " + id + " goes on with delivery-tag " + new Binary(transfer.tag(in))
                            + " (expected: that of its first frame, " + new Binary(tag) + ")");
        }
        if (transfer.messageFormat() >= 0 && transfer.messageFormat() != Math.max(0, messageFormat)) {
            throw AmqpException.link(
                    AmqpError.NOT_ALLOWED,
                    "MS-0507 delivery " + id + " goes on with message-format " + transfer.messageFormat()
                            + " (expected: that of its first frame, " + Math.max(0, messageFormat) + ")");
        }
    }

    private void begin(TransferFrame transfer, boolean credit) {
        if (transfer.deliveryId() < 0 || transfer.tagBytes() < 0) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0507 first transfer of a delivery without delivery-id or delivery-tag");
        }
        if (transfer.tagBytes() > TAG_BYTES_MAX) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0507 delivery-tag of " + transfer.tagBytes() + " bytes (expected: at most " + TAG_BYTES_MAX
                            + ")");
        }
        if (!credit) {
            throw AmqpException.link(
                    LinkError.TRANSFER_LIMIT_EXCEEDED,
                    "MS-0507 transfer without link credit at delivery " + transfer.deliveryId());
        }
        // A delivery may ask for less than the link grants, not for more (AMQP 1.0 part 2, 2.7.5).
        second = settleSecond && transfer.rcvSettleMode() != 0;
        if (transfer.rcvSettleMode() > 0 && !settleSecond) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0552 delivery " + transfer.deliveryId() + " asks for rcv-settle-mode second on a link of mode"
                            + " first fix: attach the link with second");
        }
        id = transfer.deliveryId();
        settled = false;
    }

    /** Our unsettled map has nothing in it, so that a delivery that is resumed must not count (AMQP 1.0 part 2, 2.7.5). */
    private static ErrorCondition unknown(byte[] tag) {
        return new ErrorCondition(
                AmqpError.PRECONDITION_FAILED,
                "MS-0556 delivery with tag " + new Binary(tag)
                        + " is resumed, but no earlier one is known (our attach had"
                        + " no unsettled map) fix: send it again as a new delivery; give it x-opt-dedup-id if it must not"
                        + " be stored twice");
    }

    private void join(TransferFrame transfer, Transactions open) {
        if (transfer.state() instanceof TransactionalState transactional) {
            try {
                transaction = open.find(transactional.getTxnId());
            } catch (AmqpException unknown) {
                error = unknown.toErrorCondition();
            }
        }
    }

    /** Its last frame came. */
    void end() {
        id = -1;
        transaction = null;
        error = null;
    }
}
