package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.transport.TestCertificate;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code mainstem pub|sub|browse|req} against a broker of this process. */
final class MessagingCommandTest {
    private EmbeddedBroker broker;
    private String url;

    private record Run(int exitCode, String out, String err) {
        JsonNode json() throws Exception {
            return new ObjectMapper().readTree(out);
        }
    }

    @BeforeEach
    void start() {
        broker = EmbeddedBroker.builder().start();
        url = broker.uri().toString();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    @Test
    @DisplayName("What pub sends, browse shows and sub takes, with its properties and headers")
    void messagesGoFromPubToSub() throws Exception {
        Run sent = run("pub", "orders", "a text", "-H", "region=eu", "-H", "n=7", "--type", "quote", "--priority", "9");
        assertThat(sent.exitCode()).as(sent.err()).isZero();
        assertThat(sent.out()).startsWith("sent 1 message in ").contains("to queue orders");

        assertThat(run("browse", "orders").out()).isEqualToIgnoringNewLines("a text");
        Run taken = run("sub", "orders", "--count", "1", "-o", "json");

        assertThat(taken.exitCode()).isZero();
        JsonNode message = taken.json();
        assertThat(message.get("kind").asText()).isEqualTo("text");
        assertThat(message.get("body").asText()).isEqualTo("a text");
        assertThat(message.get("properties").get("region").asText()).isEqualTo("eu");
        assertThat(message.get("properties").get("n").asLong()).isEqualTo(7);
        assertThat(message.get("headers").get("JMSType").asText()).isEqualTo("quote");
        assertThat(message.get("headers").get("JMSPriority").asInt()).isEqualTo(9);
        assertThat(message.get("headers").get("JMSDestination").asText()).isEqualTo("queue://orders");
        assertThat(run("browse", "orders").out()).isEmpty();
    }

    @Test
    @DisplayName("Looking at a queue that is not there makes none: exit code 66")
    void browsingMakesNothing() throws Exception {
        Run browsed = run("browse", "nosuch");

        assertThat(browsed.exitCode()).as(browsed.err()).isEqualTo(66);
        assertThat(browsed.err()).contains("nosuch", "fix:");
        for (String[] looking : new String[][] {{"queue", "show", "nosuch"}, {"queue", "purge", "nosuch"}}) {
            assertThat(run(looking).exitCode()).as(String.join(" ", looking)).isEqualTo(66);
        }
        assertThat(run("queue", "list").out()).doesNotContain("nosuch");
    }

    @Test
    @DisplayName("An address that is a path makes no queue of that name: exit code 64")
    void aPathIsNoQueue() throws Exception {
        for (String verb : new String[] {"pub", "sub", "req"}) {
            Run refused = verb.equals("sub") ? run(verb, "/nosuch/path") : run(verb, "/nosuch/path", "text");

            assertThat(refused.exitCode()).as(verb).isEqualTo(64);
            assertThat(refused.err()).contains("MS-0138", "/nosuch/path", "queue:///nosuch/path");
        }
        assertThat(run("pub", "queue:///a/b", "text").exitCode()).isZero();
        assertThat(run("queue", "list").out()).contains("/a/b").doesNotContain("nosuch");
    }

    @Test
    @DisplayName("What the broker refuses is not counted as sent")
    void refusedMessagesAreNotCounted() throws Exception {
        run("queue", "create", "small", "-a", "x-max-length=1", "-a", "x-overflow=reject-publish");
        run("pub", "small", "first");

        Run refused = run("pub", "small", "second");

        assertThat(refused.exitCode()).isEqualTo(65);
        assertThat(refused.out()).doesNotContain("sent");
        assertThat(refused.err()).contains("MS-0391").doesNotContain("sent");
    }

    @Test
    @DisplayName("pub --count, --size, --rate and --batch; sub --quiet counts, as JSON too")
    void manyMessages() throws Exception {
        assertThat(run("pub", "many", "--size", "100", "-n", "2500", "-o", "json")
                        .json()
                        .get("sent")
                        .asInt())
                .isEqualTo(2500);
        assertThat(run("pub", "many", "x", "-n", "25", "--batch", "10", "--bytes")
                        .exitCode())
                .isZero();
        JsonNode paced =
                run("pub", "many", "x", "-n", "5", "--rate", "50", "-o", "json").json();
        assertThat(paced.get("seconds").asDouble()).isGreaterThanOrEqualTo(0.08);

        assertThat(run("sub", "many", "-q", "-n", "2530", "-o", "json")
                        .json()
                        .get("received")
                        .asInt())
                .isEqualTo(2530);
    }

    @Test
    @DisplayName("Each line of standard input is a message; a file is one")
    void bodiesComeFromInputOrFile(@TempDir Path folder) throws Exception {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("one\nzwei ä\n".getBytes(StandardCharsets.UTF_8)));
        try {
            assertThat(run("pub", "lines").out()).startsWith("sent 2 messages");
        } finally {
            System.setIn(before);
        }
        Path file = Files.writeString(folder.resolve("body"), "a\nb");
        assertThat(run("pub", "lines", "--file", file.toString(), "--bytes").exitCode())
                .isZero();

        assertThat(run("sub", "lines", "-n", "3").out()).isEqualToIgnoringNewLines("one\nzwei ä\na\nb\n");
        Run missing = run("pub", "lines", "--file", folder.resolve("none").toString());
        assertThat(missing.exitCode()).isEqualTo(64);
        assertThat(missing.err()).contains("MS-0140");
    }

