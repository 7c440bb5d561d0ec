package io.mainstem.launcher.admin;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a command says of a broker that answers, but not to the end. */
final class EarlyEndTest {
    private static final byte[] SASL = {'A', 'M', 'Q', 'P', 3, 1, 0, 0};

    @Test
    @DisplayName("a connection that is ended without a word is told as that, not as a broker that is not there")
    void withoutAWord() throws IOException {
        asked(new byte[0], "MS-0139 ", "ended the connection without a word");
    }

    @Test
    @DisplayName("one that is ended in the middle of the header, too")
    void inTheHeader() throws IOException {
        asked(new byte[] {'A', 'M'}, "MS-0139 ", "after 2 bytes");
    }

    @Test
    @DisplayName("one that is ended at the login, too")
    void atTheLogin() throws IOException {
        asked(SASL, "MS-0139 ", "ended the connection without saying why");
    }

    @Test
    @DisplayName("something else that listens there is told by what it answers")
    void somethingElse() throws IOException {
        asked("HTTP/1.1 400".getBytes(StandardCharsets.US_ASCII), "MS-0139 ", "which is not AMQP 1.0");
    }

    @Test
    @DisplayName("where nobody listens, no broker answers")
    void nobody() throws IOException {
        int free;
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            free = listener.getLocalPort();
        }
        BrokerUrl url = BrokerUrl.parse("amqp://127.0.0.1:" + free);

        assertThatThrownBy(() -> ManagementClient.connect(url, null, null))
                .isInstanceOf(ManagementFailure.class)
                .hasMessageStartingWith("MS-0130 ");
    }

    private static void asked(byte[] answer, String code, String text) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread broker = new Thread(() -> answer(listener, answer));
            broker.start();
            BrokerUrl url = BrokerUrl.parse("amqp://127.0.0.1:" + listener.getLocalPort());

            assertThatThrownBy(() -> ManagementClient.connect(url, null, null))
                    .isInstanceOf(ManagementFailure.class)
                    .hasMessageStartingWith(code)
                    .hasMessageContaining(text);
        }
    }

    /** Reads the header, so that the end is none by reset. */
    private static void answer(ServerSocket listener, byte[] answer) {
        try (Socket socket = listener.accept()) {
            if (socket.getInputStream().readNBytes(SASL.length).length == SASL.length) {
                socket.getOutputStream().write(answer);
            }
        } catch (IOException gone) {
            // The test has what it wanted.
        }
    }
}
