package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.transport.Listener;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.EmptyFrame;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.FrameBody;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer in this JVM that hands frames over without encoding them (ADR 0048). */
final class LocalPeerTest {
    private static final int PATIENCE_S = 60;

    @TempDir
    Path folder;

    private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final FrameWriter writer = new FrameWriter();
    private TestServer server;
    private Listener listener;
    private Channel channel;

    @BeforeEach
    void connect() throws Exception {
        server = new TestServer(folder);
        server.declareQueue("q", Map.of());
        LocalAddress address = new LocalAddress("local-peer-test");
        listener = server.openLocal(address);
        channel = new Bootstrap()
                .group(loops)
                .channel(LocalChannel.class)
                .handler(new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext ctx, Object message) {
                        if (message instanceof TransportFrame[] frames) {
                            received.addAll(List.of(frames));
                        } else {
                            received.add(message);
                        }
                    }
                })
                .connect(address)
                .sync()
                .channel();
        channel.writeAndFlush(Unpooled.wrappedBuffer(AmqpProtocol.AMQP_HEADER)).sync();
        ByteBuf header = (ByteBuf) next();
        assertThat(ByteBufUtil.getBytes(header.readSlice(8))).isEqualTo(AmqpProtocol.AMQP_HEADER);
        header.release();
        Open open = new Open();
        open.setContainerId("local");
        encoded(open);
    }

    @AfterEach
    void stop() throws IOException {
        channel.close().syncUninterruptibly();
        listener.close();
        server.close();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
        for (Object left = received.poll(); left != null; left = received.poll()) {
            if (left instanceof ByteBuf bytes) {
                bytes.release();
            }
        }
    }

    private Object next() throws InterruptedException {
        Object message = received.poll(PATIENCE_S, TimeUnit.SECONDS);
        assertThat(message).as("a message within %s s", PATIENCE_S).isNotNull();
        return message;
    }

    /** The next of these, encoded or not; others before it are passed over. */
    private <T extends FrameBody> TransportFrame next(Class<T> type) throws InterruptedException {
        while (true) {
            Object message = next();
            if (message instanceof TransportFrame frame && type.isInstance(frame.getBody())) {
                return frame;
            }
            if (message instanceof ByteBuf bytes) {
                try {
                    Object found = find(bytes, type);
                    if (found != null) {
                        return new TransportFrame(-1, type.cast(found), null);
                    }
                } finally {
                    bytes.release();
                }
            }
        }
    }

    private static @Nullable Object find(ByteBuf bytes, Class<?> type) {
        FrameReader reader = new FrameReader();
        Object found = null;
        while (reader.next(bytes, Integer.MAX_VALUE)) {
            Object body = bytes.readerIndex() == reader.end()
                    ? null
                    : PerformativeCodec.ofThread().read(bytes, reader.end());
            found = type.isInstance(body) ? body : found;
            bytes.readerIndex(reader.end());
        }
        return found;
    }

    private void encoded(FrameBody body) {
        ByteBuf frame = Unpooled.buffer();
        writer.write(frame, FrameReader.AMQP, 0, body);
        channel.writeAndFlush(frame).syncUninterruptibly();
    }

    private void unencoded(FrameBody body, byte... payload) {
        channel.writeAndFlush(new TransportFrame[] {new TransportFrame(0, body, new Binary(payload))})
                .syncUninterruptibly();
    }

    private void begin() throws InterruptedException {
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.valueOf(1000));
        begin.setOutgoingWindow(UnsignedInteger.valueOf(1000));
        encoded(begin);
        Target target = new Target();
        target.setAddress("q");
        target.setCapabilities(Symbol.valueOf("queue"));
        encoded(ScriptedPeer.senderAttach(0, target));
        next(Flow.class);
    }

    private void receive() {
        Source source = new Source();
        source.setAddress("q");
        source.setCapabilities(Symbol.valueOf("queue"));
        encoded(ScriptedPeer.receiverAttach(1, source));
        Flow flow = ScriptedPeer.sessionFlow(1000);
        flow.setHandle(UnsignedInteger.ONE);
        flow.setDeliveryCount(UnsignedInteger.ZERO);
        flow.setLinkCredit(UnsignedInteger.valueOf(10));
        encoded(flow);
    }

    @Test
    @DisplayName("transfers and dispositions go over as objects in both directions, once the peer has sent one")
    void messagesAreNotEncoded() throws Exception {
        unencoded(EmptyFrame.INSTANCE);
        begin();
        unencoded(ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 7));
        TransportFrame answer = next(Disposition.class);
        assertThat(answer.getChannel()).as("an object, not encoded").isZero();
        assertThat(((Disposition) answer.getBody()).getState()).isEqualTo(Accepted.getInstance());
        receive();
        TransportFrame delivered = next(Transfer.class);
        assertThat(delivered.getChannel()).as("an object, not encoded").isZero();
        assertThat(ScriptedPeer.bodyOf(delivered.getPayload().getArray())).containsExactly(7);
        Disposition accepted = new Disposition();
        accepted.setRole(Role.RECEIVER);
        accepted.setFirst(((Transfer) delivered.getBody()).getDeliveryId());
        accepted.setState(Accepted.getInstance());
        unencoded(accepted);
        Disposition settled = (Disposition) next(Disposition.class).getBody();
        assertThat(settled.getRole()).isEqualTo(Role.SENDER);
        assertThat(settled.getSettled()).isTrue();
    }

    @Test
    @DisplayName("a message of any size is one frame, whatever the largest frame is")
    void largeMessagesAreNotCut() throws Exception {
        unencoded(EmptyFrame.INSTANCE);
        begin();
        byte[] body = new byte[300_000];
        body[299_999] = 3;
        unencoded(ScriptedPeer.transfer(0, 0), ScriptedPeer.durable(body));
        next(Disposition.class);
        receive();
        TransportFrame delivered = next(Transfer.class);
        assertThat(((Transfer) delivered.getBody()).getMore()).isFalse();
        assertThat(ScriptedPeer.bodyOf(delivered.getPayload().getArray())).isEqualTo(body);
    }

    @Test
    void aPeerThatSendsBytesGetsBytes() throws Exception {
        begin();
        ByteBuf frame = Unpooled.buffer();
        writer.write(frame, FrameReader.AMQP, 0, ScriptedPeer.transfer(0, 0));
        frame.writeBytes(ScriptedPeer.durable((byte) 7));
        writer.end(frame, 0);
        channel.writeAndFlush(frame).sync();
        assertThat(next(Disposition.class).getChannel()).as("encoded").isNegative();
    }

    @Test
    @DisplayName("[D-5] what is wrong in a frame is answered as if it had been encoded")
    void wrongFramesEndTheConnection() throws Exception {
        unencoded(EmptyFrame.INSTANCE);
        begin();
        Transfer withoutHandle = new Transfer();
        unencoded(withoutHandle);
        Close close = (Close) next(Close.class).getBody();
        assertThat(close.getError().getCondition().toString()).isEqualTo("amqp:decode-error");
    }
}
