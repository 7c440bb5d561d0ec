package io.mainstem.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every protocol gets from its listener. */
final class ListenerTest {
    private static final int TIMEOUT_MS = 60_000;

    private EventLoops loops;
    private Listener listener;

    @BeforeEach
    void start() throws IOException {
        loops = EventLoops.open(1);
        listener = Listener.open(config(0, 3, 5_000), List.of(new Echo("one"), new Echo("other")), loops);
    }

    @AfterEach
    void stop() {
        listener.close();
        loops.close();
    }

    private static ListenerConfig config(int port, int connectionsMax, int handshakeMs) {
        return new ListenerConfig(
                "test",
                "127.0.0.1",
                port,
                connectionsMax,
                connectionsMax,
                List.of(),
                handshakeMs,
                2048,
                1 << 10,
                1 << 16);
    }

    @Test
    void theFirstBytesChooseTheProtocolAndReachIt() throws IOException {
        try (Socket client = connect(listener.address())) {
            client.getOutputStream().write("oth".getBytes(StandardCharsets.US_ASCII));
            client.getOutputStream().write("er! rest".getBytes(StandardCharsets.US_ASCII));

            assertThat(read(client, 11)).isEqualTo("other! rest");
        }
    }

    @Test
    void anUnknownProtocolGetsTheFirstOnesHeaderAndIsClosed() throws IOException {
        try (Socket client = connect(listener.address())) {
            client.getOutputStream().write("unknown!".getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .isEqualTo("i am one");
        }
    }

    @Test
    void aPeerThatSaysNothingIsClosedInTime() throws IOException {
        try (Listener hasty = Listener.open(config(0, 3, 50), List.of(new Echo("one")), loops);
                Socket client = connect(hasty.address())) {
            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    @DisplayName(
            "who has logged in has time, as much as the head gives; bytes are counted until it has introduced itself")
    void aLoginEndsTheTimeOfTheHandshake() {
        EmbeddedChannel channel = new EmbeddedChannel(new HandshakeGuard(config(0, 3, 50)));
        channel.freezeTime();
        channel.pipeline().fireUserEventTriggered(HandshakeGuard.AUTHENTICATED);
        channel.advanceTimeBy(1, TimeUnit.HOURS);
        channel.runScheduledPendingTasks();
        assertThat(channel.isOpen()).isTrue();
        channel.writeInbound(Unpooled.buffer().writeZero(5000));
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void bytesBeforeTheHandshakeAreLimited() throws IOException {
        try (Socket client = connect(listener.address())) {
            client.getOutputStream().write("one".getBytes(StandardCharsets.US_ASCII));
            client.getOutputStream().write(new byte[5000]);

            await().atMost(Duration.ofMinutes(1)).until(() -> listener.connections() == 0);
        }
    }

    @Test
    void afterTheHandshakeThereIsNoLimit() throws IOException {
        try (Socket client = connect(listener.address())) {
            client.getOutputStream().write("one done".getBytes(StandardCharsets.US_ASCII));
            read(client, 8);
            byte[] much = new byte[50_000];
            client.getOutputStream().write(much);

            assertThat(client.getInputStream().readNBytes(much.length)).isEqualTo(much);
        }
    }

    @Test
    void connectionsAboveTheLimitAreClosedAndOthersGoOn() throws IOException {
        try (Socket first = connect(listener.address());
                Socket second = connect(listener.address());
                Socket third = connect(listener.address())) {
            assertThat(first.isConnected() && second.isConnected()).isTrue();
            await().atMost(Duration.ofMinutes(1)).until(() -> listener.connections() == 3);
            try (Socket fourth = connect(listener.address())) {
                assertThat(fourth.getInputStream().read()).isEqualTo(-1);
            }
            third.getOutputStream().write("one done".getBytes(StandardCharsets.US_ASCII));
            assertThat(read(third, 8)).isEqualTo("one done");
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> listener.connections() == 0);
    }

    @Test
    void aTakenPortIsOneClearMessage() {
        int port = listener.address().getPort();
        assertThatThrownBy(() -> Listener.open(config(port, 3, 50), List.of(new Echo("one")), loops))
                .isInstanceOf(ListenerException.class)
                .hasMessageContaining("MS-0401 cannot listen on 127.0.0.1:" + port)
                .hasMessageContaining("fix:")
                .hasMessageContaining("test.port");
    }

    @Test
    void closingTellsTheConnectionsFirst() throws IOException {
        try (Socket client = connect(listener.address())) {
            client.getOutputStream().write("one done".getBytes(StandardCharsets.US_ASCII));
            read(client, 8);

            listener.close(Duration.ofMinutes(1));

            assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .isEqualTo("bye");
        }
    }

    @Test
    @Timeout(60)
    void closingDoesNotWaitForPeersThatHaveSaidNothing() throws IOException {
        try (Listener patient = Listener.open(config(0, 3, 60_000), List.of(new Echo("one")), loops);
                Socket client = connect(patient.address())) {
            await().atMost(Duration.ofMinutes(1)).until(() -> patient.connections() == 1);

            patient.close(Duration.ofMinutes(5));

            assertThat(client.getInputStream().read()).isEqualTo(-1);
        }
    }

    private static Socket connect(InetSocketAddress address) throws IOException {
        Socket socket = new Socket(address.getAddress(), address.getPort());
        socket.setSoTimeout(TIMEOUT_MS);
        return socket;
    }

    private static String read(Socket socket, int bytes) throws IOException {
        return new String(socket.getInputStream().readNBytes(bytes), StandardCharsets.US_ASCII);
    }

    /** Sends back what it gets; knows its peer once it says "done". */
    private record Echo(String name) implements ProtocolFactory {
        @Override
        public Match matches(ByteBuf first) {
            String seen = first.toString(StandardCharsets.US_ASCII);
            if (seen.startsWith(name)) {
                return Match.YES;
            }
            return name.startsWith(seen) ? Match.UNDECIDED : Match.NO;
        }

        @Override
        public byte[] ownHeader() {
            return ("i am " + name).getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public void install(ChannelPipeline pipeline) {
            pipeline.addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ByteBuf bytes = (ByteBuf) message;
                    if (bytes.toString(StandardCharsets.US_ASCII).contains("done")) {
                        ctx.pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
                    }
                    var unused = ctx.writeAndFlush(bytes);
                }

                @Override
                public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                    if (event == Listener.SHUTDOWN) {
                        ByteBuf bye = ctx.alloc().buffer().writeBytes("bye".getBytes(StandardCharsets.US_ASCII));
                        ctx.writeAndFlush(bye).addListener(ChannelFutureListener.CLOSE);
                    }
                }
            });
        }
    }
}
