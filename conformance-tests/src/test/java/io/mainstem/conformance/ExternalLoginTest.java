package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** SASL EXTERNAL: who has a certificate is the user it names (Qpid JMS over TLS). */
final class ExternalLoginTest {
    private static final String STORE_PASSWORD = "changeit";

    @TempDir
    static Path folder;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        makeKey("broker", "CN=broker");
        makeKey("alice", "CN=alice");
        makeKey("mallory", "CN=mallory");
        makeKey("stranger", "CN=alice");
        Path authority = folder.resolve("authority.pem");
        Files.writeString(authority, certificate("alice") + certificate("mallory"));
        Path password = Files.writeString(folder.resolve("password"), STORE_PASSWORD);
        broker = EmbeddedBroker.builder()
                .set("tls.certificate-file", store("broker").toString())
                .set("tls.password-file", password.toString())
                .set("tls.client-certificates", "want")
                .set("tls.authority-file", authority.toString())
                .user(
                        "alice",
                        "not used here",
                        "allow read queue mine",
                        "allow write queue mine",
                        "allow configure queue mine")
                .start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    @Test
    @DisplayName("a client certificate logs in as the user of its common name, with that user's permissions")
    void certificateOfAUser() throws JMSException {
        try (Connection connection = connect("alice")) {
            connection.start();
            Session session = connection.createSession();
            session.createProducer(session.createQueue("mine")).send(session.createTextMessage("x"));

            assertThat(session.createConsumer(session.createQueue("mine"))
                            .receive(Jms.RECEIVE_MS)
                            .getBody(String.class))
                    .isEqualTo("x");
            assertThatThrownBy(() -> session.createProducer(session.createQueue("others")))
                    .isInstanceOf(JMSSecurityException.class)
                    .hasMessageContaining("user 'alice' may not write queue 'others'");
        }
    }

    @Test
    @DisplayName("a certificate that names nobody the broker knows does not come in")
    void certificateOfNobody() {
        assertThatThrownBy(() -> connect("mallory").start()).isInstanceOf(JMSSecurityException.class);
    }

    @Test
    @DisplayName("a certificate of another authority does not come in, whatever name it has")
    void certificateOfAnotherAuthority() {
        assertThatThrownBy(() -> connect("stranger").start()).isInstanceOf(JMSException.class);
    }

    @Test
    @DisplayName("without a certificate EXTERNAL is not to be had")
    void withoutCertificate() {
        String uri = "amqps://127.0.0.1:" + broker.port()
                + "?transport.trustAll=true&transport.verifyHost=false&amqp.saslMechanisms=EXTERNAL";
        assertThatThrownBy(
                        () -> new JmsConnectionFactory(uri).createConnection().start())
                .isInstanceOf(JMSException.class);
    }

    private static Connection connect(String name) throws JMSException {
        String uri = "amqps://127.0.0.1:" + broker.port()
                + "?transport.trustAll=true&transport.verifyHost=false&amqp.saslMechanisms=EXTERNAL"
                + "&transport.keyStoreLocation=" + store(name) + "&transport.keyStorePassword=" + STORE_PASSWORD
                + "&transport.storeType=PKCS12&transport.keyAlias=own";
        return new JmsConnectionFactory(uri).createConnection();
    }

    private static Path store(String name) {
        return folder.resolve(name + ".p12");
    }

    private static void makeKey(String name, String subject) throws IOException, InterruptedException {
        keytool(
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-dname",
                subject,
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                STORE_PASSWORD,
                "-keystore",
                store(name).toString());
    }

    private static String certificate(String name) throws IOException, InterruptedException {
        return keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "own",
                "-storepass",
                STORE_PASSWORD,
                "-keystore",
                store(name).toString());
    }

    private static String keytool(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(String.join(" ", arguments)).isZero();
        return output;
    }
}
