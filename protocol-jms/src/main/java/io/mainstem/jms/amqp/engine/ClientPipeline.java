package io.mainstem.jms.amqp.engine;

import io.mainstem.jms.options.Endpoint;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.net.URI;
import org.jspecify.annotations.Nullable;

/** What lies between a socket and the engine: TLS, WebSocket, or nothing. Thread: the event loop. */
public final class ClientPipeline {
    private static final int UPGRADE_BYTES_MAX = 16 << 10;
    private static final int FRAME_BYTES_MAX = 64 << 20;

    private ClientPipeline() {}

    /** @param tls null: none */
    public static void build(ChannelPipeline pipeline, Endpoint endpoint, @Nullable SslContext tls, EnginePump pump) {
        if (tls != null) {
            pipeline.addLast(tls.newHandler(pipeline.channel().alloc(), endpoint.host(), endpoint.port()));
        }
        if (endpoint.scheme().webSocket()) {
            URI uri = URI.create((tls == null ? "ws://" : "wss://")
                    + authority(endpoint)
                    + (endpoint.path().isEmpty() ? "/" : endpoint.path()));
            pipeline.addLast(
                    new HttpClientCodec(),
                    new HttpObjectAggregator(UPGRADE_BYTES_MAX),
                    new WebSocketClientProtocolHandler(
                            uri, WebSocketVersion.V13, "amqp", true, new DefaultHttpHeaders(), FRAME_BYTES_MAX),
                    new Bytes());
        }
        pipeline.addLast(new Start(endpoint, pump), pump);
    }

    private static String authority(Endpoint endpoint) {
        return (endpoint.host().indexOf(':') >= 0 ? '[' + endpoint.host() + ']' : endpoint.host())
                + ':'
                + endpoint.port();
    }

    /** Begins when the last layer below is ready. */
    private static final class Start extends ChannelInboundHandlerAdapter {
        private final Endpoint endpoint;
        private final EnginePump pump;

        Start(Endpoint endpoint, EnginePump pump) {
            this.endpoint = endpoint;
            this.pump = pump;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.fireChannelActive();
            if (!endpoint.scheme().tls() && !endpoint.scheme().webSocket()) {
                pump.start();
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            boolean tlsReady = event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess();
            if ((tlsReady && !endpoint.scheme().webSocket())
                    || event == WebSocketClientProtocolHandler.ClientHandshakeStateEvent.HANDSHAKE_COMPLETE) {
                pump.start();
            }
            context.fireUserEventTriggered(event);
        }
    }

    /** AMQP bytes are the content of binary frames; where one frame ends means nothing. */
    private static final class Bytes extends ChannelDuplexHandler {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof BinaryWebSocketFrame || message instanceof ContinuationWebSocketFrame) {
                context.fireChannelRead(((WebSocketFrame) message).content());
            } else {
                context.fireChannelRead(message);
            }
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            var unused = context.write(
                    message instanceof ByteBuf bytes ? new BinaryWebSocketFrame(bytes) : message, promise);
        }
    }
}
