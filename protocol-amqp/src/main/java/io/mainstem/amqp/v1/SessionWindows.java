package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.FrameWriter;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.SessionError;

/** Transfer numbers and windows of a session, both ways (AMQP 1.0 part 2, 2.5.6). Thread: the connection's event loop. */
final class SessionWindows implements FrameWriter.SessionWindow {
    /** Transfers a peer may send before the window is opened again; they are used up at once, so this bounds nothing. */
    private static final int INCOMING_WINDOW = 2048;

    private int nextIncomingId;
    private int incomingWindow = INCOMING_WINDOW;
    private int nextOutgoingId;
    private long remoteIncomingWindow;
    private boolean closed;
    private boolean anyDelivery;
    private int lastDeliveryId;

    SessionWindows(Begin begin) {
        nextIncomingId = begin.getNextOutgoingId().intValue();
        remoteIncomingWindow = begin.getIncomingWindow().longValue();
    }

    /** Says in our begin where we stand. */
    void announce(Begin reply) {
        reply.setNextOutgoingId(UnsignedInteger.valueOf(nextOutgoingId));
        reply.setIncomingWindow(UnsignedInteger.valueOf(incomingWindow));
        reply.setOutgoingWindow(UnsignedInteger.valueOf(Integer.MAX_VALUE));
    }

    /** The peer says where it stands; it decides which number its next transfer has. */
    void onFlow(FlowFrame flow) {
        nextIncomingId = (int) flow.nextOutgoingId();
        long seen = flow.nextIncomingId() < 0 ? 0 : flow.nextIncomingId();
        int underWay = nextOutgoingId - (int) seen;
        remoteIncomingWindow = Math.max(0, flow.incomingWindow() - underWay);
        closed = underWay == 0 && flow.incomingWindow() == 0;
    }

    /** True if the peer has seen all that was sent, and says that it takes no more. */
    boolean isClosed() {
        return closed;
    }

    /** A transfer frame came. @throws AmqpException for the session, if the peer had no window for it */
    void received() {
        nextIncomingId++;
        incomingWindow--;
        if (incomingWindow < 0) {
            throw AmqpException.session(
                    SessionError.WINDOW_VIOLATION, "MS-0507 transfer outside of the session window");
        }
    }

    /**
     * The first transfer frame of a delivery came. Two deliveries of one id could not be told apart when they are settled.
     *
     * @throws AmqpException for the session, if the id is not beyond the one before (RFC 1982)
     */
    void deliveryBegins(int deliveryId) {
        if (anyDelivery && deliveryId - lastDeliveryId <= 0) {
            throw AmqpException.session(
                    AmqpError.INVALID_FIELD,
                    "MS-0507 delivery-id " + Integer.toUnsignedString(deliveryId) + " after "
                            + Integer.toUnsignedString(lastDeliveryId) + " (expected: a sequence that goes up)");
        }
        anyDelivery = true;
        lastDeliveryId = deliveryId;
    }

    /** True if it is time to open the peer's window again. */
    boolean isHalfUsed() {
        return incomingWindow <= INCOMING_WINDOW / 2;
    }

    /** The next flow opens the peer's window in full. */
    void reopen() {
        incomingWindow = INCOMING_WINDOW;
    }

    /** True if the peer takes one more transfer. */
    boolean maySend() {
        return remoteIncomingWindow > 0;
    }

    /** A transfer frame was written. */
    void sent() {
        nextOutgoingId++;
        remoteIncomingWindow--;
    }

    @Override
    public int nextIncomingId() {
        return nextIncomingId;
    }

    @Override
    public int incomingWindow() {
        return incomingWindow;
    }

    @Override
    public int nextOutgoingId() {
        return nextOutgoingId;
    }
}
