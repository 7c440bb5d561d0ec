package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FlowFrame;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Role;
import org.jspecify.annotations.Nullable;

/**
 * One end of a link. Attaching may wait for the broker; what the peer sends meanwhile is kept by the subclass.
 *
 * <p>Thread: the connection's event loop.
 */
abstract sealed class AmqpLink permits InboundLink, OutboundLink {
    /** How far a link is. */
    enum State {
        /** The peer's attach came, ours did not go yet. */
        ATTACHING,
        ATTACHED,
        /** Our detach went, the peer's did not come yet. */
        DETACHING,
        /** Nothing more may be sent. */
        GONE
    }

    final AmqpSession session;
    final int handle;
    final String name;
    private State state = State.ATTACHING;
    private int attachBytes;
    private @Nullable Detach earlyDetach;
    /** The peer's detach came: to the peer its handle is free. */
    private boolean peerDetached;
    /** The next link of this handle, which is attached when this one is gone. */
    private @Nullable Runnable next;
    /** Why it has to end as soon as it is attached. */
    private @Nullable ErrorCondition earlyEnd;
    /** What the link has in the directory of all links, or null if it is not in there. */
    private @Nullable LinkKey key;
    /** Made for this link: it is over with it. */
    private @Nullable DynamicNode made;
    /** Somebody's temporary node, which this link leads to. */
    private @Nullable DynamicNode joined;
    /** Waits until this link has left. */
    private @Nullable CompletableFuture<@Nullable Void> thief;

    AmqpLink(AmqpSession session, Attach attach) {
        this.session = session;
        this.handle = attach.getHandle().intValue();
        this.name = attach.getName();
    }

    /** @param bytes of the peer's attach frame */
    final void attachBytes(int bytes) {
        attachBytes = bytes;
    }

    final int attachBytes() {
        return attachBytes;
    }

    final State state() {
        return state;
    }

    final boolean isPeerDetached() {
        return peerDetached;
    }

    /** Our end of the handle is free when this one is gone. */
    final void whenGone(Runnable attachNext) {
        next = attachNext;
    }

    final boolean isAttached() {
        return state == State.ATTACHED;
    }

    /** Sends our attach; a detach that came meanwhile, or was wanted by us, follows now. */
    final void attached(Attach reply) {
        if (state != State.ATTACHING || !session.isOpen()) {
            return;
        }
        state = State.ATTACHED;
        if (!sendFitting(reply)) {
            return;
        }
        Detach early = earlyDetach;
        if (earlyEnd != null) {
            detach(true, earlyEnd);
        } else if (early != null) {
            earlyDetach = null;
            onDetach(early);
        }
    }

    /** Sends an attach without terminus and the detach that says why (AMQP 1.0 part 2, 2.6.3). */
    final void refuse(Attach refusal, ErrorCondition error) {
        if (state != State.ATTACHING || !session.isOpen()) {
            // Our attach went already; something failed behind it.
            detach(true, error);
            return;
        }
        session.connection().logRefusal("link '" + name + "'", error);
        state = State.ATTACHED;
        if (sendFitting(refusal)) {
            detach(true, error);
        }
    }

    /** An attach that does not fit ends the session: there is no smaller way to say no. */
    private boolean sendFitting(Attach attach) {
        int frameBytesMax = session.connection().remoteFrameBytesMax();
        if (FrameFit.fit(attach, frameBytesMax)) {
            session.send(attach);
            return true;
        }
        ErrorCondition tooSmall = new ErrorCondition(
                AmqpError.FRAME_SIZE_TOO_SMALL,
                "MS-0554 the answer to an attach does not fit into frames of " + frameBytesMax
                        + " bytes fix: use a shorter link name, or a larger max-frame-size");
        session.connection().logRefusal("session " + session.channel(), tooSmall);
        session.end(tooSmall);
        return false;
    }

    /** The link has its name in the directory of all links. */
    final void named(LinkKey itsKey) {
        key = itsKey;
    }

    /** The node was made for this link. */
    final void owns(DynamicNode node) {
        if (key == null) {
            // It has left already.
            var unused = node.ended();
        } else {
            made = node;
        }
    }

    /** It leads to a node that a link has made; null if to another one. */
    final void joins(@Nullable DynamicNode node) {
        if (key != null && node != null && node != made) {
            joined = node;
            node.joined();
        }
    }

