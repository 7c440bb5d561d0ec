package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Open;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers, SASL, open, sessions and close, as scripts of frames; numbers are those of pitfalls-wire (b). */
final class ConnectionTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 8, 1 << 20, 4 << 20, 10, 3000);

    @TempDir
    Path folder;

    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder, LIMITS);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @ParameterizedTest
    @DisplayName("1: another header is answered with the broker's own, then the socket is closed")
    @ValueSource(
            strings = {"AMQP\0\0\11\1", "AMQP\2\1\0\0", "AMQP\0\2\0\0", "GET / HTTP/1.1\r\n", "\26\3\1\2\0\1\0\1\374"})
    void anotherHeaderIsAnsweredWithOurs(String header) throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            peer.bytes(header.getBytes(StandardCharsets.ISO_8859_1));

            assertThat(peer.readBytes(8)).isEqualTo(AmqpProtocol.SASL_HEADER);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    @Test
    @DisplayName("2: PLAIN and ANONYMOUS are offered; PLAIN from this machine is taken")
    void saslPlain() throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            peer.bytes(AmqpProtocol.SASL_HEADER);
            assertThat(peer.readBytes(8)).isEqualTo(AmqpProtocol.SASL_HEADER);
            assertThat(peer.expect(SaslMechanisms.class).getSaslServerMechanisms())
                    .containsExactly(Symbol.valueOf("PLAIN"), Symbol.valueOf("ANONYMOUS"));

            peer.sasl(init("PLAIN", "\0user\0secret"));

            assertThat(peer.expect(SaslOutcome.class).getCode()).isEqualTo(SaslCode.OK);
            peer.open("after sasl");
        }
    }

    @ParameterizedTest
    @DisplayName("2: an unknown mechanism or a malformed response is outcome auth, then close")
    @CsvSource({"SCRAM-SHA-256, x", "PLAIN, no-nul", "PLAIN, "})
    void saslRefusal(String mechanism, String response) throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            peer.bytes(AmqpProtocol.SASL_HEADER);
            peer.readBytes(8);
            peer.expect(SaslMechanisms.class);

            peer.sasl(init(mechanism, response));

            assertThat(peer.expect(SaslOutcome.class).getCode()).isEqualTo(SaslCode.AUTH);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    @Test
    @DisplayName("2: a SASL frame of more than 512 bytes ends the connection")
    void saslFrameTooLarge() throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            peer.bytes(AmqpProtocol.SASL_HEADER);
            peer.bytes(ScriptedPeer.rawFrame(1, 0, new byte[600]));

            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    private static SaslInit init(String mechanism, String response) {
        SaslInit init = new SaslInit();
        init.setMechanism(Symbol.valueOf(mechanism));
        if (response != null) {
            init.setInitialResponse(new Binary(response.getBytes(StandardCharsets.UTF_8)));
        }
        return init;
    }

    @Test
    @DisplayName("1: header, open and begin in one packet are answered in order")
    void pipelining() throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            Open open = new Open();
            open.setContainerId("pipelined");
            Begin begin = new Begin();
            begin.setNextOutgoingId(UnsignedInteger.ONE);
            begin.setIncomingWindow(UnsignedInteger.ONE);
            begin.setOutgoingWindow(UnsignedInteger.ONE);
            byte[] header = AmqpProtocol.AMQP_HEADER;
            byte[] opened = peer.frame(0, open);
            byte[] begun = peer.frame(3, begin);
            byte[] all = Arrays.copyOf(header, header.length + opened.length + begun.length);
            System.arraycopy(opened, 0, all, header.length, opened.length);
            System.arraycopy(begun, 0, all, header.length + opened.length, begun.length);

            peer.bytes(all);

            assertThat(peer.readBytes(8)).isEqualTo(header);
            peer.expect(Open.class);
            assertThat(peer.expect(Begin.class).getRemoteChannel().intValue()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("5, [J-1]: what works is offered; limits are announced")
    void openAnnouncesLimits() throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            Open open = peer.open("client");

            assertThat(open.getOfferedCapabilities())
                    .contains(
                            Symbol.valueOf("ANONYMOUS-RELAY"),
                            Symbol.valueOf("SHARED-SUBS"),
                            Symbol.valueOf("DELAYED_DELIVERY"));
            assertThat(open.getMaxFrameSize().intValue()).isEqualTo(4096);
            assertThat(open.getChannelMax().intValue()).isEqualTo(7);
            assertThat(open.getIdleTimeOut().intValue()).isEqualTo(1500);
            assertThat(property(open, "product")).isEqualTo("Mainstem");
        }
    }

    private static Object property(Open open, String name) {
        return open.getProperties().get(Symbol.valueOf(name));
    }

    @Test
    @DisplayName("4: a refused connection gets an open that says so, then close")
    void refusalIsOpenThenClose() throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            Open open = peer.open("client", asked -> asked.setHostname("vhost:missing"));

            assertThat(property(open, "amqp:connection-establishment-failed")).isEqualTo(true);
            assertThat(peer.closeError()).isEqualTo("amqp:not-found");
        }
    }

    @Test
    @DisplayName("4: a second connection with a container-id that wants to be the only one names the field")
    void soleContainer() throws IOException {
        Symbol sole = Symbol.valueOf("sole-connection-for-container");
        try (ScriptedPeer first = new ScriptedPeer(server.address());
                ScriptedPeer second = new ScriptedPeer(server.address())) {
            first.open("same", open -> open.setDesiredCapabilities(sole));
            second.open("same", open -> open.setDesiredCapabilities(sole));

            Close close = second.awaitBody(Close.class);
            assertThat(close.getError().getCondition().toString()).isEqualTo("amqp:invalid-field");
            assertThat(close.getError().getInfo().toString()).isEqualTo("{invalid-field=container-id}");
        }
    }

    @Test
    @DisplayName("6: heartbeats come at less than the peer's limit; a silent peer is closed")
    void heartbeatsBothWays() throws IOException {
        try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
            peer.open("silent", open -> open.setIdleTimeOut(UnsignedInteger.valueOf(200)));

            byte[] heartbeat = peer.readBytes(8);
            assertThat(heartbeat).containsExactly(0, 0, 0, 8, 2, 0, 0, 0);
            assertThat(peer.closeError()).isEqualTo("amqp:resource-limit-exceeded");
        }
    }

    @Test
    @DisplayName("a close is answered; the broker then forgets the connection")
    void closeIsAnswered() throws IOException {
        try (ScriptedPeer peer = server.open("client")) {
            peer.send(0, new Close());

            assertThat(peer.expect(Close.class).getError()).isNull();
            assertThat(peer.isClosedByPeer()).isTrue();
            await().atMost(Duration.ofMinutes(1)).until(() -> server.connections() == 0);
        }
    }

    @Test
    @DisplayName("8: sessions begin and end by themselves")
    void sessionsAreIndependent() throws IOException {
        try (ScriptedPeer peer = server.open("client")) {
            peer.begin(0);
            peer.begin(5);
            peer.send(5, new End());
            assertThat(peer.read().channel()).isEqualTo(5);

            peer.begin(5);
        }
    }

    @Test
    void stoppingTellsThePeer() throws IOException {
        ScriptedPeer peer = server.open("client");
        server.close();

        assertThat(peer.closeError()).isEqualTo("amqp:connection:forced");
        peer.close();
        server = new TestServer(folder.resolve("again"), LIMITS);
    }
}
