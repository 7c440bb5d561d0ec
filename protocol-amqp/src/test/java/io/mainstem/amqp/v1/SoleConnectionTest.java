package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Open;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** AMQP Enforcing Connection Uniqueness 1.0: detection is strong, and both kinds of enforcement are done. */
final class SoleConnectionTest {
    private static final Symbol POLICY = Symbol.valueOf("sole-connection-enforcement-policy");
    private static final Symbol DETECTION = Symbol.valueOf("sole-connection-detection-policy");

    private TestServer server;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private ScriptedPeer connect() throws IOException {
        return new ScriptedPeer(server.address());
    }

    private static Consumer<Open> sole(int enforcement) {
        return open -> {
            open.setDesiredCapabilities(Symbol.valueOf("sole-connection-for-container"));
            open.setProperties(Map.of(POLICY, UnsignedInteger.valueOf(enforcement)));
        };
    }

    @Test
    @DisplayName("strong: who wants to be the only one is refused while another connection has the id, that asked for"
            + " nothing")
    void othersBefore() throws IOException {
        try (ScriptedPeer plain = server.open("c");
                ScriptedPeer sole = connect()) {
            sole.open("c", sole(0));

            assertThat(sole.closeError()).isEqualTo("amqp:invalid-field");
            plain.begin(0);
        }
    }

    @Test
    @DisplayName("strong: who asks for nothing is refused while another connection is the only one of its id")
    void othersAfter() throws IOException {
        try (ScriptedPeer sole = connect();
                ScriptedPeer plain = connect()) {
            Open granted = sole.open("c", sole(0));
            assertThat(((Map<?, ?>) granted.getProperties()).get(DETECTION)).isEqualTo(UnsignedInteger.ZERO);

            plain.open("c");

            assertThat(plain.closeError()).isEqualTo("amqp:invalid-field");
            sole.begin(0);
        }
    }

    @Test
    @DisplayName("close-existing: the connections that have the id go, with amqp:resource-locked and the reason")
    void closeExisting() throws IOException {
        try (ScriptedPeer one = server.open("c");
                ScriptedPeer two = server.open("c");
                ScriptedPeer sole = connect()) {
            Open granted = sole.open("c", sole(1));

            assertThat(((Map<?, ?>) granted.getProperties()).get(POLICY)).isEqualTo(UnsignedInteger.ONE);
            for (ScriptedPeer gone : new ScriptedPeer[] {one, two}) {
                Close close = gone.awaitBody(Close.class);
                assertThat((Object) close.getError().getCondition()).hasToString("amqp:resource-locked");
                assertThat(((Map<?, ?>) close.getError().getInfo()).get(Symbol.valueOf("sole-connection-enforcement")))
                        .isEqualTo(true);
            }
            sole.begin(0);
        }
    }

    @Test
    @DisplayName("an id is free again when its connection is gone, whoever came meanwhile")
    void freeAgain() throws IOException {
        try (ScriptedPeer first = connect();
                ScriptedPeer refused = connect()) {
            first.open("c", sole(0));
            refused.open("c", sole(0));
            assertThat(refused.closeError()).isEqualTo("amqp:invalid-field");
        }
        server.awaitConnections(0);
        try (ScriptedPeer again = connect()) {
            again.open("c", sole(0));
            again.begin(0);
        }
    }

    @Test
    @DisplayName("an enforcement policy that is none is an invalid field")
    void wrongPolicy() throws IOException {
        try (ScriptedPeer peer = connect()) {
            peer.open("c", sole(7));

            assertThat(peer.closeError()).isEqualTo("amqp:invalid-field");
        }
    }
}
