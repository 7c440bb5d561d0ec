package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.FrameWriter;

/**
 * What a peer lets the broker send on one link, and whether it wants the rest back (AMQP 1.0 part 2, 2.6.7). Thread: the
 * connection's event loop.
 */
final class OutboundCredit implements FrameWriter.LinkFlow {
    private final AmqpSession session;
    private final int handle;
    private int deliveryCount;
    private int left;
    private boolean drain;

    OutboundCredit(AmqpSession session, int handle) {
        this.session = session;
        this.handle = handle;
    }

    /** The peer gives credit, or takes it back. */
    void onFlow(FlowFrame flow) {
        int peerCount = flow.deliveryCount() < 0 ? 0 : (int) flow.deliveryCount();
        if (flow.linkCredit() >= 0) {
            // Credit counts from what the peer had seen; what was sent since then has used some of it.
            long rest = flow.linkCredit() - (deliveryCount - peerCount);
            left = (int) Math.max(0, Math.min(rest, Integer.MAX_VALUE));
        }
        drain = flow.drain();
    }

    boolean isLeft() {
        return left > 0;
    }

    /** A delivery goes out. */
    void used() {
        left--;
        deliveryCount++;
    }

    /** Nothing more will be sent for now: a peer that drains gets its credit back, and is told so. */
    void giveBack() {
        if (drain) {
            deliveryCount += left;
            left = 0;
            flow();
            drain = false;
        }
    }

    /** Tells the peer where it is. */
    void flow() {
        session.sendFlow(handle, this);
    }

    @Override
    public int deliveryCount() {
        return deliveryCount;
    }

    @Override
    public int credit() {
        return left;
    }

    @Override
    public boolean drain() {
        return drain;
    }
}
