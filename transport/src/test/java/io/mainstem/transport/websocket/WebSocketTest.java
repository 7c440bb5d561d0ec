package io.mainstem.transport.websocket;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.transport.EchoProtocol;
import io.mainstem.transport.EventLoops;
import io.mainstem.transport.Listener;
import io.mainstem.transport.ListenerConfig;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** WebSocket on the port of the protocol inside it, by the JDK's client and byte by byte. */
final class WebSocketTest {
    private static final int SECONDS_MAX = 60;

    private EventLoops loops;
    private Listener listener;

    @BeforeEach
    void start() throws IOException {
        loops = EventLoops.open(1);
        EchoProtocol echo = new EchoProtocol();
        WebSocketProtocol webSocket =
                new WebSocketProtocol(Map.of("echo", echo), new Origins(Set.of("https://shop.example")));
        listener = Listener.open(ListenerConfig.of("test", "127.0.0.1", 0), List.of(echo, webSocket), loops);
    }

    @AfterEach
    void stop() {
        listener.close();
        loops.close();
    }

    private WebSocket open(Received received, String... subprotocols) {
        WebSocket.Builder builder = HttpClient.newHttpClient().newWebSocketBuilder();
        if (subprotocols.length > 0) {
            builder.subprotocols(
                    subprotocols[0],
                    List.of(subprotocols).subList(1, subprotocols.length).toArray(new String[0]));
        }
        URI uri = URI.create("ws://127.0.0.1:" + listener.address().getPort() + "/any/path");
        return builder.buildAsync(uri, received)
                .orTimeout(SECONDS_MAX, TimeUnit.SECONDS)
                .join();
    }

    @Test
    @DisplayName("RFC 6455, 5: bytes in frames of any size go in and come out; ping is answered, close too")
    void aStreamInFrames() throws Exception {
        Received received = new Received(4 + 5 + 50_000);
        WebSocket socket = open(received, "unknown", "echo");
        assertThat(socket.getSubprotocol()).isEqualTo("echo");
        byte[] large = new byte[50_000];
        large[49_999] = 'z';

        socket.sendBinary(ByteBuffer.wrap("ec".getBytes(US_ASCII)), false).join();
        socket.sendBinary(ByteBuffer.wrap("ho".getBytes(US_ASCII)), true).join();
        socket.sendBinary(ByteBuffer.wrap("hello".getBytes(US_ASCII)), true).join();
        socket.sendBinary(ByteBuffer.wrap(large), true).join();
        byte[] all = received.enough.get(SECONDS_MAX, TimeUnit.SECONDS);
        assertThat(new String(all, 0, 9, US_ASCII)).isEqualTo("echohello");
        assertThat(all[all.length - 1]).isEqualTo((byte) 'z');

        socket.sendPing(ByteBuffer.wrap(new byte[] {7})).join();
        assertThat(received.pong.get(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo((byte) 7);
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
        assertThat(received.closed.get(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo(WebSocket.NORMAL_CLOSURE);
    }

    @Test
    @DisplayName("AMQP-WS 2.2, MQTT-6.0.0-1: a text frame ends the connection")
    void textIsRefused() throws Exception {
        Received received = new Received(1);
        open(received, "echo").sendText("echo", true).join();

        assertThat(received.closed.get(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo(1003);
    }

    @Test
    void thePortStillSpeaksWithoutHttp() throws IOException {
        try (Socket plain =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            plain.getOutputStream().write("echo".getBytes(US_ASCII));
            assertThat(plain.getInputStream().readNBytes(4)).isEqualTo("echo".getBytes(US_ASCII));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET / HTTP/1.1 | 426 | speaks WebSocket",
                "GET / HTTP/1.1~Upgrade: websocket~Connection: Upgrade~Sec-WebSocket-Version: 13~Sec-WebSocket-Key: x"
                        + " | 400 | subprotocol",
                "GET / HTTP/1.1~Upgrade: websocket~Connection: Upgrade~Sec-WebSocket-Version: 13"
                        + "~Sec-WebSocket-Protocol: echo | 400 | MS-0430",
                "GET / HTTP/1.1~Upgrade: websocket~Connection: Upgrade~Sec-WebSocket-Version: 13~Sec-WebSocket-Key: x"
                        + "~Sec-WebSocket-Protocol: echo~Origin: https://evil.example | 403 | websocket.origins",
            })
    void whatIsNotWhatThisPortIsForIsToldInHttp(String request, int status, String text) throws IOException {
        try (Socket plain =
                new Socket(listener.address().getAddress(), listener.address().getPort())) {
            plain.setSoTimeout(SECONDS_MAX * 1_000);
            plain.getOutputStream()
                    .write((request.replace("~", "\r\n") + "\r\nHost: 127.0.0.1\r\n\r\n").getBytes(US_ASCII));
            String answer = new String(plain.getInputStream().readAllBytes(), US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 " + status).contains(text);
        }
    }

    @ParameterizedTest
    @DisplayName("RFC 6455, 10.2: pages of other origins may not use this port")
    @CsvSource({
        ", 127.0.0.1:5672, true",
        "https://shop.example, 127.0.0.1:5672, true",
        "https://SHOP.example, 127.0.0.1:5672, true",
        "http://127.0.0.1:5672, 127.0.0.1:5672, true",
        "http://localhost:5672, localhost:5672, true",
        "http://[::1]:5672, [::1]:5672, true",
        "http://127.0.0.1, 127.0.0.1, true",
        "http://127.0.0.1:8080, 127.0.0.1:5672, false",
        "http://rebound.example:5672, rebound.example:5672, false",
        "https://evil.example, 127.0.0.1:5672, false",
        "null, 127.0.0.1:5672, false",
        "https://evil example, 127.0.0.1:5672, false",
    })
    void origins(String origin, String host, boolean permitted) {
        Origins origins = new Origins(Set.of("https://shop.example"));

        assertThat(origins.permits(origin, host)).isEqualTo(permitted);
    }

    @Test
    void aHeadThatClosesSaysSoInWebSocket() throws Exception {
        Received received = new Received(4);
        WebSocket socket = open(received, "echo");
        socket.sendBinary(ByteBuffer.wrap("echo".getBytes(US_ASCII)), true).join();
        received.enough.get(SECONDS_MAX, TimeUnit.SECONDS);

        listener.close(Duration.ofSeconds(SECONDS_MAX));

        assertThat(received.closed.get(SECONDS_MAX, TimeUnit.SECONDS)).isEqualTo(WebSocket.NORMAL_CLOSURE);
    }

    private static final class Received implements WebSocket.Listener {
        private final int wanted;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final CompletableFuture<byte[]> enough = new CompletableFuture<>();
        private final CompletableFuture<Byte> pong = new CompletableFuture<>();
        private final CompletableFuture<Integer> closed = new CompletableFuture<>();

        Received(int wanted) {
            this.wanted = wanted;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            byte[] copy = new byte[data.remaining()];
            data.get(copy);
            bytes.writeBytes(copy);
            if (bytes.size() >= wanted) {
                enough.complete(bytes.toByteArray());
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
            pong.complete(message.get());
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            enough.completeExceptionally(error);
            closed.completeExceptionally(error);
        }
    }
}
