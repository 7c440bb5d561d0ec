package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;

/** A transfer as read from the wire, or as given by a peer in this JVM; one instance is reused. Thread: the connection's event loop. */
public final class TransferFrame {
    private final Performative performative = new Performative();

    private long handle;
    private long deliveryId;
    private int tagBytes;
    private int tagEnd;
    private byte @Nullable [] givenTag;
    private long messageFormat;
    private boolean settledGiven;
    private boolean settled;
    private boolean more;
    private int rcvSettleMode;
    private @Nullable DeliveryState state;
    private boolean resume;
    private boolean aborted;

    /**
     * Reads the performative; the reader index is then at the payload.
     *
     * @throws AmqpException decode-error, invalid-field
     */
    public void read(ByteBuf in, int frameEnd, PerformativeCodec codec) {
        Performative p = performative;
        p.open(in, frameEnd);
        int n = p.fields();
        handle = n > 0 ? p.uint(in, -1) : -1;
        deliveryId = n > 1 ? p.uint(in, -1) : -1;
        tagBytes = n > 2 ? p.skipBinary(in) : -1;
        tagEnd = in.readerIndex();
        givenTag = null;
        messageFormat = n > 3 ? p.uint(in, -1) : -1;
        settledGiven = n > 4 && !p.skipNull(in);
        settled = settledGiven && p.bool(in, false);
        more = n > 5 && p.bool(in, false);
        rcvSettleMode = n > 6 ? p.ubyte(in, -1) : -1;
        state = n > 7 ? codec.readDeliveryState(in, p.end()) : null;
        resume = n > 8 && p.bool(in, false);
        aborted = n > 9 && p.bool(in, false);
        if (n > 10) {
            p.bool(in, false);
        }
        p.close(in);
        if (handle < 0) {
            throw withoutHandle();
        }
    }

    /**
     * Takes over a transfer that was not encoded.
     *
     * @throws AmqpException decode-error
     */
    public void set(Transfer given) {
        if (given.getHandle() == null) {
            throw withoutHandle();
        }
        handle = given.getHandle().longValue();
        deliveryId = given.getDeliveryId() == null ? -1 : given.getDeliveryId().longValue();
        Binary tag = given.getDeliveryTag();
        givenTag = tag == null
                ? null
                : Arrays.copyOfRange(tag.getArray(), tag.getArrayOffset(), tag.getArrayOffset() + tag.getLength());
        tagBytes = tag == null ? -1 : tag.getLength();
        messageFormat =
                given.getMessageFormat() == null ? -1 : given.getMessageFormat().longValue();
        settledGiven = given.getSettled() != null;
        settled = Boolean.TRUE.equals(given.getSettled());
        more = given.getMore();
        rcvSettleMode = given.getRcvSettleMode() == null
                ? -1
                : given.getRcvSettleMode().getValue().intValue();
        state = given.getState();
        resume = given.getResume();
        aborted = given.getAborted();
    }

    private static AmqpException withoutHandle() {
        return AmqpException.connection(AmqpError.DECODE_ERROR, "transfer without handle");
    }

    public long handle() {
        return handle;
    }

    /** -1 = absent: a continuation. */
    public long deliveryId() {
        return deliveryId;
    }

    /** Length of the delivery tag, -1 = absent. */
    public int tagBytes() {
        return tagBytes;
    }

    /**
     * A copy of the delivery tag; empty if absent.
     *
     * @param in the buffer that was read
     */
    public byte[] tag(ByteBuf in) {
        byte[] given = givenTag;
        if (given != null) {
            return given.clone();
        }
        byte[] tag = new byte[Math.max(0, tagBytes)];
        in.getBytes(tagEnd - tag.length, tag);
        return tag;
    }

    /** -1 = absent. */
    public long messageFormat() {
        return messageFormat;
    }

    /** Whether {@link #settled} was on the wire. */
    public boolean settledGiven() {
        return settledGiven;
    }

    public boolean settled() {
        return settled;
    }

    /** More frames of this delivery follow. */
    public boolean more() {
        return more;
    }

    /** 0 first, 1 second, -1 = as the link says. */
    public int rcvSettleMode() {
        return rcvSettleMode;
    }

    public @Nullable DeliveryState state() {
        return state;
    }

    public boolean resume() {
        return resume;
    }

    public boolean aborted() {
        return aborted;
    }
}
