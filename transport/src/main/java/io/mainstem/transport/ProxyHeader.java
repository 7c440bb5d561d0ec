package io.mainstem.transport;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Learns from the PROXY header (version 1 or 2) who is behind a proxy, then leaves the pipeline. Where a header is
 * expected it has to come: to guess would let a client behind the proxy pretend. What a proxy sends on its own behalf (LOCAL of
 * version 2), such as a health check, keeps the proxy's address; whoever is behind it without an IP address that is told
 * is counted under the proxy's, but is never taken for a peer on this machine. Thread: the connection's event loop.
 */
final class ProxyHeader extends ChannelInboundHandlerAdapter {
    private static final PeerLog LOG = PeerLog.of(ProxyHeader.class);

    private final String listener;
    private final Admission admission;

    ProxyHeader(String listener, Admission admission) {
        this.listener = listener;
        this.admission = admission;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!(message instanceof HAProxyMessage header)) {
            ctx.fireChannelRead(message);
            return;
        }
        InetSocketAddress from = (InetSocketAddress) ctx.channel().remoteAddress();
        try {
            if (header.command() != HAProxyCommand.LOCAL) {
                InetAddress source = source(header);
                if (source == null) {
                    ctx.channel().attr(Peer.UNKNOWN_BEHIND_PROXY).set(true);
                } else {
                    from = new InetSocketAddress(source, header.sourcePort());
                    ctx.channel().attr(Peer.REAL_ADDRESS).set(from);
                }
            }
        } finally {
            header.release();
        }
        if (admission.admit(ctx.channel(), from)) {
            ctx.pipeline().remove(this);
        }
    }

    /** Null for UNKNOWN, UNSPEC and the paths of unix sockets. */
    private static @Nullable InetAddress source(HAProxyMessage header) {
        return header.sourceAddress() == null ? null : AddressRange.literal(header.sourceAddress());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.warn(
                "MS-0407",
                "MS-0407 no valid PROXY header listener={} proxy={} reason=\"{}\" fix: let the proxy send it, or take its"
                        + " address out of {}.proxy-sources.",
                listener,
                ctx.channel().remoteAddress(),
                cause.getMessage(),
                listener);
        var unused = ctx.close();
    }
}
