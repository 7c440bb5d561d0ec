package io.mainstem.transport.websocket;

import io.mainstem.transport.Peer;
import io.mainstem.transport.PeerLog;
import io.mainstem.transport.SocketEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import java.nio.channels.ClosedChannelException;

/**
 * Makes a stream of bytes of binary frames, and back: where a frame ends, and how large it is, means nothing to what is
 * inside, whose own limits hold (ADR 0075). Text frames end the connection, as both bindings demand. Exactly one close frame
 * is sent, and nothing behind it.
 *
 * <p>Thread: the connection's event loop.
 */
final class FrameStream extends ChannelDuplexHandler {
    private static final PeerLog PEERS = PeerLog.of(FrameStream.class);
    private static final int FINAL = 0x80;
    private static final int LENGTH_16 = 126;
    private static final int HEADER_BYTES_MAX = 4;
    /** Many clients bound frames, Netty's at 65,536 bytes if not told otherwise, Qpid JMS at its largest AMQP frame. */
    private static final int SENT_BYTES_MAX = 65_535;

    private final FrameReader frames = new FrameReader();
    private Phase phase = Phase.OPEN;

    private enum Phase {
        OPEN,
        /** We have sent a close frame, and wait for the peer's. */
        CLOSING,
        /** We have sent a close frame because what comes makes no sense: only the end of the stream is awaited. */
        REFUSED,
        /** The peer's close frame has come, too. */
        CLOSED
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof ByteBuf in)) {
            ctx.fireChannelRead(message);
            return;
        }
        if (phase == Phase.REFUSED || phase == Phase.CLOSED) {
            in.release();
            return;
        }
        FrameViolation violation = null;
        try {
            frames.read(in);
        } catch (FrameViolation broken) {
            violation = broken;
        }
        if (phase == Phase.OPEN && in.isReadable()) {
            ctx.fireChannelRead(in);
        } else {
            in.release();
        }
        if (violation != null) {
            refuse(ctx, violation);
        } else if (frames.closeStatus() != 0) {
            onClose(ctx, frames.closeStatus());
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        answerPing(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        answerPing(ctx);
        ctx.fireChannelWritabilityChanged();
    }

    /** Only the latest, and only while the peer reads: pings may not fill the memory. */
    private void answerPing(ChannelHandlerContext ctx) {
        if (phase == Phase.OPEN && frames.hasPing() && ctx.channel().isWritable()) {
            byte[] ping = frames.takePing();
            if (ping != null) {
                var unused = control(ctx, FrameHeader.PONG, Unpooled.wrappedBuffer(ping));
            }
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf payload) || !payload.isReadable()) {
            var unused = ctx.write(message, promise);
        } else if (phase == Phase.OPEN) {
            while (payload.readableBytes() > SENT_BYTES_MAX) {
                writeHeader(ctx, FrameHeader.BINARY, SENT_BYTES_MAX);
                var unused = ctx.write(payload.readRetainedSlice(SENT_BYTES_MAX), ctx.voidPromise());
            }
            writeHeader(ctx, FrameHeader.BINARY, payload.readableBytes());
            var unused = ctx.write(payload, promise);
        } else {
            payload.release();
            if (!promise.isVoid()) {
                promise.setFailure(new ClosedChannelException());
            }
        }
    }

    private static void writeHeader(ChannelHandlerContext ctx, int opcode, int length) {
        ByteBuf header = ctx.alloc().ioBuffer(HEADER_BYTES_MAX).writeByte(FINAL | opcode);
        if (length < LENGTH_16) {
            header.writeByte(length);
        } else {
            header.writeByte(LENGTH_16).writeShort(length);
        }
        var unused = ctx.write(header, ctx.voidPromise());
    }

    private static ChannelFuture control(ChannelHandlerContext ctx, int opcode, ByteBuf payload) {
        writeHeader(ctx, opcode, payload.readableBytes());
        return ctx.writeAndFlush(payload);
    }

    // ---- the end ---------------------------------------------------------------------------------------------

    /** The head is done: say so, and go when the peer has said so, too. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (phase == Phase.CLOSED || !ctx.channel().isActive()) {
            var unused = ctx.close(promise);
            return;
        }
        if (phase == Phase.OPEN) {
            var unused = sendClose(ctx, Phase.CLOSING, WebSocketCloseStatus.NORMAL_CLOSURE.code());
        }
        if (!promise.isVoid()) {
            ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
        }
    }

    private void onClose(ChannelHandlerContext ctx, int status) {
        if (phase == Phase.OPEN) {
            sendClose(ctx, Phase.CLOSED, status).addListener(sent -> {
                var unused = ctx.close();
            });
        } else {
            phase = Phase.CLOSED;
            var unused = ctx.close();
        }
    }

    private void refuse(ChannelHandlerContext ctx, FrameViolation violation) {
        if (phase != Phase.OPEN) {
            phase = Phase.REFUSED;
            return;
        }
        PEERS.warn(
                "MS-0409",
                "MS-0409 WebSocket closed peer={} status={} reason=\"{}\" fix: let the client send whole, masked binary"
                        + " frames as RFC 6455 has them.",
                Peer.text(ctx.channel()),
                violation.status(),
                violation.getMessage());
        var unused = sendClose(ctx, Phase.REFUSED, violation.status());
        // Nothing that the head has to say or to do goes on.
        ctx.fireExceptionCaught(violation);
    }

    /** The one close frame; what comes from now on is read for the peer's, in vain if it does not read ours. */
    private ChannelFuture sendClose(ChannelHandlerContext ctx, Phase next, int status) {
        phase = next;
        SocketEnd.cutSoon(ctx.channel());
        var unused = ctx.channel().config().setAutoRead(true);
        return control(ctx, FrameHeader.CLOSE, ctx.alloc().ioBuffer(Short.BYTES).writeShort(status));
    }
}
