package io.mainstem.transport.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.transport.EchoProtocol;
import io.mainstem.transport.EventLoops;
import io.mainstem.transport.Listener;
import io.mainstem.transport.ListenerConfig;
import io.mainstem.transport.ProtocolFactory;
import io.mainstem.transport.TestCertificate;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** TLS as clients meet it, and certificate files as operators make them. */
final class TlsTest {
    @TempDir
    static Path folder;

    private static final TestCertificate[] MADE = new TestCertificate[1];

    private final EventLoops loops = EventLoops.open(1);

    @AfterEach
    void stop() {
        loops.close();
    }

    private static TestCertificate broker() {
        if (MADE[0] == null) {
            MADE[0] = TestCertificate.make(folder, "broker");
        }
        return MADE[0];
    }

    private static TlsConfig pem(TestCertificate own) {
        return new TlsConfig(own.certificatePem(), own.keyPem(), null, TlsConfig.ClientCertificates.NONE, null);
    }

    private static TlsConfig asking(TlsConfig.ClientCertificates wanted, TestCertificate authority) {
        return new TlsConfig(broker().pkcs12(), null, broker().passwordFile(), wanted, authority.certificatePem());
    }

    private Listener listener(TlsContext context, boolean plainToo) throws IOException {
        ProtocolFactory echo = new EchoProtocol();
        TlsProtocol tls = new TlsProtocol("test", context, List.of(echo));
        return Listener.open(
                ListenerConfig.of("test", "127.0.0.1", 0), plainToo ? List.of(echo, tls) : List.of(tls), loops);
    }

    private static SSLSocket connect(Listener listener, SSLContext client) throws IOException {
        SSLSocket socket = (SSLSocket) client.getSocketFactory()
                .createSocket(
                        listener.address().getAddress(), listener.address().getPort());
        socket.setSoTimeout(60_000);
        return socket;
    }

    private static String who(Socket socket) throws IOException {
        socket.getOutputStream().write("echo who".getBytes(US_ASCII));
        StringBuilder answer = new StringBuilder();
        for (int c = socket.getInputStream().read();
                c >= 0 && c != ';';
                c = socket.getInputStream().read()) {
            answer.append((char) c);
        }
        return answer.toString();
    }

