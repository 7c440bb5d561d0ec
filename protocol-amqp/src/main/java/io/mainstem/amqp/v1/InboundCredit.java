package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FrameWriter;
import org.jspecify.annotations.Nullable;

/**
 * How much a peer may still send on one link: granted in batches of half a window, and withheld while the broker has no
 * room, or the answers lag behind. A sender that waits for the broker is told why, in the state
 * of the link, see {@link LinkState}.
 *
 * <p>Thread: the connection's event loop.
 */
final class InboundCredit implements FrameWriter.LinkFlow {
    /** Windows of deliveries that may be open before credit is withheld. */
    private static final int OPEN_WINDOWS_MAX = 4;

    private final AmqpSession session;
    private final int handle;
    private final int window;
    private int deliveryCount;
    private int left;
    private int unanswered;
    /** What comes here needs no room of the broker. */
    private boolean requests;
    /** The sender knows that the broker has no room. */
    private boolean told;

    /**
     * @param window largest credit
     * @param deliveryCount the sender's, at its attach
     */
    InboundCredit(AmqpSession session, int handle, int window, int deliveryCount) {
        this.session = session;
        this.handle = handle;
        this.window = window;
        this.deliveryCount = deliveryCount;
    }

    /** The target takes requests: those that free space have to come when there is none. */
    void ofRequests() {
        requests = true;
    }

    private boolean isBlocked() {
        return !requests && session.connection().publishGate().isBlocked();
    }

    boolean isLeft() {
        return left > 0;
    }

    /** A delivery is complete. */
    void used() {
        deliveryCount++;
        left--;
    }

    /** A delivery will be answered later. */
    void answerPending() {
        unanswered++;
    }

    void answered() {
        unanswered--;
    }

    /**
     * Grants more, if it is time.
     *
     * @param windowMax the target's largest credit
     */
    void replenish(int windowMax) {
        int credit = Math.min(window, windowMax);
        boolean blocked = isBlocked();
        boolean due = left <= credit / 2 && !blocked && unanswered <= OPEN_WINDOWS_MAX * credit;
        if (due) {
            left = credit;
        }
        if (due || (told && !blocked)) {
            flow();
        }
    }

    /** Says that the broker has no room, if that is so. */
    void tellBlocked() {
        if (isBlocked()) {
            flow();
        }
    }

    /** Tells the sender where it is. */
    void flow() {
        session.sendFlow(handle, this);
    }

    /** The sender is ahead of us: it may have given up credit, though it was not asked to; true if it has. */
    boolean advance(int itsDeliveryCount) {
        int given = itsDeliveryCount - deliveryCount;
        if (given <= 0 || given > left) {
            return false;
        }
        deliveryCount += given;
        left -= given;
        return true;
    }

    @Override
    public int deliveryCount() {
        return deliveryCount;
    }

    @Override
    public int credit() {
        return Math.max(left, 0);
    }

    @Override
    public boolean drain() {
        return false;
    }

    @Override
    public byte @Nullable [] properties() {
        PublishGate gate = session.connection().publishGate();
        boolean before = told;
        told = isBlocked();
        if (told) {
            return LinkState.blocked(gate.reason(), session.connection().remoteFrameBytesMax());
        }
        return before ? LinkState.UNBLOCKED : null;
    }
}
