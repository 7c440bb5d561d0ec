package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/**
 * Joins the answers to consecutive deliveries into one disposition per range. Thread: the connection's event loop.
 */
final class DispositionBatch {
    private static final byte[] ACCEPTED = encode(Accepted.getInstance());
    private static final byte[] RELEASED = encode(Released.getInstance());

    /** Of a frame with a disposition, what is not the state. */
    private static final int DISPOSITION_BYTES = 48;

    private final FrameOutput output;
    private final int channel;
    private final boolean receiver;
    private final int stateBytesMax;

    private boolean pending;
    private int first;
    private int last;
    private boolean settled;
    private byte @Nullable [] state;

    /**
     * @param receiver true: about deliveries received, false: about deliveries sent
     * @param frameBytesMax the peer's; a state that does not fit is left out, for it was the peer's own
     */
    DispositionBatch(FrameOutput output, int channel, boolean receiver, int frameBytesMax) {
        this.output = output;
        this.stateBytesMax = frameBytesMax - DISPOSITION_BYTES;
        this.channel = channel;
        this.receiver = receiver;
    }

    void accepted(int deliveryId, boolean settle) {
        add(deliveryId, deliveryId, settle, ACCEPTED);
    }

    void released(int deliveryId, boolean settle) {
        add(deliveryId, deliveryId, settle, RELEASED);
    }

    void add(int from, int to, boolean settle, @Nullable DeliveryState outcome) {
        byte[] encoded = outcome == null ? null : encode(outcome);
        add(from, to, settle, encoded == null || encoded.length > stateBytesMax ? null : encoded);
    }

    /** @param encoded the state; compared by value, so that one kept for many deliveries joins them in a range */
    void add(int from, int to, boolean settle, byte @Nullable [] encoded) {
        if (pending && from == last + 1 && settle == settled && Arrays.equals(encoded, state)) {
            last = to;
            return;
        }
        flush();
        pending = true;
        first = from;
        last = to;
        settled = settle;
        state = encoded;
    }

    /** Writes the open range, if any. */
    void flush() {
        if (pending) {
            pending = false;
            if (!output.encodes()) {
                output.unencoded(channel, unencoded(), null);
                return;
            }
            output.writer().writeDisposition(output.buffer(), channel, receiver, first, last, settled, state);
            output.appended();
        }
    }

    private Disposition unencoded() {
        Disposition range = new Disposition();
        range.setRole(receiver ? Role.RECEIVER : Role.SENDER);
        range.setFirst(UnsignedInteger.valueOf(first));
        range.setLast(UnsignedInteger.valueOf(last));
        range.setSettled(settled);
        range.setState(state == null ? null : decode(state));
        return range;
    }

    private static @Nullable DeliveryState decode(byte[] encoded) {
        if (encoded == ACCEPTED) {
            return Accepted.getInstance();
        }
        return (DeliveryState)
                PerformativeCodec.ofThread().readTrusted(Unpooled.wrappedBuffer(encoded), encoded.length);
    }

    static byte[] encode(DeliveryState state) {
        if (state instanceof Accepted && ACCEPTED != null) {
            return ACCEPTED;
        }
        if (state instanceof Released && RELEASED != null) {
            return RELEASED;
        }
        ByteBuf bytes = Unpooled.buffer();
        PerformativeCodec.ofThread().write(state, bytes);
        return ByteBufUtil.getBytes(bytes);
    }
}
