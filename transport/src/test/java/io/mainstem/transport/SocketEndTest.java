package io.mainstem.transport;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.transport.tls.TlsConfig;
import io.mainstem.transport.tls.TlsContext;
import io.mainstem.transport.tls.TlsProtocol;
import io.mainstem.transport.websocket.Origins;
import io.mainstem.transport.websocket.WebSocketBytes;
import io.mainstem.transport.websocket.WebSocketProtocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that do not read what they are sent: their connections end all the same. */
final class SocketEndTest {
    private static final int FLOOD_BYTES = 32 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    static Path folder;

    private static final TestCertificate[] MADE = new TestCertificate[1];

    private final EventLoops loops = EventLoops.open(1);

    /** How a head may go about it. */
    enum Way {
        CLOSE,
        CLOSE_LATER,
        BOTH_TWICE,
        /** Without {@link SocketEnd}, as where an exception ends it. */
        WITHOUT,
        /** Not at all. */
        NEVER
    }

    @AfterEach
    void stop() {
        loops.close();
    }

    private static TestCertificate certificate() {
        if (MADE[0] == null) {
            MADE[0] = TestCertificate.make(folder, "broker");
        }
        return MADE[0];
    }

    /** Sends more than any buffer holds, then ends the connection. */
    private record Flood(Way way, int bytes) implements ProtocolFactory {
        @Override
        public String name() {
            return "flood";
        }

        @Override
        public Match matches(ByteBuf first) {
            return first.getByte(first.readerIndex()) == 'f' ? Match.YES : Match.NO;
        }

        @Override
        public byte[] ownHeader() {
            return new byte[0];
        }

        @Override
        public void install(ChannelPipeline pipeline) {
            pipeline.addLast(new ChannelInboundHandlerAdapter() {
                private boolean begun;

                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ((ByteBuf) message).release();
                    if (!begun) {
                        begun = true;
                        ctx.pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
                        var unused = ctx.writeAndFlush(Unpooled.wrappedBuffer(new byte[bytes]));
                        end(ctx);
                    }
                }
            });
        }

        private void end(ChannelHandlerContext ctx) {
            SocketEnd end = new SocketEnd(ctx);
            switch (way) {
                case CLOSE -> end.close();
                case CLOSE_LATER -> end.closeLater();
                case BOTH_TWICE -> {
                    end.closeLater();
                    end.close();
                    end.closeLater();
                    end.close();
                }
                case WITHOUT -> {
                    var unused = ctx.close();
                }
                case NEVER -> {}
            }
        }
    }

    private Listener listener(Way way) throws IOException {
        return listener(new Flood(way, FLOOD_BYTES));
    }

    private Listener listener(Flood flood) throws IOException {
        WebSocketProtocol webSocket = new WebSocketProtocol(Map.of("flood", flood), new Origins(Set.of()));
        TlsConfig config = new TlsConfig(
                certificate().pkcs12(), null, certificate().passwordFile(), TlsConfig.ClientCertificates.NONE, null);
        TlsProtocol tls =
                new TlsProtocol("test", TlsContext.open(config, InstantSource.system()), List.of(flood, webSocket));
        return Listener.open(ListenerConfig.of("test", "127.0.0.1", 0), List.of(flood, webSocket, tls), loops);
    }

    /** A client that has asked for the flood, and has read one byte of it. */
    private static Socket flooded(Listener listener, boolean tls, boolean webSocket) throws IOException {
        InetSocketAddress address = listener.address();
        Socket plain = new Socket();
        plain.setReceiveBufferSize(4096);
        plain.connect(address);
        Socket socket = plain;
        if (tls) {
            socket = certificate()
                    .trusting(null)
                    .getSocketFactory()
                    .createSocket(plain, "127.0.0.1", address.getPort(), true);
            ((SSLSocket) socket).startHandshake();
        }
        if (webSocket) {
            socket.getOutputStream().write(WebSocketBytes.upgrade("flood").getBytes(US_ASCII));
            StringBuilder answer = new StringBuilder();
            while (!answer.toString().endsWith("\r\n\r\n")) {
                answer.append((char) socket.getInputStream().read());
            }
            socket.getOutputStream().write(WebSocketBytes.frame(0x82, new byte[] {'f'}, 0));
        } else {
            socket.getOutputStream().write('f');
        }
        assertThat(socket.getInputStream().read()).isGreaterThanOrEqualTo(0);
        return socket;
    }

    private static void awaitNone(Listener listener) {
        await().atMost(PATIENCE).until(() -> listener.connections() == 0);
    }

    /** One over TCP, one over TLS, and each of these with WebSocket. */
    private static List<Socket> floodedAll(Listener listener) throws IOException {
        return List.of(
                flooded(listener, false, false),
                flooded(listener, true, false),
                flooded(listener, false, true),
                flooded(listener, true, true));
    }

    private static void assertCut(List<Socket> clients) throws IOException {
        for (Socket client : clients) {
            assertThat(client.isClosed()).as("closed by the test").isFalse();
            client.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "CLOSE_LATER", "BOTH_TWICE", "WITHOUT"})
    @DisplayName("a connection whose peer does not read ends when the broker ends it, over TCP, TLS and WebSocket")
    void clogged(Way way) throws IOException {
        try (Listener listener = listener(way)) {
            List<Socket> clients = floodedAll(listener);
            awaitNone(listener);
            assertCut(clients);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "CLOSE_LATER"})
    @DisplayName("... also when the peer has sent its close frame, or has ended its half of the stream")
    void cloggedAndLeaving(Way way) throws IOException {
        try (Listener listener = listener(way)) {
            try (Socket leaves = flooded(listener, false, true)) {
                leaves.getOutputStream().write(WebSocketBytes.frame(0x88, new byte[0], 0));
                awaitNone(listener);
            }
            try (Socket half = flooded(listener, false, true)) {
                half.shutdownOutput();
                awaitNone(listener);
            }
        }
    }

    @Test
    @DisplayName("... and when the broker stops, at the end of the grace")
    void cloggedAtTheStop() throws IOException {
        try (Listener listener = listener(Way.NEVER)) {
            List<Socket> clients = floodedAll(listener);
            listener.close(Duration.ofMillis(100));
            assertThat(listener.connections()).isZero();
            assertCut(clients);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a peer that does read gets all, to the last byte, before the end")
    void allArrives(boolean webSocket) throws IOException {
        int bytes = 100_000;
        try (Listener listener = listener(new Flood(Way.CLOSE, bytes));
                Socket socket = flooded(listener, false, webSocket)) {
            int more = socket.getInputStream().readAllBytes().length;
            // Two headers of four bytes, and the close frame.
            assertThat(more + 1).isEqualTo(bytes + (webSocket ? 2 * 4 + 4 : 0));
        }
    }
}