    private void leaveNodes(@Nullable LinkKey itsKey, boolean keep) {
        DynamicNode to = joined;
        joined = null;
        if (to != null) {
            to.left();
        }
        DynamicNode mine = made;
        made = null;
        if (mine != null && keep && itsKey != null) {
            session.connection().dynamicNodes().detached(itsKey, mine, session);
        } else if (mine != null) {
            var unused = mine.ended();
        }
    }

    /**
     * Ends a link that another one takes the name of, now or as soon as it is attached.
     *
     * @param left completed when it has left
     */
    final void steal(ErrorCondition error, CompletableFuture<@Nullable Void> left) {
        if (key == null) {
            // It has left already.
            left.complete(null);
            return;
        }
        thief = left;
        if (state == State.ATTACHING) {
            earlyEnd = error;
        } else {
            detach(true, error);
        }
    }

    /**
     * Gives back what the link holds, and leaves the directory of all links. Idempotent.
     *
     * @param keep its subscription goes on without it, if it is of that kind
     */
    final void leave(boolean orderly, boolean keep) {
        LinkKey mine = key;
        key = null;
        if (mine != null && keep) {
            keepSubscription(mine, orderly);
        }
        release(orderly);
        leaveNodes(mine, keep);
        CompletableFuture<@Nullable Void> next = thief;
        thief = null;
        if (mine != null) {
            session.connection().links().leave(mine, this);
        }
        if (next != null) {
            next.complete(null);
        }
    }

    /** Ends the link from our side. */
    final void detach(boolean closed, @Nullable ErrorCondition error) {
        if (state != State.ATTACHED) {
            return;
        }
        state = State.DETACHING;
        leave(false, thief != null);
        sendDetach(closed, error);
        if (peerDetached) {
            gone();
        }
    }

    /** The peer detaches. */
    final void onDetach(Detach detach) {
        peerDetached = true;
        switch (state) {
            case ATTACHING -> earlyDetach = detach;
            case ATTACHED -> onPeerDetach(detach.getClosed(), detach.getError() == null);
            case DETACHING -> gone();
            case GONE -> {
                // answered already
            }
        }
    }

    /**
     * Ends the link in answer to the peer's detach; subclasses may take time for what hangs on it.
     *
     * @param orderly the peer says nothing of an error
     */
    void onPeerDetach(boolean closed, boolean orderly) {
        leave(closed && orderly, !closed);
        finishDetach(closed, null);
    }

    /** Sends the answer to the peer's detach. */
    final void finishDetach(boolean closed, @Nullable ErrorCondition error) {
        if (state == State.ATTACHED) {
            sendDetach(closed, error);
            gone();
        }
    }

    private void sendDetach(boolean closed, @Nullable ErrorCondition error) {
        if (!session.isOpen()) {
            return;
        }
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(handle));
        detach.setClosed(closed);
        if (error != null) {
            detach.setError(FrameFit.fit(error, session.connection().remoteFrameBytesMax()));
        }
        session.send(detach);
    }

    private void gone() {
        state = State.GONE;
        session.remove(this);
        Runnable waiting = next;
        next = null;
        if (waiting != null) {
            waiting.run();
        }
    }

    /** The session or connection is gone: release what the link holds, send nothing. */
    final void lost(boolean orderly) {
        if (state != State.GONE) {
            boolean attached = state == State.ATTACHED;
            state = State.GONE;
            if (attached || key != null) {
                leave(orderly, attached);
            }
        }
    }

    /** Our attach with what both directions have in common. */
    final Attach attachReply(Attach request) {
        Attach reply = new Attach();
        reply.setName(name);
        reply.setHandle(request.getHandle());
        reply.setRole(request.getRole() == Role.SENDER ? Role.RECEIVER : Role.SENDER);
        reply.setSndSettleMode(request.getSndSettleMode());
        reply.setRcvSettleMode(request.getRcvSettleMode());
        return reply;
    }

    abstract void onFlow(FlowFrame flow);

    /**
     * Leaves what lives until its session or connection ends to the next link of that name, so that {@link #release} does
     * not end it.
     *
     * @param orderly the peer ended the link, session or connection, without an error
     */
    abstract void keepSubscription(LinkKey itsKey, boolean orderly);

    /**
     * Gives back everything held for this link.
     *
     * @param orderly the peer ended the link, session or connection, without an error
     */
    abstract void release(boolean orderly);
}
