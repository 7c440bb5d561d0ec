package io.mainstem.transport.websocket;

import io.mainstem.transport.ProtocolFactory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * WebSocket as a protocol of a listener, plain or inside TLS: recognised by the HTTP request it begins with, on any path.
 * What is spoken inside is chosen by subprotocol. Thread: any.
 */
public final class WebSocketProtocol implements ProtocolFactory {
    private static final byte[] GET = "GET ".getBytes(StandardCharsets.US_ASCII);
    private static final int LINE_BYTES_MAX = 4 << 10;
    private static final int HEADER_BYTES_MAX = 8 << 10;
    private static final int BODY_BYTES_MAX = 1 << 10;

    private final Map<String, ProtocolFactory> bySubprotocol;
    private final Origins origins;

    /** @param bySubprotocol such as {@code amqp} */
    public WebSocketProtocol(Map<String, ProtocolFactory> bySubprotocol, Origins origins) {
        this.bySubprotocol = Map.copyOf(bySubprotocol);
        this.origins = origins;
    }

    @Override
    public String name() {
        return "websocket";
    }

    @Override
    public Match matches(ByteBuf first) {
        int seen = Math.min(first.readableBytes(), GET.length);
        for (int i = 0; i < seen; i++) {
            if (first.getByte(first.readerIndex() + i) != GET[i]) {
                return Match.NO;
            }
        }
        return seen < GET.length ? Match.UNDECIDED : Match.YES;
    }

    @Override
    public byte[] ownHeader() {
        return new byte[0];
    }

    @Override
    public void install(ChannelPipeline pipeline) {
        pipeline.addLast("http", new HttpServerCodec(LINE_BYTES_MAX, HEADER_BYTES_MAX, HEADER_BYTES_MAX));
        pipeline.addLast("http-request", new HttpObjectAggregator(BODY_BYTES_MAX));
        pipeline.addLast("websocket-upgrade", new Upgrade(bySubprotocol, origins));
    }
}
