package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.message.Message;
import io.mainstem.transport.Listener;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
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
    private static final int HEADER_BYTES = 8;
    private static final int CLOSE_TIMEOUT_MS = 2_000;
    private static final long CLOG_BYTES = 2 << 20;

    /** What the next bytes must be. */
    private enum Phase {
        HEADER,
        SASL,
        HEADER_AFTER_SASL,
        FRAMES,
        /** Our close went: only the peer's is awaited. */
        CLOSE_SENT,
        /** The stream is over or broken: what still comes is dropped. */
        CLOSING
    }

    private final AmqpProtocol protocol;
    private final FrameReader reader = new FrameReader();
    private @Nullable Wiring wiring;
    private Phase phase = Phase.HEADER;
    /** The end of a batch is coming anyway. */
    private boolean inBatch;

    private boolean flushScheduled;
    private final LinkNames linkNames = new LinkNames();

    /** What there is only once the handler is in a pipeline. */
    private record Wiring(
            ChannelHandlerContext ctx,
            WriteGate gate,
            FrameOutput output,
            PerformativeCodec codec,
            SaslNegotiation sasl,
            Performatives performatives,
            IdleWatch idle) {}

    AmqpConnection(AmqpProtocol protocol) {
        this.protocol = protocol;
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

    IncompleteMessage.Budget incompleteBudget() {
        return protocol.incompleteBudget();
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

    private Performatives performatives() {
        return wiring().performatives();
    }

    TargetAttachments targets() {
        return performatives().targets();
    }

    SourceAttachments sources() {
        return performatives().sources();
    }

    LinkNames linkNames() {
        return linkNames;
    }

    int remoteFrameBytesMax() {
        return performatives().remoteFrameBytesMax();
    }

    boolean isBlocked() {
        return performatives().isBlocked();
    }

    void publish(Message message, long tag, PublishListener listener) {
        performatives().publish(message, tag, listener);
    }

    /** Address of the peer, for logs. */
    String peer() {
        return String.valueOf(wiring().ctx().channel().remoteAddress());
    }

    // ---- socket ----------------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        WriteGate gate = new WriteGate(ctx.channel(), CLOG_BYTES);
        FrameOutput output = new FrameOutput(ctx, gate);
        PerformativeCodec codec = PerformativeCodec.ofThread();
        wiring = new Wiring(
                ctx,
                gate,
                output,
                codec,
                new SaslNegotiation(isLocal(ctx)),
                new Performatives(this, protocol),
                new IdleWatch(this, ctx.executor()));
    }

    private static boolean isLocal(ChannelHandlerContext ctx) {
        return !(ctx.channel().remoteAddress() instanceof InetSocketAddress address)
                || address.getAddress().isLoopbackAddress();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        inBatch = true;
        wiring().idle().onRead();
        super.channelRead(ctx, message);
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
        if (ctx.channel().isWritable() && phase == Phase.FRAMES) {
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
        phase = Phase.CLOSING;
        release();
        super.channelInactive(ctx);
    }

    private void release() {
        wiring().idle().stop();
        performatives().close(false);
        wiring().output().release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Resets and the like; what the peer did wrong is answered in decode.
        LOG.debug("connection lost peer={} cause={}", peer(), cause.toString());
        var unused = ctx.close();
    }

    // ---- bytes -----------------------------------------------------------------------------------------------

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        try {
            while (step(in)) {
                // One frame or header is done; the next one may be complete too.
            }
        } catch (AmqpException violation) {
            fail(violation);
        } catch (RuntimeException bug) {
            LOG.error("MS-0511 internal error peer={}", peer(), bug);
            fail(AmqpException.connection(AmqpError.INTERNAL_ERROR, "MS-0511 internal error: " + bug));
        }
        if (phase == Phase.CLOSING) {
            in.skipBytes(in.readableBytes());
        }
    }

    /** Takes one header or frame off the input; false if there is no complete one. */
    private boolean step(ByteBuf in) {
        switch (phase) {
            case HEADER, HEADER_AFTER_SASL -> {
                return in.readableBytes() >= HEADER_BYTES && header(in);
            }
            case SASL -> {
                return saslFrame(in);
            }
            case FRAMES, CLOSE_SENT -> {
                return frame(in);
            }
            default -> {
                return false;
            }
        }
    }

    private boolean header(ByteBuf in) {
        boolean amqp = starts(in, AmqpProtocol.AMQP_HEADER);
        if (amqp && (phase == Phase.HEADER_AFTER_SASL || isLocal(wiring().ctx()))) {
            in.skipBytes(HEADER_BYTES);
            output().bytes(AmqpProtocol.AMQP_HEADER);
            phase = Phase.FRAMES;
            return true;
        }
        if (phase == Phase.HEADER && starts(in, AmqpProtocol.SASL_HEADER)) {
            in.skipBytes(HEADER_BYTES);
            output().bytes(AmqpProtocol.SASL_HEADER);
            output().saslFrame(SaslNegotiation.mechanisms());
            phase = Phase.SASL;
            return true;
        }
        byte[] own = phase == Phase.HEADER ? AmqpProtocol.SASL_HEADER : AmqpProtocol.AMQP_HEADER;
        LOG.warn("MS-0501 protocol header refused peer={} phase={}", peer(), phase);
        output().bytes(own);
        closeSocket();
        return false;
    }

    private static boolean starts(ByteBuf in, byte[] header) {
        for (int i = 0; i < header.length; i++) {
            if (in.getByte(in.readerIndex() + i) != header[i]) {
                return false;
            }
        }
        return true;
    }

    private boolean saslFrame(ByteBuf in) {
        if (!reader.next(in, SaslNegotiation.FRAME_BYTES_MAX)) {
            return false;
        }
        if (reader.type() != FrameReader.SASL) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR, "MS-0501 frame of type " + reader.type() + " during SASL");
        }
        Object body = in.readerIndex() == reader.end() ? null : wiring().codec().read(in, reader.end());
        in.readerIndex(reader.end());
        SaslCode code = wiring().sasl().onFrame(body);
        SaslOutcome outcome = new SaslOutcome();
        outcome.setCode(code);
        output().saslFrame(outcome);
        if (code == SaslCode.OK) {
            phase = Phase.HEADER_AFTER_SASL;
            return true;
        }
        LOG.warn("MS-0508 authentication refused peer={}", peer());
        closeSocket();
        return false;
    }

    private boolean frame(ByteBuf in) {
        if (!reader.next(in, limits().frameBytesMax())) {
            return false;
        }
        if (reader.type() != FrameReader.AMQP) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR, "MS-0501 frame of type " + reader.type() + " (expected: 0)");
        }
        int end = reader.end();
        if (in.readerIndex() < end) {
            if (phase == Phase.FRAMES) {
                performatives().onFrame(in, end, reader.channel());
            } else if (Performatives.isClose(in, end)) {
                closeSocket();
            }
        }
        in.readerIndex(end);
        return phase == Phase.FRAMES || phase == Phase.CLOSE_SENT;
    }

    @Nullable
    String user() {
        return wiring().sasl().user();
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
            if (output().takeRefusal() && phase == Phase.FRAMES) {
                performatives().pump();
                scheduleFlush();
            }
        }
    }

    // ---- ending ----------------------------------------------------------------------------------------------

    /** Logs once that something was refused; the peer is told in its own terms. */
    void logRefusal(String what, ErrorCondition error) {
        LOG.warn(
                "MS-0512 refused {} peer={} condition={} text=\"{}\"",
                what,
                peer(),
                error.getCondition(),
                error.getDescription());
    }

    /** Closes the connection with an error. Idempotent. */
    void fail(AmqpException violation) {
        if (phase == Phase.CLOSING || phase == Phase.CLOSE_SENT) {
            phase = Phase.CLOSING;
            return;
        }
        boolean framed = phase == Phase.FRAMES;
        ErrorCondition error = violation.toErrorCondition();
        if (!ConnectionError.CONNECTION_FORCED.equals(error.getCondition())) {
            logRefusal("connection", error);
        }
        if (framed) {
            performatives().openBeforeClose();
            performatives().close(false);
            Close close = new Close();
            close.setError(error);
            output().frame(0, close);
        }
        closeSocketSoon(framed && !isStreamBroken(error));
    }

    private static boolean isStreamBroken(ErrorCondition error) {
        return ConnectionError.FRAMING_ERROR.equals(error.getCondition())
                || AmqpError.DECODE_ERROR.equals(error.getCondition());
    }

    /** The peer closed. */
    void onClose(boolean orderly) {
        performatives().close(orderly);
        output().frame(0, new Close());
        closeSocket();
    }

    /** Flushes and closes; nothing is expected from the peer any more, but it may have stopped reading. */
    private void closeSocket() {
        phase = Phase.CLOSING;
        performatives().close(false);
        output().closeAfterFlush();
        cutSoon();
    }

    /** Gives the peer time to read our close and to close by itself: closing at once could reset the stream under it. */
    private void closeSocketSoon(boolean awaitClose) {
        phase = awaitClose ? Phase.CLOSE_SENT : Phase.CLOSING;
        performatives().close(false);
        output().flush();
        cutSoon();
    }

    private void cutSoon() {
        ChannelHandlerContext ctx = wiring().ctx();
        var unused = ctx.executor().schedule(this::cut, CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    private void cut() {
        var unused = wiring().ctx().close();
    }
}
