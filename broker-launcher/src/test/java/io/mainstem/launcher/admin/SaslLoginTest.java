package io.mainstem.launcher.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.launcher.EmbeddedBroker;
import io.mainstem.transport.TestCertificate;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a command shows of a password, and to whom. */
final class SaslLoginTest {
    private static final String ITERATIONS = "security.password-iterations";
    private static final int SECONDS_MAX = 60;

    @TempDir
    Path folder;

    @Test
    @DisplayName("RFC 5802: where SCRAM is offered the password is not sent, not even to this machine")
    void thePasswordStaysHere() throws Exception {
        try (EmbeddedBroker broker = withAlice();
                Recorder between = new Recorder(broker.port())) {
            BrokerUrl url = BrokerUrl.parse("amqp://127.0.0.1:" + between.port());
            try (ManagementClient client = ManagementClient.connect(url, "alice", "top-secret")) {
                assertThat(client.ask("GET", "/queues?limit=1", null)).isNotNull();
            }
            assertThat(between.sent()).contains("SCRAM-SHA-512", "n=alice").doesNotContain("top-secret");
        }
    }

    @Test
    void aWrongPasswordAndNoneAreRefused() {
        try (EmbeddedBroker broker = withAlice()) {
            BrokerUrl url = BrokerUrl.parse(broker.uri().toString());
            for (String password : new String[] {"wrong", "", null}) {
                assertThatThrownBy(() -> ManagementClient.connect(url, "alice", password))
                        .isInstanceOf(ManagementFailure.class)
                        .hasMessageContainingAll("MS-0131", "'alice'", "fix:");
            }
        }
    }

    @Test
    @DisplayName("RFC 4616, 6: PLAIN only where nobody on the way can read it")
    void plainNeedsAPrivateConnection() throws Exception {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
            BrokerUrl url = BrokerUrl.parse(broker.uri().toString());
            try (FrameSocket socket = new FrameSocket(url.host(), url.port(), null, SECONDS_MAX * 1_000)) {
                assertThat(socket.isPrivate()).isTrue();
                socket.header(true);
                assertThatThrownBy(() -> new SaslLogin(url, socket, false).run("alice", "top-secret"))
                        .isInstanceOf(ManagementFailure.class)
                        .hasMessageContainingAll("MS-0135", "PLAIN", "amqps://")
                        .hasMessageNotContaining("top-secret");
            }
            ManagementClient.connect(url, "anybody", "at all").close();
        }
    }

    @Test
    @DisplayName("RFC 2818, 3.1: a trusted certificate of another host is refused")
    void theCertificateMustBeOfThisHost() {
        TestCertificate own = TestCertificate.make(folder, "own");
        TestCertificate foreign = TestCertificate.ofAnotherHost(folder, "foreign");

        try (EmbeddedBroker broker = encrypted(own)) {
            BrokerUrl url = new BrokerUrl("127.0.0.1", broker.port(), true, "/");
            ManagementClient.connect(url, null, null, trusting(own)).close();
        }
        try (EmbeddedBroker broker = encrypted(foreign)) {
            BrokerUrl url = new BrokerUrl("127.0.0.1", broker.port(), true, "/");
            assertThatThrownBy(() -> ManagementClient.connect(url, null, null, trusting(foreign)))
                    .isInstanceOf(ManagementFailure.class)
                    .hasMessageContainingAll("MS-0136", "127.0.0.1", "fix:");
        }
    }

    private static EmbeddedBroker withAlice() {
        return EmbeddedBroker.builder()
                .set(ITERATIONS, "4096")
                .user("alice", "top-secret")
                .start();
    }

    private static EmbeddedBroker encrypted(TestCertificate certificate) {
        return EmbeddedBroker.builder()
                .set("tls.certificate-file", certificate.certificatePem().toString())
                .set("tls.key-file", certificate.keyPem().toString())
                .set("amqp.tls", "required")
                .start();
    }

    private static SSLSocketFactory trusting(TestCertificate certificate) {
        return certificate.trusting(null).getSocketFactory();
    }

    /** Passes one connection on and keeps what its client sent. */
    private static final class Recorder implements AutoCloseable {
        private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        private final ByteArrayOutputStream recorded = new ByteArrayOutputStream();
        private final CompletableFuture<Void> done;

        Recorder(int port) throws IOException {
            done = CompletableFuture.runAsync(() -> {
                try (Socket client = server.accept();
                        Socket broker = new Socket(InetAddress.getLoopbackAddress(), port)) {
                    CompletableFuture<Void> back = CompletableFuture.runAsync(() -> pass(broker, client));
                    byte[] bytes = new byte[4096];
                    for (int n = client.getInputStream().read(bytes);
                            n > 0;
                            n = client.getInputStream().read(bytes)) {
                        recorded.write(bytes, 0, n);
                        broker.getOutputStream().write(bytes, 0, n);
                    }
                    broker.shutdownOutput();
                    back.orTimeout(SECONDS_MAX, TimeUnit.SECONDS).join();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }

        private static void pass(Socket from, Socket to) {
            try {
                from.getInputStream().transferTo(to.getOutputStream());
            } catch (IOException clientGone) {
                // It has what it wanted.
            }
        }

        int port() {
            return server.getLocalPort();
        }

        String sent() throws Exception {
            done.get(SECONDS_MAX, TimeUnit.SECONDS);
            return recorded.toString(ISO_8859_1);
        }

        @Override
        public void close() throws IOException {
            server.close();
        }
    }
}