    @Test
    @DisplayName("sub --selector takes what fits; --timeout ends with 124 if there is too little")
    void selectorsAndTimeouts() throws Exception {
        run("pub", "mixed", "a", "-H", "n=1");
        run("pub", "mixed", "b", "-H", "n=5");

        assertThat(run("browse", "mixed", "-s", "n > 3").out()).isEqualToIgnoringNewLines("b");
        assertThat(run("sub", "mixed", "-s", "n > 3", "-n", "1").out()).isEqualToIgnoringNewLines("b");
        Run waiting = run("sub", "mixed", "-s", "n > 3", "-n", "1", "--timeout", "200");
        assertThat(waiting.exitCode()).isEqualTo(124);
        assertThat(run("sub", "mixed", "--timeout", "300").exitCode()).isZero();
        Run wrong = run("sub", "mixed", "-s", "n >");
        assertThat(wrong.exitCode()).as(wrong.err()).isEqualTo(64);
        assertThat(wrong.err()).contains("n >");
    }

    @Test
    @DisplayName("A durable subscription keeps what comes while nobody listens, until it is ended")
    void durableSubscriptions() throws Exception {
        String[] named = {"-d", "audit", "--client-id", "me"};
        run(join(new String[] {"sub", "topic://prices.eu", "--timeout", "100"}, named));
        run("pub", "prices.eu", "kept", "--topic");

        assertThat(run(join(new String[] {"sub", "topic://prices.eu", "-n", "1", "--timeout", "5000"}, named))
                        .out())
                .isEqualToIgnoringNewLines("kept");
        assertThat(run(join(new String[] {"sub", "topic://prices.eu", "--unsubscribe"}, named))
                        .out())
                .contains("'audit' is gone");
        assertThat(run(join(new String[] {"sub", "topic://prices.eu", "--unsubscribe"}, named))
                        .exitCode())
                .isEqualTo(66);
        assertThat(run("sub", "prices", "-d", "audit").err()).contains("MS-0141");
        assertThat(run("sub", "prices", "-t", "-d", "audit").err()).contains("MS-0142");
        assertThat(run("sub", "prices", "-t", "--shared").err()).contains("MS-0143");
    }

    private static String[] join(String[] some, String[] others) {
        String[] all = Arrays.copyOf(some, some.length + others.length);
        System.arraycopy(others, 0, all, some.length, others.length);
        return all;
    }

    @Test
    @DisplayName("req prints the answer, or says with exit code 124 that none came")
    void requests() throws Exception {
        try (JMSContext service = new MainstemConnectionFactory(url).createContext()) {
            JMSConsumer consumer = service.createConsumer(service.createQueue("service"));
            JMSContext answering = service.createContext(JMSContext.AUTO_ACKNOWLEDGE);
            consumer.setMessageListener(request -> answer(answering, request));

            Run asked = run("req", "service", "ping", "--correlation-id", "7", "-o", "json");

            assertThat(asked.exitCode()).as(asked.err()).isZero();
            assertThat(asked.json().get("body").asText()).isEqualTo("re: ping");
            assertThat(asked.json().get("headers").get("JMSCorrelationID").asText())
                    .isEqualTo("7");
            answering.close();
        }
        Run silent = run("req", "nobody", "ping", "--timeout", "100");
        assertThat(silent.exitCode()).isEqualTo(124);
        assertThat(silent.err()).contains("MS-0144").contains("queue nobody");
    }

