package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transport.AmqpError;

/** A flow as read from the wire; one instance is reused. Thread: the connection's event loop. */
public final class FlowFrame {
    private static final Symbol TXN_ID = Symbol.valueOf("txn-id");

    private final Performative performative = new Performative();

    private long nextIncomingId;
    private long incomingWindow;
    private long nextOutgoingId;
    private long outgoingWindow;
    private long handle;
    private long deliveryCount;
    private long linkCredit;
    private boolean drain;
    private boolean echo;
    private boolean acquires;

    /** Reads the performative. */
    public void read(ByteBuf in, int frameEnd, PerformativeCodec codec) {
        Performative p = performative;
        p.open(in, frameEnd);
        int n = p.fields();
        nextIncomingId = n > 0 ? p.uint(in, -1) : -1;
        incomingWindow = n > 1 ? p.uint(in, -1) : -1;
        nextOutgoingId = n > 2 ? p.uint(in, -1) : -1;
        outgoingWindow = n > 3 ? p.uint(in, -1) : -1;
        handle = n > 4 ? p.uint(in, -1) : -1;
        deliveryCount = n > 5 ? p.uint(in, -1) : -1;
        linkCredit = n > 6 ? p.uint(in, -1) : -1;
        if (n > 7) {
            p.uint(in, 0);
        }
        drain = n > 8 && p.bool(in, false);
        echo = n > 9 && p.bool(in, false);
        if (n > 10) {
            acquires = codec.read(in, p.end()) instanceof Map<?, ?> properties && properties.containsKey(TXN_ID);
        } else {
            acquires = false;
        }
        p.close(in);
        if (incomingWindow < 0 || nextOutgoingId < 0 || outgoingWindow < 0) {
            throw AmqpException.connection(
                    AmqpError.DECODE_ERROR, "flow without incoming-window, next-outgoing-id or outgoing-window");
        }
    }

    /** -1 = the peer has not seen our begin yet. */
    public long nextIncomingId() {
        return nextIncomingId;
    }

    /** Messages sent for it shall be part of a transaction (AMQP 1.0 part 4, 4.4.3). */
    public boolean acquires() {
        return acquires;
    }

    /** The number of the peer's next transfer, which is taken over (AMQP 1.0 part 2, 2.5.6). */
    public long nextOutgoingId() {
        return nextOutgoingId;
    }

    public long incomingWindow() {
        return incomingWindow;
    }

    /** -1 = about the session only. */
    public long handle() {
        return handle;
    }

    /** -1 = the receiver has not seen our attach yet. */
    public long deliveryCount() {
        return deliveryCount;
    }

    /** -1 = absent. */
    public long linkCredit() {
        return linkCredit;
    }

    public boolean drain() {
        return drain;
    }

    /** The peer wants a flow in answer. */
    public boolean echo() {
        return echo;
    }
}
