package io.mainstem.transport.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;

/**
 * Makes a stream of bytes of binary frames, and back: where a frame ends means nothing to what is inside. Text frames end
 * the connection, as both bindings demand. Thread: the connection's event loop.
 */
final class FrameStream extends ChannelDuplexHandler {
    private boolean closeSent;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (closeSent) {
            // What follows belongs to what was refused (RFC 6455, 5.5.1 and 7.1.7): the rest of a text message, for
            // one.
            ReferenceCountUtil.release(message);
        } else if (message instanceof BinaryWebSocketFrame || message instanceof ContinuationWebSocketFrame) {
            ctx.fireChannelRead(((WebSocketFrame) message).content());
        } else if (message instanceof PingWebSocketFrame ping) {
            var unused = ctx.writeAndFlush(new PongWebSocketFrame(ping.content()));
        } else if (message instanceof WebSocketFrame other) {
            try {
                if (other instanceof CloseWebSocketFrame) {
                    end(ctx, WebSocketCloseStatus.NORMAL_CLOSURE);
                } else if (!(other instanceof PongWebSocketFrame)) {
                    end(ctx, WebSocketCloseStatus.INVALID_MESSAGE_TYPE);
                }
            } finally {
                other.release();
            }
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private void end(ChannelHandlerContext ctx, WebSocketCloseStatus status) {
        if (!closeSent) {
            closeSent = true;
            ctx.writeAndFlush(new CloseWebSocketFrame(status)).addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof ByteBuf bytes && bytes.isReadable()) {
            var unused = ctx.write(new BinaryWebSocketFrame(bytes), promise);
        } else {
            var unused = ctx.write(message, promise);
        }
    }

    /** The head is done: say so before the socket goes. */
    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (closeSent || !ctx.channel().isActive()) {
            var unused = ctx.close(promise);
        } else {
            closeSent = true;
            ctx.writeAndFlush(new CloseWebSocketFrame(WebSocketCloseStatus.NORMAL_CLOSURE))
                    .addListener(sent -> {
                        var unused = ctx.close(promise);
                    });
        }
    }
}
