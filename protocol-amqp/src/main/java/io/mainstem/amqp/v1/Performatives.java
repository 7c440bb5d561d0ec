package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.DispositionFrame;
import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.FrameKind;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.amqp.v1.wire.TransferFrame;
import io.mainstem.routing.ClientInfo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.EmptyFrame;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.FrameBody;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;

/**
 * What a connection's frames do: open and close, sessions by channel, and the door to the broker that they share.
 *
 * <p>Thread: the connection's event loop.
 */
final class Performatives {
    /** Every peer takes frames of this size. */
    private static final int FRAME_BYTES_MIN = 512;

    private final AmqpConnection connection;
    private final AmqpProtocol protocol;
    private final PerformativeCodec codec = PerformativeCodec.ofThread();
    private final TransferFrame transfer = new TransferFrame();
    private final DispositionFrame disposition = new DispositionFrame();
    private final FlowFrame flow = new FlowFrame();
    private final IntObjectHashMap<AmqpSession> sessions = new IntObjectHashMap<>();

    private final ConnectionOpening opening;
    private @Nullable Opened opened;
    private @Nullable PublishGate publishGate;
    private boolean closed;

    Performatives(AmqpConnection connection, AmqpProtocol protocol) {
        this.connection = connection;
        this.protocol = protocol;
        this.opening = new ConnectionOpening(connection, protocol);
    }

    private Opened opened() {
        Opened present = opened;
        if (present == null) {
            throw AmqpException.connection(ConnectionError.FRAMING_ERROR, "MS-0501 frame before open");
        }
        return present;
    }

    TargetAttachments targets() {
        return opened().targets();
    }

    Transactions transactions() {
        return opened().transactions();
    }

    DynamicNodes dynamicNodes() {
        return opened().dynamicNodes();
    }

    SourceAttachments sources() {
        return opened().sources();
    }

    LinkKey linkKey(String name, boolean inbound) {
        ClientInfo client = opened().client();
        return new LinkKey(client.virtualHost(), client.user(), client.clientId(), name, inbound);
    }

    CompletionStage<@Nullable Void> settled() {
        return opened().broker().barrier();
    }

    /** As {@link #remoteFrameBytesMax}, also before open. */
    int frameBytesMaxOfPeer() {
        Opened present = opened;
        return present == null ? FRAME_BYTES_MIN : present.remoteFrameBytesMax();
    }

    int remoteFrameBytesMax() {
        return opened().remoteFrameBytesMax();
    }

    // ---- frames ----------------------------------------------------------------------------------------------

    /**
     * A frame with a body.
     *
     * @param end index after it
     */
    void onFrame(ByteBuf in, int end, int channel) {
        FrameKind kind = FrameKind.of(in, end);
        if (kind == FrameKind.OTHER) {
            int bytes = end - in.readerIndex();
            onOther(codec.read(in, end), channel, bytes);
            return;
        }
        AmqpSession session = session(channel);
        try {
            switch (kind) {
                case TRANSFER -> {
                    transfer.read(in, end, codec);
                    onTransfer(session, in, end);
                }
                case DISPOSITION -> {
                    disposition.read(in, end, codec);
                    onDisposition(session);
                }
                default -> {
                    flow.read(in, end, codec);
                    if (session.isOpen()) {
                        session.onFlow(flow);
                    }
                }
            }
        } catch (AmqpException violation) {
            endSession(session, violation);
        }
    }

    /** A frame that was not encoded, of a peer in this JVM. */
    void onFrame(TransportFrame frame) {
        FrameBody body = frame.getBody();
        if (body instanceof EmptyFrame) {
            return;
        }
        if (!(body instanceof Transfer) && !(body instanceof Disposition)) {
            onOther(body, frame.getChannel(), 0);
            return;
        }
        AmqpSession session = session(frame.getChannel());
        try {
            if (body instanceof Transfer given) {
                transfer.set(given);
                Binary payload = frame.getPayload();
                ByteBuf in = payload == null
                        ? Unpooled.EMPTY_BUFFER
                        : Unpooled.wrappedBuffer(payload.getArray(), payload.getArrayOffset(), payload.getLength());
                onTransfer(session, in, in.writerIndex());
            } else if (body instanceof Disposition given) {
                disposition.set(given);
                onDisposition(session);
            }
        } catch (AmqpException violation) {
            endSession(session, violation);
        }
    }

    private void onTransfer(AmqpSession session, ByteBuf in, int end) {
        if (session.isOpen()) {
            session.onTransfer(transfer, in, end);
        }
    }

    private void onDisposition(AmqpSession session) {
        if (session.isOpen()) {
            session.onDisposition(disposition);
        }
    }

