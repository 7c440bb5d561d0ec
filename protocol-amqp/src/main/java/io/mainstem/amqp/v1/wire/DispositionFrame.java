package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/** A disposition as read from the wire, or as given by a peer in this JVM; one instance is reused. Thread: the connection's event loop. */
public final class DispositionFrame {
    private final Performative performative = new Performative();

    private boolean fromReceiver;
    private long first;
    private long last;
    private boolean settled;
    private @Nullable DeliveryState state;

    /** Reads the performative. */
    public void read(ByteBuf in, int frameEnd, PerformativeCodec codec) {
        Performative p = performative;
        p.open(in, frameEnd);
        int n = p.fields();
        if (n < 2) {
            throw AmqpException.connection(AmqpError.DECODE_ERROR, "disposition without role or first");
        }
        fromReceiver = p.bool(in, false);
        first = p.uint(in, -1);
        last = n > 2 ? p.uint(in, first) : first;
        settled = n > 3 && p.bool(in, false);
        state = n > 4 ? codec.readDeliveryState(in, p.end()) : null;
        if (n > 5) {
            p.bool(in, false);
        }
        p.close(in);
        if (first < 0) {
            throw AmqpException.connection(AmqpError.DECODE_ERROR, "disposition without first");
        }
    }

    /**
     * Takes over a disposition that was not encoded.
     *
     * @throws AmqpException decode-error
     */
    public void set(Disposition given) {
        if (given.getFirst() == null || given.getRole() == null) {
            throw AmqpException.connection(AmqpError.DECODE_ERROR, "disposition without role or first");
        }
        fromReceiver = given.getRole() == Role.RECEIVER;
        first = given.getFirst().longValue();
        last = given.getLast() == null ? first : given.getLast().longValue();
        settled = given.getSettled();
        state = given.getState();
    }

    /** True if the peer is the receiver of these deliveries, so that they are ours. */
    public boolean fromReceiver() {
        return fromReceiver;
    }

    /** First delivery-id. */
    public int first() {
        return (int) first;
    }

    /** Last delivery-id, included; serial number arithmetic. */
    public int last() {
        return (int) last;
    }

    public boolean settled() {
        return settled;
    }

    public @Nullable DeliveryState state() {
        return state;
    }
}
