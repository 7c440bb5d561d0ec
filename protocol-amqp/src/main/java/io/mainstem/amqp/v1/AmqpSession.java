package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.DispositionFrame;
import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.amqp.v1.wire.TransferFrame;
import io.mainstem.routing.Outcome;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SessionError;
import org.jspecify.annotations.Nullable;

/**
 * One session: windows, delivery-ids and links. Channel and handles are the peer's numbers in both directions.
 *
 * <p>Thread: the connection's event loop.
 */
final class AmqpSession {
    private final AmqpConnection connection;
    private final int channel;
    /** By the peer's handle. */
    private final IntObjectHashMap<AmqpLink> links = new IntObjectHashMap<>();
    /** Their handle has the next link already, but our detach has not gone. */
    private final Set<AmqpLink> leaving = new LinkedHashSet<>();

    private final UnsettledDeliveries<OutboundLink> unsettled = new UnsettledDeliveries<>();
    private final ArrayDeque<OutboundLink> waiting = new ArrayDeque<>();
    private final SessionWindows windows;
    private final DispositionBatch received;
    private final DispositionBatch sent;

    private boolean open = true;
    private boolean endSent;
    /** Termini without a link may wait for its end. */
    private boolean keepsAlive;

    private int nextDeliveryId;

    AmqpSession(AmqpConnection connection, int channel, Begin begin) {
        this.connection = connection;
        this.channel = channel;
        this.received = new DispositionBatch(connection.output(), channel, true, connection.remoteFrameBytesMax());
        this.sent = new DispositionBatch(connection.output(), channel, false, connection.remoteFrameBytesMax());
        this.windows = new SessionWindows(begin);
    }

    /** Answers the peer's begin. */
    void begin() {
        Begin reply = new Begin();
        reply.setRemoteChannel(UnsignedShort.valueOf((short) channel));
        windows.announce(reply);
        reply.setHandleMax(UnsignedInteger.valueOf(connection.limits().linksMax() - 1));
        send(reply);
    }

    AmqpConnection connection() {
        return connection;
    }

    int channel() {
        return channel;
    }

    /** True until either side ended it. */
    boolean isOpen() {
        return open;
    }

    /** True while the peer's end is awaited, and nothing else. */
    boolean isEndSent() {
        return endSent;
    }

    SessionWindows windows() {
        return windows;
    }

    DispositionBatch received() {
        return received;
    }

    UnsettledDeliveries<OutboundLink> unsettled() {
        return unsettled;
    }

    // ---- frames ----------------------------------------------------------------------------------------------