    /** With TLS 1.3 the client has finished its handshake before the broker has looked at its certificate. */
    private static boolean isRefused(Socket socket) {
        try {
            return who(socket).isEmpty();
        } catch (IOException alert) {
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void onePortAnswersBothWithAndWithoutTls(String version) throws IOException {
        try (Listener listener = listener(TlsContext.open(pem(broker()), InstantSource.system()), true)) {
            try (SSLSocket socket = connect(listener, broker().trusting(null))) {
                socket.setEnabledProtocols(new String[] {version});
                assertThat(who(socket)).isEqualTo("127.0.0.1 local=true tls=true nobody");
            }
            try (Socket plain = new Socket(
                    listener.address().getAddress(), listener.address().getPort())) {
                assertThat(who(plain)).isEqualTo("127.0.0.1 local=true tls=false nobody");
            }
        }
    }

    @Test
    @DisplayName("RFC 5246, 7.4.1.2: a client's second handshake is refused; it is cheap for it only")
    void renegotiationEndsTheConnection() throws IOException {
        try (Listener listener = listener(TlsContext.open(pem(broker()), InstantSource.system()), false);
                SSLSocket socket = connect(listener, broker().trusting(null))) {
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            assertThat(who(socket)).contains("tls=true");

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        socket.getOutputStream().write('x');
                        if (socket.getInputStream().read() < 0) {
                            throw new IOException("closed");
                        }
                    })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void aListenerForTlsOnlyIsSilentToOthers() throws IOException {
        try (Listener listener = listener(TlsContext.open(pem(broker()), InstantSource.system()), false);
                Socket plain = new Socket(
                        listener.address().getAddress(), listener.address().getPort())) {
            plain.getOutputStream().write("echo who".getBytes(US_ASCII));
            assertThat(plain.getInputStream().readAllBytes()).isEmpty();
        }
    }

    @Test
    void aClientCertificateTellsWhoThePeerIs() throws IOException {
        TestCertificate alice = TestCertificate.make(folder, "alice");
        TestCertificate mallory = TestCertificate.make(folder, "mallory");
        TlsContext wanting = TlsContext.open(asking(TlsConfig.ClientCertificates.WANT, alice), InstantSource.system());
        TlsContext requiring =
                TlsContext.open(asking(TlsConfig.ClientCertificates.REQUIRE, alice), InstantSource.system());
        try (Listener listener = listener(wanting, false)) {
            try (SSLSocket socket = connect(listener, broker().trusting(alice))) {
                assertThat(who(socket)).endsWith("tls=true CN=alice");
            }
            try (SSLSocket socket = connect(listener, broker().trusting(null))) {
                assertThat(who(socket)).endsWith("tls=true nobody");
            }
        }
        try (Listener listener = listener(requiring, false)) {
            for (TestCertificate shown : new TestCertificate[] {null, mallory}) {
                try (SSLSocket socket = connect(listener, broker().trusting(shown))) {
                    assertThat(isRefused(socket)).isTrue();
                }
            }
        }
    }

    @Test
    void changedFilesCountForNewConnectionsAndWrongOnesNotAtAll() throws IOException {
        TestCertificate renewed = TestCertificate.make(folder, "renewed");
        TlsConfig config = pem(TestCertificate.make(folder, "first"));
        TlsContext context = TlsContext.open(config, InstantSource.system());
        try (Listener listener = listener(context, false)) {
            Files.writeString(config.certificateFile(), "damaged");
            context.reload();
            assertThat(context.describe()).startsWith("CN=first");

            Files.copy(renewed.certificatePem(), config.certificateFile(), StandardCopyOption.REPLACE_EXISTING);
            Files.copy(renewed.keyPem(), config.keyFile(), StandardCopyOption.REPLACE_EXISTING);
            context.reload();

            try (SSLSocket socket = connect(listener, renewed.trusting(null))) {
                socket.startHandshake();
                X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
                assertThat(shown.getSubjectX500Principal().getName()).isEqualTo("CN=renewed");
            }
        }
    }

    @Test
    void aClientThatDoesNotTrustTheBrokerHarmsNobody() throws IOException {
        TestCertificate other = TestCertificate.make(folder, "other");
        try (Listener listener = listener(TlsContext.open(pem(broker()), InstantSource.system()), true)) {
            try (SSLSocket socket = connect(listener, other.trusting(null))) {
                assertThatThrownBy(socket::startHandshake).isInstanceOf(SSLException.class);
            }
            try (SSLSocket socket = connect(listener, broker().trusting(null))) {
                assertThat(who(socket)).contains("tls=true");
            }
        }
    }

    @Test
    void filesThatCannotBeUsedAreToldWithTheFix() throws IOException {
        TestCertificate other = TestCertificate.make(folder, "another");
        TestCertificate expired = TestCertificate.make(folder, "old", "-10d", 5);
        TestCertificate future = TestCertificate.make(folder, "new", "+2d", 5);
        Path oldKey = Files.writeString(
                folder.resolve("old.pem"), "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");
        Path text = Files.writeString(folder.resolve("text"), "nothing of use");

        assertRefused(pem(expired), "has expired", "valid until", "renew");
        assertRefused(pem(future), "not valid yet");
        assertRefused(files(broker().certificatePem(), other.keyPem()), "is not the key of the first certificate");
        assertRefused(files(broker().certificatePem(), oldKey), "old format", "openssl pkcs8 -topk8");
        assertRefused(files(broker().certificatePem(), text), "no private key");
        assertRefused(files(text, broker().keyPem()), "no certificate");
        assertRefused(files(folder.resolve("missing.pem"), null), "does not exist");
        assertRefused(files(broker().pkcs12(), null), "cannot be opened", "tls.password-file");
    }

    private static TlsConfig files(Path certificate, Path key) {
        return new TlsConfig(certificate, key, null, TlsConfig.ClientCertificates.NONE, null);
    }

    private static void assertRefused(TlsConfig config, String... texts) {
        assertThatThrownBy(() -> TlsContext.open(config, InstantSource.system()))
                .isInstanceOf(TlsException.class)
                .hasMessageContaining("MS-0420")
                .hasMessageContaining("fix:")
                .hasMessageContainingAll(texts);
    }
}
