package io.mainstem.conformance.jms;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import io.mainstem.transport.TestCertificate;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Queue;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Our client and TLS: whom it trusts, how it logs in by a certificate, and what it says when it does not connect. */
final class TlsTest {
    @TempDir
    private static Path folder;

    private static TestCertificate own;
    private static TestCertificate alice;
    private static TestCertificate mallory;
    private static EmbeddedBroker broker;

    @BeforeAll
    static void start() throws Exception {
        own = TestCertificate.make(folder, "broker");
        alice = TestCertificate.make(folder, "alice");
        mallory = TestCertificate.make(folder, "mallory");
        broker = brokerWith(own);
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static EmbeddedBroker brokerWith(TestCertificate certificate) throws Exception {
        Path authority = Files.writeString(
                folder.resolve("authority.pem"),
                Files.readString(alice.certificatePem()) + Files.readString(mallory.certificatePem()));
        return EmbeddedBroker.builder()
                .set("tls.certificate-file", certificate.pkcs12().toString())
                .set("tls.password-file", certificate.passwordFile().toString())
                .set("tls.client-certificates", "want")
                .set("tls.authority-file", authority.toString())
                .user("alice", "correct horse")
                .start();
    }

    private static MainstemConnectionFactory factory(String uri) {
        return new MainstemConnectionFactory(uri);
    }

    private static MainstemConnectionFactory trusting(TestCertificate trusted, String uri) {
        MainstemConnectionFactory factory = factory(uri);
        factory.setOption("transport.trustStoreLocation", trusted.pkcs12().toString());
        factory.setOption("transport.trustStorePassword", TestCertificate.PASSWORD);
        return factory;
    }

    private static MainstemConnectionFactory withCertificate(TestCertificate shown) {
        MainstemConnectionFactory factory = trusting(own, "amqps://127.0.0.1:" + broker.port());
        factory.setOption("transport.keyStoreLocation", shown.pkcs12().toString());
        factory.setOption("transport.keyStorePassword", TestCertificate.PASSWORD);
        factory.setOption("amqp.saslMechanisms", "EXTERNAL");
        return factory;
    }

    @Test
    @DisplayName("amqps, amqpwss and failover over amqps, with a password inside")
    void messagesGoOverTls() {
        for (String uri : List.of(
                "amqps://127.0.0.1:" + broker.port(),
                "amqpwss://127.0.0.1:" + broker.port() + "/mainstem",
                "failover:(amqps://127.0.0.1:" + broker.port() + ")")) {
            try (JMSContext context = trusting(own, uri).createContext("alice", "correct horse")) {
                Queue queue = context.createQueue(Names.unique("tls"));
                context.createProducer().send(queue, "hidden");
                assertThat(context.createConsumer(queue).receiveBody(String.class, Names.WAIT_MS))
                        .isEqualTo("hidden");
            }
        }
    }

    @Test
    @DisplayName("A wrong password is a security exception over TLS, too")
    void aWrongPassword() {
        assertThatThrownBy(() ->
                        trusting(own, "amqps://127.0.0.1:" + broker.port()).createConnection("alice", "wrong"))
                .isInstanceOf(JMSSecurityException.class)
                .hasMessageContaining("MS-0703")
                .hasMessageContaining("fix: give the user's name and password");
    }

    @Test
    @DisplayName("A certificate of nobody's is not trusted; the text says which option names whom to trust")
    void aCertificateThatIsNotTrusted() {
        assertThatThrownBy(
                        () -> factory("amqps://127.0.0.1:" + broker.port()).createConnection("alice", "correct horse"))
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("MS-0702")
                .hasMessageContaining("not trusted")
                .hasMessageContaining("fix: name a file")
                .hasMessageContaining("transport.trustStoreLocation");
    }

    @Test
    @DisplayName("A certificate that has expired; the text says since when")
    void aCertificateThatHasExpired() throws Exception {
        Path trusted = folder.resolve("authority-of-yesterday.pem");
        try (SSLServerSocket old = serverOfYesterday(trusted)) {
            MainstemConnectionFactory factory = factory("amqps://127.0.0.1:" + old.getLocalPort());
            factory.setOption("transport.trustStoreLocation", trusted.toString());
            assertThatThrownBy(factory::createConnection)
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("MS-0702")
                    .hasMessageContaining("has expired (NotAfter: ")
                    .hasMessageContaining("fix: renew it");
        }
    }

    private static String keytool(Path store, String... arguments) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storepass", TestCertificate.PASSWORD, "-keystore", store.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }

    /** A key whose certificate was good until yesterday; our broker would not start with it. */
    private static SSLServerSocket serverOfYesterday(Path trusted) throws Exception {
        Path file = folder.resolve("yesterday.p12");
        String[] key = {"-genkeypair", "-keyalg", "EC", "-dname", "CN=authority", "-alias", "authority", "-ext", "bc:c"
        };
        keytool(file, key);
        Files.writeString(trusted, keytool(file, "-exportcert", "-rfc", "-alias", "authority"));
        String[] signed = {
            "-genkeypair", "-keyalg", "EC", "-dname", "CN=broker", "-alias", "own", "-signer", "authority"
        };
        List<String> old = new ArrayList<>(List.of(signed));
        old.addAll(List.of("-ext", "san=ip:127.0.0.1", "-startdate", "-2d", "-validity", "1"));
        keytool(file, old.toArray(String[]::new));
        char[] password = TestCertificate.PASSWORD.toCharArray();
        KeyStore store = KeyStore.getInstance(file.toFile(), password);
        store.deleteEntry("authority");
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(() -> {
            try (SSLSocket client = (SSLSocket) server.accept()) {
                client.startHandshake();
            } catch (IOException refused) {
                // As it should be.
            }
        });
        thread.setDaemon(true);
        thread.start();
        return server;
    }

    @Test
    @DisplayName("A certificate for another host; the text names both, and it can be told to be let through")
    void aCertificateForAnotherHost() throws Exception {
        TestCertificate elsewhere = TestCertificate.ofAnotherHost(folder, "elsewhere");
        try (EmbeddedBroker other = brokerWith(elsewhere)) {
            String uri = "amqps://127.0.0.1:" + other.port();
            assertThatThrownBy(() -> trusting(elsewhere, uri).createConnection("alice", "correct horse"))
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("MS-0702")
                    .hasMessageContaining("for another host than 127.0.0.1")
                    .hasMessageContaining("fix: use the name in the certificate");
            trusting(elsewhere, uri + "?transport.verifyHost=false")
                    .createConnection("alice", "correct horse")
                    .close();
        }
    }

    @Test
    @DisplayName("EXTERNAL: the certificate is the login")
    void theCertificateIsTheLogin() throws Exception {
        withCertificate(alice).createConnection().close();

        assertThatThrownBy(() -> withCertificate(mallory).createConnection())
                .isInstanceOf(JMSSecurityException.class)
                .hasMessageContaining("MS-0703")
                .hasMessageContaining("refuses the login of the certificate of")
                .hasMessageContaining("fix: use a certificate that names a user");
        assertThatThrownBy(() -> trusting(own, "amqps://127.0.0.1:" + broker.port() + "?amqp.saslMechanisms=EXTERNAL")
                        .createConnection())
                .isInstanceOf(JMSSecurityException.class)
                .hasMessageContaining("MS-0703")
                .hasMessageContaining("EXTERNAL needs transport.keyStoreLocation");
    }

    @Test
    @DisplayName("Stores that are not there or not opened by the password are named")
    void storesThatCannotBeUsed() {
        MainstemConnectionFactory missing = factory("amqps://127.0.0.1:" + broker.port());
        missing.setOption(
                "transport.trustStoreLocation", folder.resolve("missing.p12").toString());
        assertThatThrownBy(missing::createConnection)
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("MS-0731 trust store")
                .hasMessageContaining("missing.p12: there is no such file");
        MainstemConnectionFactory locked = withCertificate(alice);
        locked.setOption("transport.keyStorePassword", "wrong");
        assertThatThrownBy(locked::createConnection)
                .isInstanceOf(JMSException.class)
                .hasMessageContaining("MS-0731 key store")
                .hasMessageContaining("password");
    }

    @Test
    @DisplayName("TLS to a port without, whose broker has no certificate: an end with a hint, no waiting")
    void tlsToABrokerWithout() {
        try (EmbeddedBroker plain = EmbeddedBroker.builder().start()) {
            assertThatThrownBy(() ->
                            trusting(own, "amqps://127.0.0.1:" + plain.port()).createConnection())
                    .isInstanceOf(JMSException.class)
                    .hasMessageContaining("MS-0702")
                    .hasMessageContaining("fix: see that the port speaks");
        }
    }
}