    /** @param bytes of its frame */
    void onAttach(Attach attach, int bytes) {
        long handle = attach.getHandle().longValue();
        if (handle >= connection.limits().linksMax()) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR,
                    "MS-0507 handle " + handle + " (expected: less than "
                            + connection.limits().linksMax() + ")");
        }
        AmqpLink before = links.get((int) handle);
        if (before != null && !before.isPeerDetached()) {
            throw AmqpException.session(SessionError.HANDLE_IN_USE, "MS-0507 handle " + handle + " is in use");
        }
        connection.linkRoom().take(bytes);
        AmqpLink link = attach.getRole() == Role.SENDER
                ? new InboundLink(this, attach)
                : connection.sources().link(this, attach);
        link.attachBytes(bytes);
        links.put((int) handle, link);
        if (before == null) {
            claimName(link, attach);
            return;
        }
        // The peer has freed the handle with its detach (AMQP 1.0 part 2, 2.6.4), we have not yet.
        leaving.add(before);
        if (leaving.size() > connection.limits().linksMax()) {
            throw AmqpException.session(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED,
                    "MS-0507 more than " + connection.limits().linksMax()
                            + " links are detached and attached again before they are gone fix: await the answer to a"
                            + " detach");
        }
        before.whenGone(() -> {
            if (open && link.state() == AmqpLink.State.ATTACHING) {
                claimName(link, attach);
                connection.scheduleFlush();
            }
        });
    }

    private void claimName(AmqpLink link, Attach attach) {
        LinkKey key = connection.linkKey(attach.getName(), link instanceof InboundLink);
        link.named(key);
        CompletionStage<@Nullable SessionConsumer> previous =
                connection.links().claim(key, link, connection.context().executor());
        if (previous == null) {
            attach(link, attach, null);
        } else {
            previous.thenAccept(left -> attachAfter(key, link, attach, left));
        }
    }

    /** The one that had the name has left. */
    private void attachAfter(LinkKey key, AmqpLink link, Attach attach, @Nullable SessionConsumer left) {
        if (link.state() == AmqpLink.State.ATTACHING && open) {
            attach(link, attach, left);
            connection.scheduleFlush();
        } else if (left != null) {
            // Lost meanwhile: what it would have gone on with waits for the next one.
            keep(key, left);
        }
    }

    private void attach(AmqpLink link, Attach attach, @Nullable SessionConsumer left) {
        LinkKey key = connection.linkKey(attach.getName(), link instanceof InboundLink);
        DynamicNode its = connection.dynamicNodes().resumed(key, NodeProperties.address(attach));
        if (its != null) {
            link.owns(its);
        }
        if (link instanceof InboundLink inbound) {
            connection.targets().attach(inbound, attach);
        } else if (link instanceof OutboundLink outbound) {
            connection.sources().attach(outbound, attach, left);
        }
    }

    /** A subscription waits for the next link of its name, or for the end that its source names. */
    void keep(LinkKey key, SessionConsumer consumer) {
        Object awaited = awaited(consumer.feed().life());
        if (awaited == null) {
            consumer.close();
        } else {
            connection.links().keep(key, consumer, connection.context().executor(), awaited);
        }
    }

    void onDetach(Detach detach) {
        link(detach.getHandle().longValue()).onDetach(detach);
    }

    void onFlow(FlowFrame flow) {
        windows.onFlow(flow);
        if (flow.handle() >= 0) {
            AmqpLink link = link(flow.handle());
            if (flow.acquires()) {
                link.detach(
                        true,
                        new ErrorCondition(
                                AmqpError.NOT_IMPLEMENTED,
                                "MS-0535 acquisition by a flow with txn-id is not offered fix: settle deliveries with"
                                        + " a transactional state instead."));
            } else {
                link.onFlow(flow);
            }
        } else if (flow.echo()) {
            sendFlow(-1, NO_LINK);
        }
        pump();
        if (windows.isClosed()) {
            forEachOutbound(OutboundLink::endDrainWithoutWindow);
        }
    }

    void onTransfer(TransferFrame transfer, ByteBuf in, int end) {
        windows.received();
        AmqpLink link = links.get((int) transfer.handle());
        if (!(link instanceof InboundLink inbound)) {
            throw unattached(transfer.handle());
        }
        try {
            inbound.onTransfer(transfer, in, end);
        } catch (AmqpException violation) {
            if (violation.scope() != AmqpException.Scope.LINK) {
                throw violation;
            }
            connection.logRefusal("link '" + inbound.name + "'", violation.toErrorCondition());
            inbound.detach(true, violation.toErrorCondition());
        }
        if (windows.isHalfUsed()) {
            sendFlow(-1, NO_LINK);
        }
    }

    void onDisposition(DispositionFrame disposition) {
        if (!disposition.fromReceiver()) {
            // It settles what we have answered, of which nothing is kept.
            return;
        }
        if (disposition.state() instanceof TransactionalState transactional) {
            retire(disposition, transactional);
            return;
        }
        Outcome outcome = Outcomes.of(disposition.state());
        if (outcome == null && !disposition.settled()) {
            return;
        }
        unsettled.settle(
                disposition.first(), disposition.last(), (link, first, last) -> link.settle(first, last, outcome));
        if (!disposition.settled()) {
            sent.add(disposition.first(), disposition.last(), true, disposition.state());
        }
    }

    /** Outcomes that count with a commit (AMQP 1.0 part 4, 4.4.2). */
    private void retire(DispositionFrame disposition, TransactionalState transactional) {
        int first = disposition.first();
        int last = disposition.last();
        OpenTransaction transaction;
        try {
            transaction = connection.transactions().find(transactional.getTxnId());
        } catch (AmqpException unknown) {
            Set<OutboundLink> concerned = new LinkedHashSet<>();
            unsettled.visit(first, last, (link, from, to) -> concerned.add(link));
            for (OutboundLink link : concerned) {
                connection.logRefusal("link '" + link.name + "'", unknown.toErrorCondition());
                link.detach(true, unknown.toErrorCondition());
            }
            return;
        }
        DeliveryState state = transactional.getOutcome() instanceof DeliveryState given ? given : null;
        Outcome outcome = Outcomes.of(state);
        if (disposition.settled()) {
            unsettled.settle(first, last, (link, from, to) -> link.retire(transaction, from, to, outcome, true));
        } else if (outcome != null) {
            unsettled.visit(first, last, (link, from, to) -> link.retire(transaction, from, to, outcome, false));
            transaction.settleWithCommit(this, first, last, state);
        }
    }

    /** A transaction is committed to which the peer had left deliveries unsettled. */
    void settledByCommit(int first, int last, @Nullable DeliveryState outcome) {
        if (open) {
            unsettled.settle(first, last, (link, from, to) -> {});
            sent.add(first, last, true, outcome);
        }
    }

    void onEnd(boolean orderly) {
        close(orderly);
        if (!endSent) {
            connection.output().frame(channel, new End());
        }
    }

    // ---- sending ---------------------------------------------------------------------------------------------

    void send(Object performative) {
        connection.output().frame(channel, performative);
    }

    /** True if one more transfer may be written now. */
    boolean canTransfer() {
        return windows.maySend() && connection.output().open();
    }

    /** Payload bytes that fit into a frame beside its transfer. */
    int payloadBytesMax() {
        return connection.remoteFrameBytesMax() - FrameWriter.TRANSFER_BYTES_MAX;
    }

    int nextDeliveryId() {
        return nextDeliveryId++;
    }

    /** A transfer frame was written. */
    void transferred() {
        windows.sent();
    }

    /** A link has more to send than window or socket allow now; it is called again in its turn. */
    void await(OutboundLink link) {
        waiting.add(link);
    }

    /** Lets the links send that window or socket held back, in turns of some frames. */
    void pump() {
        while (!waiting.isEmpty() && canTransfer()) {
            waiting.poll().turn();
        }
    }

    /** The broker's state withholds credit. */
    void tellBlocked() {
        forEachInbound(InboundLink::tellBlocked);
    }

    /** Credit that the broker's state withheld may be granted again. */
    void replenish() {
        forEachInbound(InboundLink::replenish);
    }

    private void forEachOutbound(Consumer<OutboundLink> action) {
        for (AmqpLink link : links.values()) {
            if (link instanceof OutboundLink outbound) {
                action.accept(outbound);
            }
        }
    }

    private void forEachInbound(Consumer<InboundLink> action) {
        for (AmqpLink link : links.values()) {
            if (link instanceof InboundLink inbound) {
                action.accept(inbound);
            }
        }
    }

    /** Writes a flow about a link, or with a negative handle about the session; opens the incoming window. */
    void sendFlow(int handle, FrameWriter.LinkFlow link) {
        if (!open) {
            return;
        }
        windows.reopen();
        FrameOutput output = connection.output();
        output.writer().writeFlow(output.buffer(), channel, windows, handle, link);
        output.appended();
    }

    /** Writes the answers collected since the last call. */
    void flushDispositions() {
        if (open) {
            received.flush();
            sent.flush();
        }
    }

    // ---- ending ----------------------------------------------------------------------------------------------

    /** Ends the session from our side. */
    void end(ErrorCondition error) {
        flushDispositions();
        close(false);
        End end = new End();
        end.setError(FrameFit.fit(error, connection.remoteFrameBytesMax()));
        connection.output().frame(channel, end);
        endSent = true;
    }

    /**
     * Releases all links; nothing more is sent.
     *
     * @param orderly the peer ended it, without an error
     */
    void close(boolean orderly) {
        if (open) {
            open = false;
            List<AmqpLink> all = new ArrayList<>(links.values());
            all.addAll(leaving);
            links.clear();
            leaving.clear();
            all.forEach(this::giveRoomBack);
            for (AmqpLink link : all) {
                link.lost(orderly);
            }
            if (keepsAlive) {
                connection.links().ended(connection, this);
            }
            connection.dynamicNodes().ended(this);
        }
    }

    /** With what a subscription without a link ends; null if nothing of that is there any more. */
    private @Nullable Object awaited(TerminusLife life) {
        if (life.expiry() == TerminusExpiryPolicy.SESSION_END && open) {
            keepsAlive = true;
            return this;
        }
        return life.expiry() == TerminusExpiryPolicy.CONNECTION_CLOSE ? connection.awaited() : null;
    }

    void remove(AmqpLink link) {
        if (leaving.remove(link) || links.remove(link.handle) != null) {
            giveRoomBack(link);
        }
    }

    private void giveRoomBack(AmqpLink link) {
        connection.linkRoom().giveBack(link.attachBytes());
    }

    private AmqpLink link(long handle) {
        AmqpLink link = handle < 0 || handle > Integer.MAX_VALUE ? null : links.get((int) handle);
        if (link == null) {
            throw unattached(handle);
        }
        return link;
    }

    private static AmqpException unattached(long handle) {
        return AmqpException.session(SessionError.UNATTACHED_HANDLE, "MS-0507 no link is attached to handle " + handle);
    }

    /** For flows about the session only. */
    private static final FrameWriter.LinkFlow NO_LINK = new FrameWriter.LinkFlow() {
        @Override
        public int deliveryCount() {
            return 0;
        }

        @Override
        public int credit() {
            return 0;
        }

        @Override
        public boolean drain() {
            return false;
        }
    };

    @Override
    public @Nullable String toString() {
        return connection.peer() + " session " + channel;
    }
}
