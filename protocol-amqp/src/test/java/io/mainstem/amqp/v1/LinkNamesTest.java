package io.mainstem.amqp.v1;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.transport.security.LoginPolicy;
import io.mainstem.transport.security.LoginThrottle;
import io.mainstem.transport.security.PasswordChecks;
import io.mainstem.transport.security.ScramHash;
import io.mainstem.transport.security.ScramVerifier;
import io.mainstem.transport.security.UserAuthenticator;
import io.mainstem.transport.security.Users;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose the names of links are (AMQP 1.0 part 2, 2.6.1). Scripts of frames on a real broker. */
final class LinkNamesTest {
    @TempDir
    Path folder;

    private final PasswordChecks checks = new PasswordChecks();
    private @Nullable TestServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
        checks.close();
    }

    @Test
    @DisplayName(
            "11: a user has link names for itself: another one with the same container-id and name takes nothing away")
    void notStolenByAnotherUser() throws IOException {
        Users users = new Users(
                Map.of("alice", verifiers("a-secret"), "bob", verifiers("b-secret")), "decoy".getBytes(UTF_8));
        TestServer broker = new TestServer(
                folder,
                AmqpLimits.DEFAULT,
                new UserAuthenticator(
                        () -> users,
                        LoginPolicy.DEFAULT,
                        new LoginThrottle(100, 1_000, 0, System::nanoTime),
                        checks,
                        new SecureRandom()));
        server = broker;
        try (ScriptedPeer alice = loggedIn(broker, "alice", "a-secret");
                ScriptedPeer bob = loggedIn(broker, "bob", "b-secret")) {
            receive(alice, queue());
            receive(bob, queue());
            alice.attachSender(1, "q");
            alice.await(Flow.class);
            alice.send(0, ScriptedPeer.transfer(1, 0), ScriptedPeer.durable((byte) 1));
            alice.await(Disposition.class);

            alice.credit(0, 0, 1, false);

            assertThat(ScriptedPeer.bodyOf(alice.await(Transfer.class).payload()))
                    .containsExactly(1);
        }
    }

    private static Map<ScramHash, ScramVerifier> verifiers(String password) {
        return Users.verifiers(password.toCharArray(), "0123456789abcdef".getBytes(UTF_8), 4096);
    }

    private static ScriptedPeer loggedIn(TestServer broker, String user, String password) throws IOException {
        ScriptedPeer peer = new ScriptedPeer(broker.address());
        peer.bytes(AmqpProtocol.SASL_HEADER);
        peer.readBytes(AmqpProtocol.SASL_HEADER.length);
        peer.expect(SaslMechanisms.class);
        SaslInit init = new SaslInit();
        init.setMechanism(Symbol.valueOf("PLAIN"));
        init.setInitialResponse(new Binary(("\0" + user + "\0" + password).getBytes(UTF_8)));
        peer.sasl(init);
        peer.expect(SaslOutcome.class);
        peer.open("container");
        peer.begin(0);
        return peer;
    }

    private static Source queue() {
        Source source = new Source();
        source.setAddress("q");
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        return source;
    }

    private static void receive(ScriptedPeer peer, Source source) throws IOException {
        Attach request = ScriptedPeer.receiverAttach(0, source);
        request.setName("in");
        peer.send(0, request);
        peer.awaitBody(Attach.class);
    }
}
