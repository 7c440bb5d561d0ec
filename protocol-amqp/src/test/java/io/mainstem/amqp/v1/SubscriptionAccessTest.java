package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
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
}
