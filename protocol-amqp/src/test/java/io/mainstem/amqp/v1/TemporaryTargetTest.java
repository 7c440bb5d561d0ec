package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers that are attached to a temporary node when its owner deletes it [J-7]. */
final class TemporaryTargetTest {
    private TestServer server;
    private ScriptedPeer owner;
    private ScriptedPeer publisher;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        owner = server.open("owner");
        owner.begin(0);
        publisher = server.open("publisher");
        publisher.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        owner.close();
        publisher.close();
        server.close();
    }

    @ParameterizedTest
    @DisplayName("[J-7] what is sent after the deletion is rejected: not-found")
    @ValueSource(strings = {"temporary-topic", "temporary-queue"})
    void sendAfterDeletion(String kind) throws IOException {
        String address = make(kind);
        publisher.attachSender(0, address, Symbol.valueOf(kind));
        publisher.awaitBody(Flow.class);
        delete();

        publisher.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.data((byte) 1));

        Rejected rejected = (Rejected) publisher.awaitBody(Disposition.class).getState();
        assertThat((Object) rejected.getError().getCondition()).hasToString("amqp:not-found");
    }

    @ParameterizedTest
    @DisplayName("[J-7] a settled message cannot be rejected, so the link ends: not-found")
    @ValueSource(strings = {"temporary-topic", "temporary-queue"})
    void settledAfterDeletion(String kind) throws IOException {
        String address = make(kind);
        publisher.attachSender(0, address, Symbol.valueOf(kind));
        publisher.awaitBody(Flow.class);
        delete();
        Transfer settled = ScriptedPeer.transfer(0, 0);
        settled.setSettled(true);

        publisher.send(0, settled, ScriptedPeer.data((byte) 1));

        assertThat((Object) publisher.awaitBody(Detach.class).getError().getCondition())
                .hasToString("amqp:not-found");
    }

    private String make(String kind) throws IOException {
        Target target = new Target();
        target.setDynamic(true);
        target.setCapabilities(Symbol.valueOf(kind));
        owner.send(0, ScriptedPeer.senderAttach(0, target));
        return ((Target) owner.awaitBody(Attach.class).getTarget()).getAddress();
    }

    /** The owner closes the link that made the node; whoever asks after the answer finds it gone. */
    private void delete() throws IOException {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        detach.setClosed(true);
        owner.send(0, detach);
        owner.awaitBody(Detach.class);
        owner.attachReceiver(1, "marker");
    }
}
