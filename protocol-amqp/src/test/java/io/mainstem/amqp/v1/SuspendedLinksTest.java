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
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is kept of links that are gone: whose it is, and what giving it up costs. Scripts of frames on a real broker. */
final class SuspendedLinksTest {
    private static final int LINKS = 1_001;
    private static final Symbol TOPIC = Symbol.valueOf("topic");

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
    @DisplayName("a durable subscription keeps its messages when too many links are suspended to keep its link")
    void subscriptionOfALinkThatIsGivenUp() throws IOException {
        TestServer broker = new TestServer(folder, new AmqpLimits(4096, 8, LINKS + 1, 1 << 20, 4 << 20, 10, 60_000));
        server = broker;
        try (ScriptedPeer subscriber = broker.open("subscriber")) {
            subscriber.begin(0);
            receive(subscriber, subscription(), null);
            publish(broker);
            subscriber.credit(0, 0, 1, false);
            subscriber.await(Transfer.class);
        }
        try (ScriptedPeer sender = broker.open("sender")) {
            sender.begin(0);
            for (int link = 0; link < LINKS; link++) {
                leaveUnsettled(sender, link);
            }
        }

        try (ScriptedPeer subscriber = broker.open("subscriber")) {
            subscriber.begin(0);
            receive(subscriber, subscription(), null);
            subscriber.credit(0, 0, 1, true);

            assertThat(ScriptedPeer.bodyOf(subscriber.await(Transfer.class).payload()))
                    .containsExactly(1);
        }
    }

    @Test
    @DisplayName(
            "a user has links for itself: another one with the same container-id and link name gets nothing of them")
    void notResumedByAnotherUser() throws IOException {
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
        ScriptedPeer alice = loggedIn(broker, "alice", "a-secret");
        receive(alice, queue(), null);
        alice.attachSender(1, "q");
        alice.await(Flow.class);
        alice.send(0, ScriptedPeer.transfer(1, 0), ScriptedPeer.durable((byte) 1));
        alice.await(Disposition.class);
        alice.credit(0, 0, 1, false);
        Binary tag = ((Transfer) alice.await(Transfer.class).body()).getDeliveryTag();
        alice.close();

        try (ScriptedPeer bob = loggedIn(broker, "bob", "b-secret")) {
            receive(bob, queue(), Map.of(tag, Accepted.getInstance()));
        }
        try (ScriptedPeer again = loggedIn(broker, "alice", "a-secret")) {
            receive(again, queue(), Map.of());
            again.credit(0, 0, 1, false);

            assertThat(ScriptedPeer.bodyOf(again.await(Transfer.class).payload()))
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

    private static Source subscription() {
        Source source = new Source();
        source.setAddress("news");
        source.setCapabilities(TOPIC);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        return source;
    }

    private static void receive(ScriptedPeer peer, Source source, @Nullable Map<?, ?> unsettled) throws IOException {
        Attach request = ScriptedPeer.receiverAttach(0, source);
        request.setName("in");
        request.setUnsettled(unsettled);
        peer.send(0, request);
        peer.awaitBody(Attach.class);
    }

    private static void publish(TestServer broker) throws IOException {
        try (ScriptedPeer publisher = broker.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, "news", TOPIC);
            publisher.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
            publisher.await(Disposition.class);
        }
    }

    /** A link that can be resumed, with a delivery that its sender does not settle. */
    private static void leaveUnsettled(ScriptedPeer sender, int link) throws IOException {
        Target target = new Target();
        target.setAddress("nobody");
        target.setCapabilities(TOPIC);
        target.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        Attach request = ScriptedPeer.senderAttach(link, target);
        request.setRcvSettleMode(ReceiverSettleMode.SECOND);
        sender.send(0, request);
        sender.await(Flow.class);
        sender.send(0, ScriptedPeer.transfer(link, link), ScriptedPeer.data((byte) 2));
        sender.await(Disposition.class);
    }
}
