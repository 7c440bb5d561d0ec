package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.DispositionFrame;
import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.FrameKind;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.amqp.v1.wire.TransferFrame;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.message.Message;
import io.mainstem.transport.HandshakeGuard;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Open;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a connection's frames do: open and close, sessions by channel, and the door to the broker that they share.
 *
 * <p>Thread: the connection's event loop.
 */
final class Performatives {
    private static final Logger LOG = LoggerFactory.getLogger(Performatives.class);
    /** Publishes taken while the broker is blocked before the socket is not read any more. */
    private static final long BLOCKED_BYTES_MAX = 8 << 20;

    private static final int BLOCKED_LOG_MS = 1_000;

    private final AmqpConnection connection;
    private final AmqpProtocol protocol;
    private final PerformativeCodec codec = PerformativeCodec.ofThread();
    private final TransferFrame transfer = new TransferFrame();
    private final DispositionFrame disposition = new DispositionFrame();
    private final FlowFrame flow = new FlowFrame();
    private final IntObjectHashMap<AmqpSession> sessions = new IntObjectHashMap<>();

    private @Nullable Opened opened;
    private boolean openSent;
    private boolean closed;
    private boolean blocked;
    private long blockedBytes;
    private int blockedEpisodes;

    /** What there is from open on. */
    private record Opened(
            ClientInfo client,
            BrokerSession broker,
            boolean soleContainer,
            int remoteFrameBytesMax,
            TemporaryNodes temporaryNodes,
            TargetAttachments targets,
            SourceAttachments sources) {}

    private record Connected(ClientInfo client, BrokerSession broker) {}

