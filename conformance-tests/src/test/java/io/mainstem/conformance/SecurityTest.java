package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.eclipse.paho.client.mqttv3.MqttClient;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.MqttException;
import org.eclipse.paho.client.mqttv3.MqttSecurityException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Users, TLS and WebSocket as other people's clients use them; all on one port. */
final class SecurityTest {
    private static final String PASSWORD = "correct horse";

    @TempDir
    static Path folder;

    private static EmbeddedBroker broker;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        Path certificate = folder.resolve("broker.p12");
        Path password = Files.writeString(folder.resolve("password"), "changeit");
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "own",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=broker",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        certificate.toString()))
                .redirectErrorStream(true)
                .start();
        String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(output).isZero();
        broker = EmbeddedBroker.builder()
                .set("tls.certificate-file", certificate.toString())
                .set("tls.password-file", password.toString())
                .set("mqtt.port", "0")
                .user("alice", PASSWORD)
                .user("reader", PASSWORD, "allow read queue news", "allow configure queue news")
                .start();
    }

    @AfterAll
    static void stop() {
        broker.close();
    }

    private static Connection connect(String scheme, String options, String user, String password) throws JMSException {
        return new JmsConnectionFactory(scheme + "://127.0.0.1:" + broker.port() + options)
                .createConnection(user, password);
    }

    @ParameterizedTest
    @DisplayName("Qpid JMS over TCP, TLS, WebSocket and both, with every mechanism")
    @ValueSource(
            strings = {
                "amqp://?amqp.saslMechanisms=PLAIN",
                "amqp://?amqp.saslMechanisms=SCRAM-SHA-256",
                "amqp://?amqp.saslMechanisms=SCRAM-SHA-512",
                "amqps://?transport.trustAll=true&transport.verifyHost=false",
                "amqps://?transport.trustAll=true&transport.verifyHost=false&amqp.saslMechanisms=PLAIN",
                "amqpws://?amqp.saslMechanisms=SCRAM-SHA-256",
                "amqpwss://?transport.trustAll=true&transport.verifyHost=false",
            })
    void comesInAndIsServed(String way) throws JMSException {
        int options = way.indexOf("://");
        try (Connection connection =
                connect(way.substring(0, options), way.substring(options + 3), "alice", PASSWORD)) {
            connection.start();
            Session session = connection.createSession();
            String queue = Jms.uniqueName("secure");
            session.createProducer(session.createQueue(queue)).send(session.createTextMessage("x".repeat(300_000)));
            Message received =
                    session.createConsumer(session.createQueue(queue)).receive(Jms.RECEIVE_MS);

            assertThat(received.getBody(String.class)).hasSize(300_000);
        }
    }

    @ParameterizedTest
    @DisplayName("a wrong password, an unknown user and no user at all are JMSSecurityExceptions")
    @ValueSource(strings = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"})
    void wrongPasswords(String mechanism) {
        String options = "?amqp.saslMechanisms=" + mechanism;
        assertThatThrownBy(() -> connect("amqp", options, "alice", "wrong").start())
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> connect("amqp", options, "mallory", PASSWORD).start())
                .isInstanceOf(JMSSecurityException.class);
        assertThatThrownBy(() -> new JmsConnectionFactory("amqp://127.0.0.1:" + broker.port())
                        .createConnection()
                        .start())
                .isInstanceOf(JMSSecurityException.class);
    }

    @Test
    @DisplayName("what is not permitted is a JMSSecurityException that names user, action, object and rule")
    void permissions() throws JMSException {
        try (Connection connection = connect("amqp", "", "reader", PASSWORD)) {
            connection.start();
            Session session = connection.createSession();
            assertThatThrownBy(() -> session.createProducer(session.createQueue("pay")))
                    .isInstanceOf(JMSSecurityException.class)
                    .hasMessageContaining("user 'reader' may not write queue 'pay'")
                    .hasMessageContaining("no rule allows it");
            assertThatThrownBy(() -> session.createConsumer(session.createTopic("a.b")))
                    .isInstanceOf(JMSSecurityException.class)
                    .hasMessageContaining("may not read topic 'a.b'");
            try (MessageConsumer allowed = session.createConsumer(session.createQueue("news"))) {
                assertThat(allowed.receiveNoWait()).isNull();
            }
        }
    }

    @ParameterizedTest
    @DisplayName("python3-qpid-proton comes in with SCRAM and PLAIN, and not with a wrong password")
    @ValueSource(strings = {"SCRAM-SHA-256", "SCRAM-SHA-512", "PLAIN"})
    void proton(String mechanism) throws IOException, InterruptedException {
        String python = ForeignClient.PROTON.require();
        // Debian's build has PLAIN only; one with Cyrus SASL has SCRAM.
        assumeTrue(
                mechanism.equals("PLAIN")
                        || run(python, "import proton; print(proton.SASL.extended())")
                                .contains("True"),
                "this python3-qpid-proton has no SCRAM");
        String script = "import sys\n"
                + "from proton import Message\n"
                + "from proton.utils import BlockingConnection\n"
                + "c = BlockingConnection(sys.argv[1], user='alice', password=sys.argv[2],"
                + " allowed_mechs=sys.argv[3], allow_insecure_mechs=True, timeout=20)\n"
                + "c.create_sender('proton').send(Message(body='x'))\n"
                + "print('sent')\n";

        String address = "127.0.0.1:" + broker.port();
        assertThat(run(python, script, address, PASSWORD, mechanism)).contains("sent");
        assertThat(run(python, script, address, "wrong", mechanism))
                .doesNotContain("sent")
                .contains("uthentication");
    }

    @ParameterizedTest
    @DisplayName("Paho comes in over TCP and WebSocket with its password; without, or with another, it does not")
    @ValueSource(strings = {"tcp", "ws"})
    void mqtt(String scheme) throws Exception {
        try (MqttClient client = mqttClient(scheme)) {
            client.connect(mqttUser("alice", PASSWORD));
            client.publish("a/b", "x".getBytes(StandardCharsets.UTF_8), 1, false);
            client.disconnect();
        }
        try (MqttClient client = mqttClient(scheme)) {
            assertThatThrownBy(() -> client.connect(mqttUser("alice", "wrong")))
                    .isInstanceOf(MqttSecurityException.class);
        }
        try (MqttClient client = mqttClient(scheme)) {
            assertThatThrownBy(() -> client.connect(mqtt311())).isInstanceOf(MqttSecurityException.class);
        }
        try (MqttClient client = mqttClient(scheme)) {
            client.connect(mqttUser("reader", PASSWORD));
            assertThatThrownBy(() -> client.subscribe("a/b", 1)).isInstanceOf(MqttException.class);
            client.disconnect();
        }
    }

    private static MqttClient mqttClient(String scheme) throws IOException, MqttException {
        String endpoint = Files.readAllLines(broker.dataDirectory().resolve("endpoints")).stream()
                .filter(line -> line.startsWith("mqtt="))
                .findFirst()
                .orElseThrow();
        return new MqttClient(scheme + "://" + endpoint.substring("mqtt=".length()), "paho-" + scheme, null);
    }

    /** Without a version it would try the next one after a refusal. */
    private static MqttConnectOptions mqtt311() {
        MqttConnectOptions options = new MqttConnectOptions();
        options.setMqttVersion(MqttConnectOptions.MQTT_VERSION_3_1_1);
        return options;
    }

    private static MqttConnectOptions mqttUser(String name, String password) {
        MqttConnectOptions options = mqtt311();
        options.setUserName(name);
        options.setPassword(password.toCharArray());
        return options;
    }

    private static String run(String python, String script, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(python, "-c", script));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }
}
