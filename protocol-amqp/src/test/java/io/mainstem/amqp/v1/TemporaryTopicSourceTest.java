package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Temporary topics: one kind of node by one address, however it is spelled, and heard by its owner alone [J-7]. */
final class TemporaryTopicSourceTest {
    private static final Symbol TEMPORARY_TOPIC = Symbol.valueOf("temporary-topic");

    private TestServer server;
    private ScriptedPeer owner;
    private ScriptedPeer other;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        owner = server.open("owner");
        owner.begin(0);
        other = server.open("other");
        other.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        owner.close();
        other.close();
        server.close();
    }

    @ParameterizedTest
    @DisplayName("[J-7] a dynamic source with capability temporary-topic gets what is sent to its address,"
            + " whatever capability the sender names")
    @ValueSource(strings = {"temporary-topic", "topic", "temporary-queue", "queue", ""})
    void ownerGetsWhatIsSent(String capability) throws IOException {
        String address = makeByReceiver();
        other.attachSender(0, address, capabilities(capability));
        other.awaitBody(Flow.class);

        other.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.data((byte) 7));

        assertThat(other.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);
        owner.credit(0, 0, 1, false);
        assertThat(ScriptedPeer.bodyOf(owner.await(Transfer.class).payload())).containsExactly(7);
    }

    @Test
    @DisplayName("[J-7], [A-9] as above, over the anonymous relay, without x-opt-jms-dest")
    void overTheRelay() throws IOException {
        String address = makeByReceiver();
        other.attachSender(0, null);
        other.awaitBody(Flow.class);

        other.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.dataTo(address, (byte) 7));

        assertThat(other.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);
        owner.credit(0, 0, 1, false);
        assertThat(ScriptedPeer.bodyOf(owner.await(Transfer.class).payload())).containsExactly(7);
    }

    @ParameterizedTest
    @DisplayName("ADR 0072: nobody else consumes from it, whatever capability is named")
    @ValueSource(strings = {"temporary-topic", "topic", "temporary-queue", "queue", ""})
    void nobodyElseConsumes(String capability) throws IOException {
        String address = makeByReceiver();

        Attach refusal = other.attachReceiver(0, address, capabilities(capability));

        assertThat(refusal.getSource()).isNull();
        assertThat((Object) other.awaitBody(Detach.class).getError().getCondition())
                .hasToString("amqp:resource-locked");
    }

    @ParameterizedTest
    @DisplayName("[J-7] one that a sender has made is a topic to its owner's receivers, whatever capability they name")
    @ValueSource(strings = {"temporary-topic", "topic", "temporary-queue", "queue", ""})
    void madeBySender(String capability) throws IOException {
        Target target = new Target();
        target.setDynamic(true);
        target.setCapabilities(TEMPORARY_TOPIC);
        owner.send(0, ScriptedPeer.senderAttach(0, target));
        String address = ((Target) owner.awaitBody(Attach.class).getTarget()).getAddress();
        owner.awaitBody(Flow.class);
        owner.attachReceiver(1, address, capabilities(capability));
        owner.attachReceiver(2, address);

        owner.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.data((byte) 7));
        owner.credit(1, 0, 1, false);
        owner.credit(2, 0, 1, false);

        assertThat(ScriptedPeer.bodyOf(owner.await(Transfer.class).payload())).containsExactly(7);
        assertThat(ScriptedPeer.bodyOf(owner.await(Transfer.class).payload())).containsExactly(7);
    }

    @Test
    @DisplayName("[J-7] nothing is left of it when its receiver is closed")
    void nothingIsLeft() throws IOException {
        String address = makeByReceiver();

        owner.send(0, ScriptedPeer.detach(0, true));
        owner.awaitBody(Detach.class);

        server.awaitNoQueue("amq.sub:");
        other.attachSender(0, address);
        assertThat((Object) other.awaitBody(Detach.class).getError().getCondition())
                .hasToString("amqp:not-found");
    }

    private String makeByReceiver() throws IOException {
        Source source = new Source();
        source.setDynamic(true);
        source.setCapabilities(TEMPORARY_TOPIC);
        owner.send(0, ScriptedPeer.receiverAttach(0, source));
        return ((Source) owner.awaitBody(Attach.class).getSource()).getAddress();
    }

    private static Symbol[] capabilities(String name) {
        return name.isEmpty() ? new Symbol[0] : new Symbol[] {Symbol.valueOf(name)};
    }
}
