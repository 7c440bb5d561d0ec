package io.mainstem.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Picks the protocol of a connection by its first bytes, then leaves the pipeline. A peer that speaks none of them gets
 * the listener's own header and is closed. Thread: the connection's event loop.
 */
public final class ProtocolDetector extends ByteToMessageDecoder {
    /** Bytes after which every protocol must have decided. */
    public static final int HEADER_BYTES = 8;

    private static final Logger LOG = LoggerFactory.getLogger(ProtocolDetector.class);
    private static final PeerLog PEERS = PeerLog.of(ProtocolDetector.class);

    private final String listener;
    private final List<ProtocolFactory> protocols;
    private boolean refused;

    /** @param protocols asked in this order; not empty */
    public ProtocolDetector(String listener, List<ProtocolFactory> protocols) {
        this.listener = listener;
        this.protocols = List.copyOf(protocols);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        if (refused) {
            in.skipBytes(in.readableBytes());
            return;
        }
        int seen = Math.min(in.readableBytes(), HEADER_BYTES);
        ByteBuf first = in.slice(in.readerIndex(), seen);
        boolean undecided = false;
        for (ProtocolFactory protocol : protocols) {
            ProtocolFactory.Match match = protocol.matches(first);
            if (match == ProtocolFactory.Match.YES) {
                protocol.install(ctx.pipeline());
                ctx.pipeline().remove(this);
                return;
            }
            undecided |= match == ProtocolFactory.Match.UNDECIDED;
        }
        if (!undecided || seen == HEADER_BYTES) {
            refuse(ctx, in, seen);
        }
    }

    private void refuse(ChannelHandlerContext ctx, ByteBuf in, int seen) {
        refused = true;
        PEERS.warn(
                "MS-0402",
                "MS-0402 unknown protocol listener={} peer={} first-bytes={}",
                listener,
                Peer.text(ctx.channel()),
                ByteBufUtil.hexDump(in, in.readerIndex(), seen));
        in.skipBytes(in.readableBytes());
        byte[] header = protocols.get(0).ownHeader();
        ctx.writeAndFlush(Unpooled.wrappedBuffer(header)).addListener(ChannelFutureListener.CLOSE);
    }

    /** There is nobody yet whom a protocol could tell that the broker stops. */
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
        LOG.debug("connection lost before its first {} bytes: {}", HEADER_BYTES, cause.toString());
        var unused = ctx.close();
    }
}