    private static void answer(JMSContext answering, Message request) {
        try {
            answering
                    .createProducer()
                    .setJMSCorrelationID(request.getJMSCorrelationID())
                    .send(request.getJMSReplyTo(), "re: " + request.getBody(String.class));
        } catch (JMSException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Test
    @DisplayName("Failures name what is wrong, with an exit code of its kind")
    void failuresAreNamed() throws Exception {
        url = "amqp://127.0.0.1:1";
        Run nobody = run("pub", "q", "x");
        assertThat(nobody.exitCode()).as(nobody.err()).isEqualTo(69);
        assertThat(nobody.err()).startsWith("mainstem: MS-0702");
        url = "failover:(amqp://127.0.0.1:1)?failover.maxReconectDelay=1";
        Run option = run("browse", "q");
        assertThat(option.exitCode()).isEqualTo(64);
        assertThat(option.err()).contains("nearest: failover.maxReconnectDelay");
    }

    @Test
    @DisplayName("Numbers that cannot be meant are refused before anything is sent")
    void numbersAreChecked() {
        for (String[] wrong : new String[][] {
            {"pub", "q", "x", "--rate", "-1"},
            {"pub", "q", "x", "--count", "-1"},
            {"pub", "q", "x", "--batch", "-1"},
            {"pub", "q", "x", "--priority", "12"},
            {"pub", "q", "x", "--ttl", "-1"},
            {"pub", "q", "x", "--delay", "-1"},
            {"pub", "q", "--size", "-1"},
            {"sub", "q", "--count", "-1"},
            {"sub", "q", "--timeout", "-1"},
            {"browse", "q", "--count", "-1"},
            {"req", "q", "x", "--timeout", "0"}
        }) {
            Run refused = run(wrong);
            assertThat(refused.exitCode()).as(String.join(" ", wrong)).isEqualTo(64);
            assertThat(refused.err()).contains("MS-0145 " + wrong[wrong.length - 2] + " is ", "wanted ", " fix: ");
        }
    }

    @Test
    @DisplayName("A wrong password is refused with the option that gives it")
    void wrongPasswords(@TempDir Path folder) throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "wrong");
        try (EmbeddedBroker guarded =
                EmbeddedBroker.builder().user("anna", "right").start()) {
            url = guarded.uri().toString();
            Run refused = run("pub", "q", "x", "--user", "anna", "--password-file", password.toString());
            assertThat(refused.exitCode()).as(refused.err()).isEqualTo(77);
            assertThat(refused.err()).startsWith("mainstem: MS-0131").contains("'anna'", "fix: give --user");
            Files.writeString(password, "right");
            assertThat(run("pub", "q", "x", "--user", "anna", "--password-file", password.toString())
                            .exitCode())
                    .isZero();
        }
    }

    @Test
    @DisplayName("TLS by an amqps URL of the provider, with the file of certificates that it trusts")
    void messagesGoOverTls(@TempDir Path folder) throws Exception {
        TestCertificate certificate = TestCertificate.make(folder, "broker");
        try (EmbeddedBroker secure = EmbeddedBroker.builder()
                .set("tls.certificate-file", certificate.pkcs12().toString())
                .set("tls.password-file", certificate.passwordFile().toString())
                .start()) {
            url = "amqps://localhost:" + secure.port();
            Run doubted = run("pub", "q", "x");
            assertThat(doubted.exitCode()).isEqualTo(69);
            assertThat(doubted.err()).contains("MS-0702", "not trusted", "transport.trustStoreLocation");
            url += "?transport.trustStoreLocation=" + certificate.certificatePem();
            assertThat(run("pub", "q", "x").exitCode()).isZero();
            assertThat(run("sub", "q", "-n", "1").out()).isEqualToIgnoringNewLines("x");
        }
    }

    @Test
    @DisplayName(
            "SIGTERM, and Ctrl-C likewise: sub and a pub that is paced say what they have done, then the process ends")
    void interruptedCommandsSayWhatTheyHaveDone() throws Exception {
        run("pub", "stopped", "one", "-n", "3");
        try (ChildJvm sub = ChildJvm.run(Main.class, "sub", "stopped", "--url", url);
                ChildJvm pub = ChildJvm.run(Main.class, "pub", "paced", "x", "-n", "9", "-r", "0.1", "--url", url)) {
            for (int i = 0; i < 3; i++) {
                sub.awaitLine("one");
            }
            interrupt(sub);
            assertThat(sub.exitCode()).isEqualTo(143);
            assertThat(sub.err()).contains("received 3 messages in ").contains("from queue stopped");

            try (JMSContext context = new MainstemConnectionFactory(url).createContext()) {
                assertThat(context.createConsumer(context.createQueue("stopped"))
                                .receiveNoWait())
                        .as("what it has shown is acknowledged")
                        .isNull();
                assertThat(context.createConsumer(context.createQueue("paced")).receive(60_000))
                        .isNotNull();
            }
            interrupt(pub);
            assertThat(pub.awaitLine("sent ")).doesNotStartWith("sent 9 ").contains("to queue paced");
            assertThat(pub.exitCode()).isEqualTo(143);
        }
    }

    /** Not by SIGINT: a build in the background of a shell ignores it, and so do all its children. */
    private static void interrupt(ChildJvm process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-TERM", Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private Run run(String... words) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine command = Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        int exitCode = command.execute(join(words, new String[] {"--url", url}));
        return new Run(exitCode, out.toString(), err.toString());
    }
}