    Performatives(AmqpConnection connection, AmqpProtocol protocol) {
        this.connection = connection;
        this.protocol = protocol;
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

    SourceAttachments sources() {
        return opened().sources();
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
            onOther(codec.read(in, end), channel);
            return;
        }
        AmqpSession session = session(channel);
        try {
            switch (kind) {
                case TRANSFER -> {
                    transfer.read(in, end, codec);
                    if (session.isOpen()) {
                        session.onTransfer(transfer, in, end);
                    }
                }
                case DISPOSITION -> {
                    disposition.read(in, end, codec);
                    if (session.isOpen()) {
                        session.onDisposition(disposition);
                    }
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

    private void onOther(@Nullable Object body, int channel) {
        if (body instanceof Open open) {
            onOpen(open, channel);
        } else if (body instanceof Begin begin) {
            onBegin(begin, channel);
        } else if (body instanceof Close close) {
            connection.onClose(close.getError() == null);
        } else if (body instanceof Attach || body instanceof Detach || body instanceof End) {
            onSessionFrame(body, session(channel), channel);
        } else {
            String found = body == null ? "nothing" : body.getClass().getSimpleName();
            throw AmqpException.connection(AmqpError.DECODE_ERROR, "MS-0501 frame holds no performative but " + found);
        }
    }

    private void onSessionFrame(Object body, AmqpSession session, int channel) {
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
                session.onAttach(attach);
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
        OpenNegotiation.check(open);
        boolean sole = Capabilities.has(open.getDesiredCapabilities(), Capabilities.SOLE_CONNECTION);
        Connected connected = connect(client(open), OpenNegotiation.demandedVirtualHost(open) != null);
        ClientInfo client = connected.client();
        if (sole && !protocol.containerIds().take(client.virtualHost(), client.clientId())) {
            connected.broker().close();
            throw OpenNegotiation.containerInUse(open.getContainerId());
        }
        accept(open, client, connected.broker(), sole);
    }

    private void accept(Open open, ClientInfo client, BrokerSession broker, boolean sole) {
        MessageIngress ingress = new MessageIngress(client, protocol.clock());
        TemporaryNodes temporary = new TemporaryNodes(broker, client.clientId(), protocol.temporaryTopics());
        Subscriptions subscriptions = new Subscriptions(broker, client.clientId(), connection::scheduleFlush);
        opened = new Opened(
                client,
                broker,
                sole,
                OpenNegotiation.frameBytesMax(open),
                temporary,
                new TargetAttachments(broker, ingress, temporary, protocol.limits()),
                new SourceAttachments(broker, subscriptions, temporary));
        openSent = true;
        connection
                .output()
                .frame(
                        0,
                        OpenNegotiation.answer(
                                protocol.limits(), protocol.broker().version()));
        long peerTimeoutMs =
                open.getIdleTimeOut() == null ? 0 : open.getIdleTimeOut().longValue();
        connection.idle().start(protocol.limits().idleTimeoutMs(), peerTimeoutMs);
        connection.context().pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
        LOG.debug("connection opened peer={} container={}", client.peer(), client.clientId());
    }

    private ClientInfo client(Open open) {
        String demanded = OpenNegotiation.demandedVirtualHost(open);
        String host = demanded != null ? demanded : open.getHostname();
        return new ClientInfo(
                host == null || host.isEmpty() ? OpenNegotiation.DEFAULT_VIRTUAL_HOST : host,
                open.getContainerId(),
                connection.user(),
                connection.peer(),
                protocol.name());
    }

    /** Unknown host names are the default virtual host, unless the client names a virtual host as such. */
    private Connected connect(ClientInfo client, boolean demanded) {
        try {
            return new Connected(
                    client,
                    protocol.broker().connect(client, connection.context().executor()));
        } catch (BrokerException refused) {
            if (refused.kind() == ErrorKind.NOT_FOUND && !demanded) {
                ClientInfo fallback = new ClientInfo(
                        OpenNegotiation.DEFAULT_VIRTUAL_HOST,
                        client.clientId(),
                        client.user(),
                        client.peer(),
                        client.protocol());
                return connect(fallback, true);
            }
            throw AmqpException.connection(AmqpErrors.condition(refused.kind()), String.valueOf(refused.getMessage()));
        }
    }

    /** The standard wants an open before the close that refuses the connection. */
    void openBeforeClose() {
        if (!openSent) {
            openSent = true;
            connection
                    .output()
                    .frame(
                            0,
                            OpenNegotiation.refusal(
                                    protocol.limits(), protocol.broker().version()));
        }
    }

    // ---- the broker ------------------------------------------------------------------------------------------

    void publish(Message message, long tag, PublishListener listener) {
        opened().broker().publish(message, tag, listener);
        if (isBlocked()) {
            blockedBytes += message.sectionBytes();
            if (blockedBytes > BLOCKED_BYTES_MAX) {
                connection.gate().pause(WriteGate.Pause.BROKER_BLOCKED);
            }
        }
    }

    /** True while no credit may be granted to senders; ends by itself. */
    boolean isBlocked() {
        if (!blocked && !opened().broker().writable()) {
            block(opened().broker());
        }
        return blocked;
    }

    private void block(BrokerSession broker) {
        blocked = true;
        blockedBytes = 0;
        blockedEpisodes++;
        broker.onWritable(this::unblocked);
        int episode = blockedEpisodes;
        // A large message alone can block for a moment; only what lasts is worth a line.
        var unused = connection
                .context()
                .executor()
                .schedule(() -> logIfStillBlocked(episode), BLOCKED_LOG_MS, TimeUnit.MILLISECONDS);
    }

    private void logIfStillBlocked(int episode) {
        if (blocked && !closed && episode == blockedEpisodes) {
            LOG.warn(
                    "MS-0513 publishers held back peer={} reason=\"{}\"",
                    connection.peer(),
                    opened().broker().blockedReason());
        }
    }

    private void unblocked() {
        blocked = false;
        if (closed) {
            return;
        }
        connection.gate().resume(WriteGate.Pause.BROKER_BLOCKED);
        for (AmqpSession session : sessions.values()) {
            session.replenish();
        }
        connection.scheduleFlush();
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
        for (AmqpSession session : new ArrayList<>(sessions.values())) {
            session.flushDispositions();
            session.close(orderly);
        }
        Opened present = opened;
        if (present != null) {
            present.temporaryNodes().close();
            present.broker().flush();
            present.broker().close();
            if (present.soleContainer()) {
                protocol.containerIds()
                        .release(
                                present.client().virtualHost(), present.client().clientId());
            }
        }
    }
}
