package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.transport.InputBudget;
import io.mainstem.transport.Listener;
import io.mainstem.transport.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The end of a connection's pipeline: bytes and events of the socket for {@link MqttConnection}. Thread: its event loop. */
final class PacketDecoder extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(PacketDecoder.class);

    private final MqttProtocol protocol;
    private @Nullable MqttConnection connection;
    private InputBudget.@Nullable Hold unread;

    PacketDecoder(MqttProtocol protocol) {
        this.protocol = protocol;
    }

    private MqttConnection connection() {
        MqttConnection present = connection;
        if (present == null) {
            throw new IllegalStateException("the handler is not in a pipeline");
        }
        return present;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        connection = new MqttConnection(protocol, ctx, () -> readOn(ctx));
        unread =
                protocol.input().share(Long.MAX_VALUE).hold(() -> ctx.executor().execute(() -> unreadLapsed(ctx)));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        int count = message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        connection().onReadBegin(count);
        protocol.statistics().received(count);
        super.channelRead(ctx, message);
        if (!countUnread()) {
            noRoom();
            super.channelRead(ctx, Unpooled.EMPTY_BUFFER);
        }
    }

    /** Counts what is kept of a packet that is not complete; false if there is no room for it. */
    private boolean countUnread() {
        InputBudget.Hold its = unread;
        boolean keeps = !connection().isClosing() && actualReadableBytes() > 0;
        return its == null || its.resize(keeps ? internalBuffer().capacity() : 0);
    }

    /** While the broker itself does not read, the rest of a packet cannot come. */
    private void unreadLapsed(ChannelHandlerContext ctx) {
        if (ctx.channel().config().isAutoRead()) {
            noRoom();
        }
    }

    private void noRoom() {
        connection()
                .fail(new MqttViolation(
                        Reason.QUOTA_EXCEEDED,
                        "MS-0603 limit: too many bytes in incomplete packets over all connections fix: send it again"
                                + " later, or give the broker more memory"));
    }

    private void forget() {
        InputBudget.Hold its = unread;
        if (its != null) {
            its.clear();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        connection().onReadEnd();
        // Not super's: that would ask for more input although reading is paused.
        discardSomeReadBytes();
        ctx.fireChannelReadComplete();
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        int before = in.readerIndex();
        connection().onBytes(in);
        InputBudget.Hold its = unread;
        if (its != null && in.readerIndex() != before) {
            its.next();
        }
    }

    /** What waits in the decoder's buffer is no new input. */
    private void readOn(ChannelHandlerContext ctx) {
        try {
            super.channelRead(ctx, Unpooled.EMPTY_BUFFER);
            var unused = countUnread();
        } catch (Exception e) {
            exceptionCaught(ctx, e);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        connection().onWritability(ctx.channel().isWritable());
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == Listener.SHUTDOWN) {
            connection().onBrokerStop();
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        connection().onClosed();
        forget();
        super.channelInactive(ctx);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        // The last thing Netty tells a handler, once the channel is closed and deregistered.
        connection().onClosed();
        forget();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Resets and the like; what the peer did wrong is answered where it is decoded.
        LOG.debug("connection lost peer={} cause={}", Peer.text(ctx.channel()), cause.toString());
        connection().onClosed();
        forget();
        var unused = ctx.close();
    }
}
