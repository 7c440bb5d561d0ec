package io.mainstem.transport.tls;

import io.mainstem.transport.Peer;
import io.mainstem.transport.ProtocolDetector;
import io.mainstem.transport.ProtocolFactory;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS as a protocol of a listener: recognised by its first bytes, and with protocols of its own inside. A listener with
 * others beside it answers both on one port; one with nothing else is encrypted or silent. Thread: any.
 */
public final class TlsProtocol implements ProtocolFactory {
    private static final Logger LOG = LoggerFactory.getLogger(TlsProtocol.class);
    private static final int HANDSHAKE_RECORD = 0x16;
    private static final int VERSION_MAJOR = 3;

    private final String listener;
    private final TlsContext context;
    private final List<ProtocolFactory> inside;

    /**
     * @param listener for logs
     * @param inside what is spoken once the handshake is complete; the first one answers unknown headers
     */
    public TlsProtocol(String listener, TlsContext context, List<ProtocolFactory> inside) {
        this.listener = listener;
        this.context = context;
        this.inside = List.copyOf(inside);
    }

    @Override
    public String name() {
        return "tls";
    }

    @Override
    public Match matches(ByteBuf first) {
        int at = first.readerIndex();
        if (first.getUnsignedByte(at) != HANDSHAKE_RECORD) {
            return Match.NO;
        }
        if (first.readableBytes() == 1) {
            return Match.UNDECIDED;
        }
        return first.getUnsignedByte(at + 1) == VERSION_MAJOR ? Match.YES : Match.NO;
    }

    /** Silence: whoever expects TLS cannot read anything else. */
    @Override
    public byte[] ownHeader() {
        return new byte[0];
    }

    @Override
    public void install(ChannelPipeline pipeline) {
        pipeline.addLast("tls", context.newHandler(pipeline.channel().alloc()));
        pipeline.addLast("tls-handshake", new HandshakeLog());
        pipeline.addLast("protocol-detector-tls", new ProtocolDetector(listener, inside));
    }

    /** Tells why a handshake failed; leaves once it has succeeded. */
    private final class HandshakeLog extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                if (!handshake.isSuccess()) {
                    LOG.warn(
                            "MS-0422 TLS handshake failed listener={} peer={} reason=\"{}\"",
                            listener,
                            Peer.text(ctx.channel()),
                            String.valueOf(handshake.cause().getMessage()));
                }
                ctx.pipeline().remove(this);
            }
            ctx.fireUserEventTriggered(event);
        }
    }
}
