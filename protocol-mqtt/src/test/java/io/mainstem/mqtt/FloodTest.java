package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.UserAuthenticator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Many connections that do the same wrong thing: few lines of log, and neighbours notice nothing. */
final class FloodTest {
    private static final int CONNECTIONS = 200;
    /** What one kind may log in a minute, and in the next one, where a test runs into it. */
    private static final int LINES_MAX = 2 * 21;

    @TempDir
    Path folder;

    private final Counting counting = new Counting();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    /** Warnings by the code they begin with. */
    private static final class Counting extends AppenderBase<ILoggingEvent> {
        final Map<String, Integer> lines = new ConcurrentHashMap<>();

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getLevel().isGreaterOrEqual(Level.WARN)) {
                String text = event.getFormattedMessage();
                lines.merge(text.substring(0, Math.min(7, text.length())), 1, Integer::sum);
            }
        }
    }

    @BeforeEach
    void listen() {
        counting.start();
        root.addAppender(counting);
    }

    @AfterEach
    void stopListening() {
        root.detachAppender(counting);
    }

    private void flood(TestServer server, byte[] bytes) throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                client.sendAnyway(bytes);
                client.expectClosed();
            }
        }
    }

    private void expectFew(String code) {
        assertThat(counting.lines.getOrDefault(code, 0)).isLessThanOrEqualTo(LINES_MAX);
    }

    @Test
    @DisplayName("no protocol, no packet, a broken rule, refused logins: each is logged a few times")
    void floods() throws IOException {
        byte[] connect = connect("c");
        byte[] malformed = connect.clone();
        malformed[9] |= 1;
        try (TestServer server = new TestServer(folder.resolve("open"));
                RawMqtt neighbour = new RawMqtt(server.address(), 5)) {
            neighbour.open("neighbour", true);
            neighbour.subscribed("n", 1);
            flood(server, malformed);
            flood(server, new byte[] {(byte) 0xC0, 0});
            flood(server, new Bytes().u8(0x10, 4).raw(new byte[4]).packet(0x10));
            neighbour.publish("n", 1, 1, "still here");
            neighbour.expectAnswer(RawMqtt.PUBACK);
            assertThat(neighbour.expectPublish().payload()).isEqualTo("still here");
        }
        Authenticator nobody = UserAuthenticator.withoutUsers();
        try (TestServer server = new TestServer(folder.resolve("closed"), TestServer.Setup.DEFAULT.with(nobody))) {
            flood(server, scram());
        }
        counting.lines.keySet().stream().filter(each -> each.startsWith("MS-")).forEach(this::expectFew);
    }

    private static byte[] connect(String id) {
        return new Bytes()
                .text("MQTT")
                .u8(5, 2)
                .u16(0)
                .properties(new Bytes())
                .text(id)
                .packet(0x10);
    }

    /** A login by a method that a broker without users has not. */
    private static byte[] scram() {
        return new Bytes()
                .text("MQTT")
                .u8(5, 2)
                .u16(0)
                .properties(new Bytes().u8(0x15).text("SCRAM-SHA-256"))
                .text("c")
                .packet(0x10);
    }
}
