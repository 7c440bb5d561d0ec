package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.mainstem.transport.Connections;
import io.mainstem.transport.security.UserAuthenticator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** What an operator learns of a connection. */
@Timeout(120)
final class ConnectionLogTest {
    @TempDir
    Path folder;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void start() {
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        for (Class<?> each : List.of(AmqpConnection.class, DeclinedLogins.class)) {
            ((Logger) LoggerFactory.getLogger(each)).addAppender(log);
        }
    }

    @AfterEach
    void stop() {
        for (Class<?> each : List.of(AmqpConnection.class, DeclinedLogins.class)) {
            ((Logger) LoggerFactory.getLogger(each)).detachAppender(log);
        }
    }

    private List<String> lines() {
        return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    @DisplayName("a client that goes when it hears how it may log in is in the log, with what it was offered, once an"
            + " address")
    void declinedLogin() throws IOException {
        try (TestServer server = new TestServer(folder, AmqpLimits.DEFAULT, UserAuthenticator.withoutUsers())) {
            for (int i = 0; i < 3; i++) {
                try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
                    peer.bytes(AmqpProtocol.SASL_HEADER);
                    peer.readBytes(AmqpProtocol.SASL_HEADER.length);
                    peer.expect(SaslMechanisms.class);
                }
                server.awaitConnections(0);
            }
        }

        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("MS-0516 ")
                .contains("offered=[", "ANONYMOUS", "127.0.0.1", "fix:");
    }

    @Test
    @DisplayName("2.4.5: a peer that fell silent is in the log as closed for that, not as refused")
    void silence() throws IOException {
        AmqpLimits impatient = new AmqpLimits(128 << 10, 16, 16, 1 << 20, 1 << 20, 100, 200);
        try (TestServer server = new TestServer(folder, impatient);
                ScriptedPeer peer = server.open("client")) {
            assertThat(peer.closeError()).isEqualTo("amqp:resource-limit-exceeded");
        }

        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("MS-0510 connection closed ")
                .contains("nothing", "fix:")
                .doesNotContain("refused");
    }

    @Test
    @DisplayName("the connection_name of RabbitMQ's clients is in the list of connections; a long one is cut")
    void connectionName() throws IOException {
        try (TestServer server = new TestServer(folder);
                ScriptedPeer named = new ScriptedPeer(server.address());
                ScriptedPeer nameless = new ScriptedPeer(server.address())) {
            named.open(
                    "a",
                    open -> open.setProperties(
                            Map.of(Symbol.valueOf("connection_name"), "billing " + "x".repeat(1000))));
            nameless.open("b", open -> open.setProperties(Map.of(Symbol.valueOf("connection_name"), 7)));

            List<Connections.Info> list = server.connectionList();

            assertThat(list).extracting(Connections.Info::clientId).containsExactly("a", "b");
            assertThat(list.get(0).name()).startsWith("billing x").hasSize(256);
            assertThat(list.get(1).name()).isNull();
        }
    }
}
