package io.mainstem.transport;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The end of a connection, which comes whatever the peer does (ADR 0071): what was written, and the last words of WebSocket
 * and TLS, are offered to it; if it has not taken them {@value #CUT_MS} ms later the socket is cut.
 *
 * <p>Thread: the connection's event loop, where nothing else is said.
 */
public final class SocketEnd {
    /** So long a peer may take for what it is told last. */
    public static final int CUT_MS = 2_000;

    private final ChannelHandlerContext ctx;
    private boolean closing;

    /** @param ctx of the head, so that all layers below it have their last word */
    public SocketEnd(ChannelHandlerContext ctx) {
        this.ctx = ctx;
    }

    /** Closes after what was handed to the socket so far. Idempotent. */
    public void close() {
        if (!closing) {
            closing = true;
            ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            cutSoon(ctx.channel());
        }
    }

    /**
     * Gives the peer {@value #CUT_MS} ms to read what it was told and to close by itself, then closes: doing so at once could
     * reset the stream under what it has not read.
     */
    public void closeLater() {
        untilClosed(ctx.channel(), this::close);
    }

    /** For a layer that says its own last word, and waits for the peer to take or answer it. */
    public static void cutSoon(Channel channel) {
        untilClosed(channel, () -> cut(channel));
    }

    /** Closes at once, past what TLS and WebSocket have to say. Thread: any. */
    static void cut(Channel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        var unused = first == null ? channel.close() : first.close();
    }

    private static void untilClosed(Channel channel, Runnable then) {
        Future<?> timer = channel.eventLoop().schedule(then, CUT_MS, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> timer.cancel(false));
    }
}
