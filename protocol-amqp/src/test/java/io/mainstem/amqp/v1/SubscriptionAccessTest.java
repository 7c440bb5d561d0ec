package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may attach to the queue of a subscription (ADR 0028). Scripts of frames on a real broker. */
final class SubscriptionAccessTest {
    private static final String QUEUE = "amq.sub:d:app:news";

    private TestServer server;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        permit();
        server.declareSubscription("alice", QUEUE, "news");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private void permit(String... rules) {
        server.access(AccessPolicy.of(Map.of(
                "alice",
                List.of(AccessRule.parse("allow read topic news")),
                AccessPolicy.ANONYMOUS,
                List.of(rules).stream().map(AccessRule::parse).toList())));
    }

    private ScriptedPeer attached() throws IOException {
        ScriptedPeer peer = server.open("other");
        peer.begin(0);
        Source source = new Source();
        source.setAddress("/queues/" + QUEUE.replace(":", "%3A"));
        Attach attach = ScriptedPeer.receiverAttach(0, source);
        attach.setName("theirs");
        peer.send(0, attach);
        return peer;
    }

    @Test
    @DisplayName("ADR 0028: a rule about queues does not open amq.sub:..., the answer is unauthorized-access by name")
    void otherPeoplesSubscription() throws IOException {
        permit("allow read queue *", "allow read topic news");

        try (ScriptedPeer peer = attached()) {
            assertThat(peer.awaitBody(Attach.class).getSource()).isNull();
            Detach refused = peer.awaitBody(Detach.class);

            assertThat(refused.getError().getCondition().toString()).isEqualTo("amqp:unauthorized-access");
            assertThat(refused.getError().getDescription()).contains("MS-0370", "alice");
        }
    }

    @Test
    @DisplayName("ADR 0028: a rule whose pattern begins with amq. opens it")
    void namedByARule() throws IOException {
        permit("allow read queue amq.sub:*");

        try (ScriptedPeer peer = attached()) {
            assertThat(peer.awaitBody(Attach.class).getSource()).isNotNull();
        }
    }

    @Test
    @DisplayName("who may send to a queue that is not there is told that it is missing, not that he may not configure")
    void missingQueue() throws IOException {
        permit("allow write queue orders");
        try (ScriptedPeer peer = server.open("other")) {
            peer.begin(0);
            peer.attachSender(0, "orders");
            assertThat(peer.awaitBody(Detach.class).getError().getDescription())
                    .startsWith("MS-0558 there is no queue 'orders', and anonymous users may not make it.");
        }
    }

    @Test
    @DisplayName("who may not send to a queue is told that over the anonymous relay, too, and no queue is made")
    void deniedOverTheRelay() throws IOException {
        permit("allow configure queue *");
        try (ScriptedPeer peer = server.open("other")) {
            peer.begin(0);
            peer.send(0, ScriptedPeer.senderAttach(0, new Target()));
            peer.awaitBody(Flow.class);
            peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.dataTo("orders", (byte) 1));
            Rejected rejected = (Rejected) peer.awaitBody(Disposition.class).getState();
            assertThat(rejected.getError().getDescription()).contains("MS-0370", "may not write queue 'orders'");
        }
        assertThat(server.queues("orders")).isEmpty();
    }
}
