package io.mainstem.transport.tls;

import io.mainstem.transport.Peer;
import io.mainstem.transport.PeerLog;
import io.mainstem.transport.ProtocolDetector;
import io.mainstem.transport.ProtocolFactory;
import io.mainstem.transport.SocketEnd;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.util.List;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

/**
 * TLS as a protocol of a listener: recognised by its first bytes, and with protocols of its own inside. A listener with
 * others beside it answers both on one port; one with nothing else is encrypted or silent. Thread: any.
 */
public final class TlsProtocol implements ProtocolFactory {
    private static final PeerLog LOG = PeerLog.of(TlsProtocol.class);
    private static final int HANDSHAKE_RECORD = 0x16;
    private static final int VERSION_MAJOR = 3;
    private static final String RENEGOTIATING = "TLSv1.2";

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
        SslHandler tls = context.newHandler(pipeline.channel().alloc());
        tls.setCloseNotifyFlushTimeoutMillis(SocketEnd.CUT_MS);
        pipeline.addLast("tls", tls);
        pipeline.addLast("tls-handshake", new Handshakes(tls.engine()));
        pipeline.addLast("protocol-detector-tls", new ProtocolDetector(listener, inside));
    }

    /**
     * Tells why a handshake failed, and sees that there is one only: TLS 1.2 lets a client begin another at any time, at
     * the price of a few bytes for it and of a signature for the broker.
     */
    private final class Handshakes extends ChannelInboundHandlerAdapter {
        private final SSLEngine engine;
        private boolean complete;

        Handshakes(SSLEngine engine) {
            this.engine = engine;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                complete = handshake.isSuccess();
                if (!complete) {
                    LOG.warn(
                            "MS-0422",
                            "MS-0422 TLS handshake failed listener={} peer={} reason=\"{}\"",
                            listener,
                            Peer.text(ctx.channel()),
                            String.valueOf(handshake.cause().getMessage()));
                }
                if (!complete || !RENEGOTIATING.equals(engine.getSession().getProtocol())) {
                    ctx.pipeline().remove(this);
                }
            }
            ctx.fireUserEventTriggered(event);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            if (complete && engine.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP) {
                LOG.warn(
                        "MS-0431",
                        "MS-0431 TLS renegotiation refused listener={} peer={} fix: let the client connect anew"
                                + " instead; TLS 1.3 knows no renegotiation.",
                        listener,
                        Peer.text(ctx.channel()));
                complete = false;
                var unused = ctx.close();
            }
            ctx.fireChannelReadComplete();
        }
    }
}
