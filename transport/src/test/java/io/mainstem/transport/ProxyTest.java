package io.mainstem.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is behind a proxy, and how many connections one address may have. */
final class ProxyTest {
    private static final byte[] SIGNATURE = {0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A};

    private final EventLoops loops = EventLoops.open(1);

    @AfterEach
    void stop() {
        loops.close();
    }

    private Listener listener(int perAddress, String... proxies) throws ListenerException {
        ListenerConfig config = new ListenerConfig(
                "test",
                "127.0.0.1",
                0,
                100,
                perAddress,
                Arrays.stream(proxies).map(AddressRange::parse).toList(),
                10_000,
                4096,
                1 << 10,
                1 << 16);
        return Listener.open(config, List.of(new EchoProtocol()), loops);
    }

    private static Socket connect(Listener listener) throws IOException {
        Socket socket =
                new Socket(listener.address().getAddress(), listener.address().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String say(Socket socket, byte[] header) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(header);
        bytes.write("echo who".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(bytes.toByteArray());
        StringBuilder answer = new StringBuilder();
        for (int c = socket.getInputStream().read();
                c >= 0 && c != ';';
                c = socket.getInputStream().read()) {
            answer.append((char) c);
        }
        return answer.toString();
    }

    private static byte[] version1(String text) {
        return (text + "\r\n").getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] version2(int command, int family, byte... addresses) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(SIGNATURE);
        bytes.write(0x20 | command);
        bytes.write(family);
        bytes.write(0);
        bytes.write(addresses.length);
        bytes.write(addresses);
        return bytes.toByteArray();
    }

    @Test
    @DisplayName("PROXY 2.1, 2.2: both versions tell who is behind a trusted proxy; such a peer is not local")
    void aTrustedProxyTellsWhoIsBehindIt() throws IOException {
        try (Listener listener = listener(100, "127.0.0.0/8")) {
            try (Socket first = connect(listener)) {
                assertThat(say(first, version1("PROXY TCP4 192.0.2.7 127.0.0.1 4711 5672")))
                        .isEqualTo("192.0.2.7 local=false tls=false nobody");
            }
            try (Socket second = connect(listener)) {
                byte[] addresses = {(byte) 198, 51, 100, 9, 127, 0, 0, 1, 0x12, 0x34, 0x16, 0x28};
                assertThat(say(second, version2(1, 0x11, addresses)))
                        .isEqualTo("198.51.100.9 local=false tls=false nobody");
            }
            try (Socket sixth = connect(listener)) {
                assertThat(say(sixth, version1("PROXY TCP6 2001:db8::1 ::1 4711 5672")))
                        .startsWith("2001:db8:0:0:0:0:0:1 local=false");
            }
        }
    }

    @Test
    @DisplayName("PROXY 2.2: LOCAL is the proxy itself")
    void aHealthCheckIsTheProxyItself() throws IOException {
        try (Listener listener = listener(100, "127.0.0.1");
                Socket socket = connect(listener)) {
            assertThat(say(socket, version2(0, 0))).isEqualTo("127.0.0.1 local=true tls=false nobody");
        }
    }

    @Test
    @DisplayName("PROXY 2.1, 2.2: UNKNOWN, UNSPEC and unix sockets tell nothing; such a peer is not on this machine")
    void whoIsNotToldIsNotLocal() throws IOException {
        byte[] paths = new byte[216];
        paths[0] = '/';
        try (Listener listener = listener(100, "127.0.0.1")) {
            for (byte[] header : List.of(version1("PROXY UNKNOWN"), version2(1, 0x00), version2(1, 0x31, paths))) {
                try (Socket socket = connect(listener)) {
                    assertThat(say(socket, header)).isEqualTo("127.0.0.1 local=false tls=false nobody");
                }
            }
        }
    }

    @Test
    @DisplayName("PROXY 2: a proxy without the header is refused, and so is a header from anybody else")
    void theHeaderIsNeverGuessed() throws IOException {
        try (Listener listener = listener(100, "127.0.0.1");
                Socket socket = connect(listener)) {
            socket.getOutputStream().write("echo without any header\r\n".getBytes(StandardCharsets.US_ASCII));
            await().atMost(Duration.ofMinutes(1)).until(() -> listener.connections() == 0);
        }
        try (Listener listener = listener(100, "10.0.0.0/8");
                Socket socket = connect(listener)) {
            socket.getOutputStream().write(version1("PROXY TCP4 192.0.2.7 127.0.0.1 4711 5672"));
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .isEqualTo("echo");
        }
    }

    @Test
    void oneAddressHasSoManyConnectionsAndNoMoreBehindAProxyToo() throws IOException {
        try (Listener listener = listener(2, "10.0.0.0/8");
                Socket first = connect(listener);
                Socket second = connect(listener)) {
            assertThat(say(first, new byte[0])).isNotEmpty();
            assertThat(say(second, new byte[0])).isNotEmpty();
            try (Socket third = connect(listener)) {
                assertThat(third.getInputStream().read()).isEqualTo(-1);
            }
            first.shutdownOutput();
            await().atMost(Duration.ofMinutes(1)).until(() -> listener.connections() == 1);
            try (Socket again = connect(listener)) {
                assertThat(say(again, new byte[0])).isNotEmpty();
            }
        }
        try (Listener listener = listener(1, "127.0.0.1");
                Socket first = connect(listener);
                Socket same = connect(listener);
                Socket other = connect(listener)) {
            assertThat(say(first, version1("PROXY TCP4 192.0.2.7 127.0.0.1 1 5672")))
                    .startsWith("192.0.2.7");
            assertThat(say(same, version1("PROXY TCP4 192.0.2.7 127.0.0.1 2 5672")))
                    .isEmpty();
            assertThat(say(other, version1("PROXY TCP4 192.0.2.8 127.0.0.1 3 5672")))
                    .startsWith("192.0.2.8");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.1, false",
        "192.0.2.128/25, 192.0.2.127, false",
        "0.0.0.0/0, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.1, true",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "::1, 127.0.0.1, false",
    })
    void aRangeHoldsWhatItsPrefixSays(String range, String address, boolean holds) throws IOException {
        assertThat(AddressRange.parse(range).contains(InetAddress.getByName(address)))
                .isEqualTo(holds);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "localhost", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "10.0.0/8/9"})
    void whatIsNoRangeIsRefused(String text) {
        assertThatThrownBy(() -> AddressRange.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
