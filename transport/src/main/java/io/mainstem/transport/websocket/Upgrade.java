package io.mainstem.transport.websocket;

import io.mainstem.transport.Listener;
import io.mainstem.transport.Peer;
import io.mainstem.transport.PeerLog;
import io.mainstem.transport.ProtocolFactory;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the one HTTP request of a connection: turns it into a WebSocket with the protocol that was asked for, or says
 * why not. Thread: the connection's event loop.
 */
final class Upgrade extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final Logger LOG = LoggerFactory.getLogger(Upgrade.class);
    private static final PeerLog PEERS = PeerLog.of(Upgrade.class);

    private final Map<String, ProtocolFactory> bySubprotocol;
    private final Origins origins;

    Upgrade(Map<String, ProtocolFactory> bySubprotocol, Origins origins) {
        this.bySubprotocol = bySubprotocol;
        this.origins = origins;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
        String known = String.join(",", new TreeSet<>(bySubprotocol.keySet()));
        if (!request.decoderResult().isSuccess()) {
            refuse(ctx, HttpResponseStatus.BAD_REQUEST, "malformed HTTP request");
        } else if (!HttpHeaderValues.WEBSOCKET.contentEqualsIgnoreCase(
                String.valueOf(request.headers().get(HttpHeaderNames.UPGRADE)))) {
            refuse(
                    ctx,
                    HttpResponseStatus.UPGRADE_REQUIRED,
                    "this port speaks WebSocket with the subprotocols " + known);
        } else if (!origins.permits(
                request.headers().get(HttpHeaderNames.ORIGIN), request.headers().get(HttpHeaderNames.HOST))) {
            refuse(
                    ctx,
                    HttpResponseStatus.FORBIDDEN,
                    "web page " + request.headers().get(HttpHeaderNames.ORIGIN)
                            + " is not allowed; it would have to be listed in websocket.origins");
        } else {
            upgrade(ctx, request, known);
        }
    }

    private void upgrade(ChannelHandlerContext ctx, FullHttpRequest request, String known) {
        if (!OpeningHandshake.isVersion(request)) {
            refuse(ctx, HttpResponseStatus.UPGRADE_REQUIRED, "unknown version of WebSocket (expected: 13)");
            return;
        }
        String chosen = chosen(request);
        String fault = chosen == null
                ? "no known WebSocket subprotocol (expected: " + known + ")"
                : OpeningHandshake.fault(request);
        if (chosen == null || fault != null) {
            refuse(ctx, HttpResponseStatus.BAD_REQUEST, String.valueOf(fault));
            return;
        }
        ctx.writeAndFlush(OpeningHandshake.answer(request, chosen)).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        ChannelPipeline pipeline = ctx.pipeline();
        pipeline.addLast("websocket-stream", new FrameStream());
        protocol(chosen).install(pipeline);
        pipeline.remove(this);
        pipeline.remove(HttpObjectAggregator.class);
        // What has come behind the request goes on from there as it is.
        pipeline.remove(HttpServerCodec.class);
    }

    /** The first one asked for that is known. */
    private @Nullable String chosen(FullHttpRequest request) {
        for (String offered : request.headers().getAll(HttpHeaderNames.SEC_WEBSOCKET_PROTOCOL)) {
            for (String subprotocol : offered.split(",", -1)) {
                if (bySubprotocol.containsKey(subprotocol.strip())) {
                    return subprotocol.strip();
                }
            }
        }
        return null;
    }

    private ProtocolFactory protocol(String subprotocol) {
        return Objects.requireNonNull(bySubprotocol.get(subprotocol));
    }

    private static void refuse(ChannelHandlerContext ctx, HttpResponseStatus status, String reason) {
        PEERS.warn(
                "MS-0430",
                "MS-0430 WebSocket refused peer={} status={} reason=\"{}\"",
                Peer.text(ctx.channel()),
                status.code(),
                reason);
        ByteBuf text = ByteBufUtil.writeUtf8(ctx.alloc(), "MS-0430 " + reason + "\n");
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, text);
        response.headers()
                .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
                .set(HttpHeaderNames.CONTENT_LENGTH, text.readableBytes())
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        if (status.equals(HttpResponseStatus.UPGRADE_REQUIRED)) {
            response.headers()
                    .set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET)
                    .set(HttpHeaderNames.SEC_WEBSOCKET_VERSION, OpeningHandshake.VERSION);
        }
        ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == Listener.SHUTDOWN) {
            var unused = ctx.close();
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("connection lost before its upgrade: {}", cause.toString());
        var unused = ctx.close();
    }
}
