package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.transport.HandshakeGuard;
import io.mainstem.transport.InputBudget;
import io.mainstem.transport.Listener;
import io.mainstem.transport.Peer;
import io.mainstem.transport.PeerLog;
import io.mainstem.transport.SocketEnd;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One AMQP 1.0 connection: headers, SASL, framing, errors, and the end of each batch. Everything that a read brings is
 * handled first; then answers go out together, with one hand-over to the broker and one flush of the socket.
 *
 * <p>Thread: the connection's event loop.
 */
final class AmqpConnection extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(AmqpConnection.class);
    private static final PeerLog PEERS = PeerLog.of(AmqpConnection.class);
    /** How the text begins with which a silent peer's connection ends. */
    private static final String SILENT = "MS-0510 nothing ";

    private static final int CODE_CHARS = "MS-0510 ".length();
    private static final long CLOG_BYTES = 2 << 20;

    private final AmqpProtocol protocol;
    private final InputBudget.Share incompleteMessages;
    private final LinkRoom linkRoom;
    private @Nullable Wiring wiring;
    /** The end of a batch is coming anyway. */
    private boolean inBatch;

    private boolean flushScheduled;

    /** What there is only once the handler is in a pipeline. */
    private record Wiring(
            ChannelHandlerContext ctx,
            WriteGate gate,
            FrameOutput output,
            Performatives performatives,
            ConnectionInput input,
            ConnectionEnd end,
            IdleWatch idle,
            InputBudget.Hold unread) {}

    AmqpConnection(AmqpProtocol protocol) {
        this.protocol = protocol;
        this.incompleteMessages = protocol.incompleteMessages();
        this.linkRoom = new LinkRoom(protocol.limits().linksMax());
    }

    private Wiring wiring() {
        Wiring present = wiring;
        if (present == null) {
            throw new IllegalStateException("connection is not in a pipeline");
        }
        return present;
    }

    AmqpLimits limits() {
        return protocol.limits();
    }

    InstantSource clock() {
        return protocol.clock();
    }

    /** What this connection may hold of messages of which frames are missing. */
    InputBudget.Share incompleteMessages() {
        return incompleteMessages;
    }

    /** How many links its sessions may have. */
    LinkRoom linkRoom() {
        return linkRoom;
    }

    FrameOutput output() {
        return wiring().output();
    }

    WriteGate gate() {
        return wiring().gate();
    }

    IdleWatch idle() {
        return wiring().idle();
    }

    ChannelHandlerContext context() {
        return wiring().ctx();
    }

    private ConnectionPhase phase() {
        return wiring().input().phase();
    }

    private Performatives performatives() {
        return wiring().performatives();
    }

    TargetAttachments targets() {
        return performatives().targets();
    }

    SourceAttachments sources() {
        return performatives().sources();
    }

    DynamicNodes dynamicNodes() {
        return performatives().dynamicNodes();
    }

    Transactions transactions() {
        return performatives().transactions();
    }

    /** The links of all connections. */
    LinkDirectory links() {
        return protocol.links();
    }

    /** This, if termini without a link may wait for its end; null if it ends. */
    @Nullable
    Object awaited() {
        return performatives().isClosed() ? null : this;
    }

    /** @param inbound the peer sends */
    LinkKey linkKey(String name, boolean inbound) {
        return performatives().linkKey(name, inbound);
    }

    /** Completes when the broker has all that was given back to it so far. */
    CompletionStage<@Nullable Void> settled() {
        return performatives().settled();
    }

    int remoteFrameBytesMax() {
        return performatives().remoteFrameBytesMax();
    }

    PublishGate publishGate() {
        return performatives().publishGate();
    }

    /** Address of the peer, for logs. */
    String peer() {
        return Peer.text(wiring().ctx().channel());
    }

    // ---- socket ----------------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        WriteGate gate = new WriteGate(ctx.channel(), CLOG_BYTES);
        FrameOutput output = new FrameOutput(ctx, gate);
        Performatives performatives = new Performatives(this, protocol);
        ConnectionInput input = new ConnectionInput(
                this,
                performatives,
                new SaslNegotiation(protocol.authenticator(), Peer.of(ctx.channel()), ctx.executor()),
                protocol.declinedLogins());
        wiring = new Wiring(
                ctx,
                gate,
                output,
                performatives,
                input,
                new ConnectionEnd(this, new SocketEnd(ctx), input, performatives),
                new IdleWatch(this, gate, ctx.executor()),
                protocol.input().share(Long.MAX_VALUE).hold(() -> ctx.executor().execute(this::unreadLapsed)));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        inBatch = true;
        if (message instanceof TransportFrame[] frames) {
            wiring().idle().onFrames();
            checked(() -> wiring().input().take(frames));
        } else {
            if (message instanceof ByteBuf bytes) {
                wiring().idle().onBytes(bytes.readableBytes());
            }
            super.channelRead(ctx, message);
            if (!countUnread()) {
                noRoom();
                super.channelRead(ctx, Unpooled.EMPTY_BUFFER);
            }
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        inBatch = false;
        endOfBatch();
        // Not super's: that would ask for more input although reading is paused.
        discardSomeReadBytes();
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        wiring().gate().check();
        if (ctx.channel().isWritable() && phase() == ConnectionPhase.FRAMES) {
            performatives().pump();
            scheduleFlush();
        }
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == Listener.SHUTDOWN) {
            ctx.executor()
                    .execute(() -> fail(
                            AmqpException.connection(ConnectionError.CONNECTION_FORCED, "MS-0510 the broker stops")));
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        // The last thing Netty tells a handler, once the channel is closed and deregistered.
        release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        wiring().input().lost();
        release();
        super.channelInactive(ctx);
    }

    private void release() {
        wiring().idle().stop();
        wiring().unread().clear();
        performatives().close(false);
        wiring().output().release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Resets and the like; what the peer did wrong is answered in decode.
        LOG.debug("connection lost peer={} cause={}", peer(), cause.toString());
        wiring().input().end(ConnectionPhase.CLOSING);
        release();
        var unused = ctx.close();
    }

    // ---- bytes -----------------------------------------------------------------------------------------------

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int before = in.readerIndex();
        checked(() -> {
            while (wiring().input().step(in)) {
                // One frame or header is done; the next one may be complete too.
            }
        });
        if (in.readerIndex() != before) {
            wiring().idle().onFrames();
            wiring().unread().next();
        }
        if (phase() == ConnectionPhase.CLOSING) {
            in.skipBytes(in.readableBytes());
        }
    }

    /** Counts what is kept of a frame that is not complete; false if there is no room for it. */
    private boolean countUnread() {
        int kept = actualReadableBytes() == 0 ? 0 : internalBuffer().capacity();
        return wiring().unread().resize(phase() == ConnectionPhase.CLOSING ? 0 : kept);
    }

    private void unreadLapsed() {
        if (!gate().isPaused()) {
            noRoom();
        }
    }

    private void noRoom() {
        fail(AmqpException.connection(
                AmqpError.RESOURCE_LIMIT_EXCEEDED,
                "MS-0506 too many bytes in incomplete frames over all connections fix: send it again later, or give"
                        + " the broker more memory"));
    }

    /** The login has succeeded. Waiting for the open is idleness from now on: some clients open when they are first used. */
    void authenticated() {
        idle().start(limits().idleTimeoutMs(), 0);
        context().pipeline().fireUserEventTriggered(HandshakeGuard.AUTHENTICATED);
    }

    /** Handles input; what is wrong with it ends the connection. */
    private void checked(Runnable input) {
        try {
            input.run();
        } catch (AmqpException violation) {
            fail(violation);
        } catch (RuntimeException bug) {
            LOG.error("MS-0511 internal error peer={}", peer(), bug);
            fail(AmqpException.connection(AmqpError.INTERNAL_ERROR, "MS-0511 internal error: " + bug));
        }
    }

    /** Decodes what has come while {@link ConnectionPhase#SASL_PENDING} held the input back. */
    void resumeInput() {
        if (!inBatch) {
            ChannelHandlerContext ctx = context();
            try {
                channelRead(ctx, Unpooled.EMPTY_BUFFER);
            } catch (Exception failure) {
                exceptionCaught(ctx, failure);
            }
            channelReadComplete(ctx);
        }
    }

    @Nullable
    String user() {
        return wiring().input().user();
    }

    // ---- batches ---------------------------------------------------------------------------------------------

    /** Sees to it that what was written or collected goes out soon; call from callbacks of the broker. */
    void scheduleFlush() {
        if (!inBatch && !flushScheduled) {
            flushScheduled = true;
            wiring().ctx().executor().execute(this::scheduledFlush);
        }
    }

    private void scheduledFlush() {
        flushScheduled = false;
        endOfBatch();
    }

    private void endOfBatch() {
        boolean within = inBatch;
        inBatch = true;
        performatives().endOfBatch();
        inBatch = within;
        if (output().flush()) {
            wiring().idle().onWrite();
            if (output().takeRefusal() && phase() == ConnectionPhase.FRAMES) {
                performatives().pump();
                scheduleFlush();
            }
        }
    }

    // ---- ending ----------------------------------------------------------------------------------------------

    /** Logs once that something was refused; the peer is told in its own terms. A denial was logged where it was decided. */
    void logRefusal(String what, ErrorCondition error) {
        String text = String.valueOf(error.getDescription());
        if (text.startsWith(SILENT)) {
            // Nothing was refused: the peer is most likely gone.
            PEERS.warn(
                    "MS-0510",
                    "MS-0510 connection closed peer={} reason=\"{}\" fix: let the client send heartbeats in time, or raise"
                            + " amqp.idle-timeout",
                    peer(),
                    text.substring(CODE_CHARS));
            return;
        }
        if (AccessPolicy.isDenial(error.getDescription())) {
            return;
        }
        PEERS.warn(
                "MS-0512",
                "MS-0512 refused {} peer={} condition={} text=\"{}\"",
                what,
                peer(),
                error.getCondition(),
                error.getDescription());
    }

    /** Closes the connection with an error. Idempotent. */
    void fail(AmqpException violation) {
        wiring().end().fail(violation);
    }

    /** The peer closed. */
    void onClose(boolean orderly) {
        wiring().end().onClose(orderly);
    }

    /** Flushes and closes, without a word to the peer. */
    void closeSocket() {
        wiring().end().closeSocket();
    }
}
