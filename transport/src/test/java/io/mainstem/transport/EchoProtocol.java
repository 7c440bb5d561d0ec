package io.mainstem.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import java.nio.charset.StandardCharsets;

/** Begins with {@code echo}; sends back what it gets, and who it was from if it is asked "who". */
public final class EchoProtocol implements ProtocolFactory {
    @Override
    public String name() {
        return "echo";
    }

    @Override
    public Match matches(ByteBuf first) {
        String seen = first.toString(StandardCharsets.US_ASCII);
        return seen.startsWith("echo") ? Match.YES : "echo".startsWith(seen) ? Match.UNDECIDED : Match.NO;
    }

    @Override
    public byte[] ownHeader() {
        return "echo".getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void install(ChannelPipeline pipeline) {
        pipeline.addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                ByteBuf bytes = (ByteBuf) message;
                if (bytes.toString(StandardCharsets.US_ASCII).contains("who")) {
                    Peer peer = Peer.of(ctx.channel());
                    String subject = peer.certificate() == null
                            ? "nobody"
                            : peer.certificate().getSubjectX500Principal().getName();
                    bytes.clear();
                    bytes.writeCharSequence(
                            peer.address().getHostAddress() + " local=" + peer.local() + " tls=" + peer.encrypted()
                                    + " " + subject + ";",
                            StandardCharsets.US_ASCII);
                }
                var unused = ctx.writeAndFlush(bytes);
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                if (event == Listener.SHUTDOWN) {
                    var unused = ctx.close();
                }
            }
        });
    }
}
