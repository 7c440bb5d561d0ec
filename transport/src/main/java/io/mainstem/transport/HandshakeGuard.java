package io.mainstem.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Bounds what a connection may cost before it is known who is at the other side: time, and bytes sent. Leaves the
 * pipeline on {@link #DONE}. Thread: the connection's event loop.
 */
public final class HandshakeGuard extends ChannelInboundHandlerAdapter {
    /** User event that a head fires through the whole pipeline once its peer is authenticated and has introduced itself. */
    public static final Object DONE = new Object();

    /**
     * User event that a head may fire before: the peer is authenticated, and has not introduced itself. From then on the
     * head bounds the time; bytes are still counted.
     */
    public static final Object AUTHENTICATED = new Object();

    private static final PeerLog LOG = PeerLog.of(HandshakeGuard.class);

    private final ListenerConfig config;
    private long bytes;
    private @Nullable ScheduledFuture<?> timeout;

    HandshakeGuard(ListenerConfig config) {
        this.config = config;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        timeout = ctx.executor()
                .schedule(
                        () -> refuse(ctx, "no complete handshake within " + config.handshakeMs() + " ms"),
                        config.handshakeMs(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        cancel();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf received) {
            bytes += received.readableBytes();
            if (bytes > config.handshakeBytesMax()) {
                received.release();
                refuse(ctx, "more than " + config.handshakeBytesMax() + " bytes before the handshake was complete");
                return;
            }
        }
        ctx.fireChannelRead(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == DONE) {
            ctx.pipeline().remove(this);
        } else if (event == AUTHENTICATED) {
            cancel();
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        cancel();
        ctx.fireChannelInactive();
    }

    private void refuse(ChannelHandlerContext ctx, String reason) {
        if (ctx.channel().isActive()) {
            LOG.warn(
                    "MS-0403",
                    "MS-0403 handshake refused listener={} peer={} reason=\"{}\"",
                    config.name(),
                    Peer.text(ctx.channel()),
                    reason);
        }
        var unused = ctx.close();
    }

    private void cancel() {
        if (timeout != null) {
            timeout.cancel(false);
            timeout = null;
        }
    }
}