    /** @param bytes that are its encoding; 0 if it was not encoded */
    private void onOther(@Nullable Object body, int channel, int bytes) {
        if (body instanceof Open open) {
            onOpen(open, channel);
        } else if (body instanceof Begin begin) {
            onBegin(begin, channel);
        } else if (body instanceof Close close) {
            connection.onClose(close.getError() == null);
        } else if (body instanceof Attach || body instanceof Detach || body instanceof End) {
            onSessionFrame(body, session(channel), channel, bytes);
        } else {
            String found = body == null ? "nothing" : body.getClass().getSimpleName();
            throw AmqpException.connection(AmqpError.DECODE_ERROR, "MS-0501 frame holds no performative but " + found);
        }
    }

    private void onSessionFrame(Object body, AmqpSession session, int channel, int bytes) {
        if (body instanceof End end) {
            session.onEnd(end.getError() == null);
            sessions.remove(channel);
            return;
        }
        if (!session.isOpen()) {
            return;
        }
        try {
            if (body instanceof Attach attach) {
                session.onAttach(attach, bytes);
            } else if (body instanceof Detach detach) {
                session.onDetach(detach);
            }
        } catch (AmqpException violation) {
            endSession(session, violation);
        }
    }

    private void endSession(AmqpSession session, AmqpException violation) {
        if (violation.scope() == AmqpException.Scope.CONNECTION) {
            throw violation;
        }
        connection.logRefusal("session " + session.channel(), violation.toErrorCondition());
        session.end(violation.toErrorCondition());
    }

    private AmqpSession session(int channel) {
        opened();
        AmqpSession session = sessions.get(channel);
        if (session == null) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR, "MS-0501 frame on channel " + channel + " without session");
        }
        return session;
    }

    private void onBegin(Begin begin, int channel) {
        opened();
        if (channel >= protocol.limits().sessionsMax()) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR,
                    "MS-0501 begin on channel " + channel + " (expected: less than "
                            + protocol.limits().sessionsMax() + ")");
        }
        if (sessions.containsKey(channel)) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR, "MS-0501 begin on channel " + channel + " that has a session");
        }
        AmqpSession session = new AmqpSession(connection, channel, begin);
        sessions.put(channel, session);
        session.begin();
    }

    static boolean isClose(ByteBuf in, int end) {
        return FrameKind.isClose(in, end);
    }

    // ---- open ------------------------------------------------------------------------------------------------

    private void onOpen(Open open, int channel) {
        if (opened != null || channel != 0) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR,
                    "MS-0501 open twice or on channel " + channel + " (expected: once, on 0)");
        }
        Opened now = opening.onOpen(open);
        opened = now;
        publishGate = new PublishGate(connection, now.broker(), this::tellBlocked, this::replenish);
    }

    /** The standard wants an open before the close that refuses the connection. */
    void openBeforeClose() {
        opening.openBeforeClose();
    }

    // ---- the broker ------------------------------------------------------------------------------------------

    PublishGate publishGate() {
        PublishGate present = publishGate;
        if (present == null) {
            throw new IllegalStateException("nothing is published before open");
        }
        return present;
    }

    private void tellBlocked() {
        for (AmqpSession session : sessions.values()) {
            session.tellBlocked();
        }
    }

    private void replenish() {
        for (AmqpSession session : sessions.values()) {
            session.replenish();
        }
    }

    /** Lets all sessions send again what the socket held back. */
    void pump() {
        for (AmqpSession session : sessions.values()) {
            if (session.isOpen()) {
                session.pump();
            }
        }
    }

    /** Writes collected answers and hands collected calls to the broker. */
    void endOfBatch() {
        Opened present = opened;
        if (present != null && !closed) {
            // First the broker: some publishes are answered at once, and their dispositions then go out below.
            present.broker().flush();
        }
        for (AmqpSession session : sessions.values()) {
            session.flushDispositions();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Gives everything back to the broker. Idempotent.
     *
     * @param orderly the peer closed, without an error
     */
    void close(boolean orderly) {
        if (closed) {
            return;
        }
        closed = true;
        if (opened != null) {
            opened.dynamicNodes().close();
        }
        for (AmqpSession session : new ArrayList<>(sessions.values())) {
            session.flushDispositions();
            session.close(orderly);
        }
        protocol.links().ended(connection, connection);
        Opened present = opened;
        if (present != null) {
            publishGate().close();
            present.transactions().close();
            protocol.connections().remove(present.connectionId());
            present.broker().flush();
            present.broker().close();
            protocol.containerIds().release(present.container());
        }
    }
}
