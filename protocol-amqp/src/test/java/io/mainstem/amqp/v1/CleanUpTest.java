package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.DeleteOnClose;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What peers leave behind by going at the wrong moment is cleaned up. Scripts of frames on a real broker. */
final class CleanUpTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(1 << 16, 8, 16, 1 << 20, 4 << 20, 100, 60_000);
    private static final int LARGE = 60_000;
    private static final int MESSAGES = 200;

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder, LIMITS);
        peer = server.open("client");
        peer.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    private void publish(int messages, int bytes) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, "q");
            for (int i = 0; i < messages; i++) {
                publisher.send(0, ScriptedPeer.transfer(0, i), ScriptedPeer.durable(new byte[bytes]));
                publisher.await(Disposition.class);
            }
        }
    }

    @Test
    @DisplayName("4.2: a peer that has stopped reading is cut some time after our close, which it will never read")
    void peerThatDoesNotReadOurClose() throws IOException {
        publish(MESSAGES, LARGE);
        peer.attachReceiver(0, "q");
        peer.credit(0, 0, MESSAGES, false);
        // The first message comes; the rest fills the socket, because nobody reads it.
        peer.await(Transfer.class);

        peer.send(7, new Begin());

        server.awaitConnections(0);
    }

    @Test
    @DisplayName("20: a dynamic queue whose link was gone before it was attached is deleted")
    void dynamicQueueOfALostLink() throws IOException {
        Source source = new Source();
        source.setDynamic(true);
        source.setDynamicNodeProperties(Map.of(Symbol.valueOf("lifetime-policy"), DeleteOnClose.getInstance()));
        ByteArrayOutputStream burst = new ByteArrayOutputStream();
        burst.write(peer.frame(0, ScriptedPeer.receiverAttach(0, source)));
        burst.write(peer.frame(0, new End()));

        peer.bytes(burst.toByteArray());
        peer.awaitBody(End.class);

        server.awaitNoQueue("amq.tmp:");
    }

    @Test
    @DisplayName("2.1: a subscription's queue whose link was gone before it was attached is deleted")
    void subscriptionOfALostLink() throws IOException {
        Source source = new Source();
        source.setAddress("t");
        source.setCapabilities(Symbol.valueOf("topic"));
        ByteArrayOutputStream burst = new ByteArrayOutputStream();
        burst.write(peer.frame(0, ScriptedPeer.receiverAttach(0, source)));
        burst.write(peer.frame(0, new End()));

        peer.bytes(burst.toByteArray());
        peer.awaitBody(End.class);

        server.awaitNoQueue("amq.sub:");
    }

    @Test
    @DisplayName("18: a detached link whose queue is deleted leaves nothing, and begins anew")
    void suspendedOnADeletedQueue() throws IOException {
        publish(1, 1);
        Source source = new Source();
        source.setAddress("q");
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        peer.send(0, ScriptedPeer.receiverAttach(0, source));
        peer.awaitBody(Attach.class);
        peer.credit(0, 0, 1, false);
        Transfer unsettled = peer.awaitBody(Transfer.class);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        peer.send(0, detach);
        peer.awaitBody(Detach.class);
        server.deleteQueue("q");

        Attach again = ScriptedPeer.receiverAttach(0, source);
        again.setUnsettled(Map.of(unsettled.getDeliveryTag(), Accepted.getInstance()));
        peer.send(0, again);

        assertThat(peer.awaitBody(Attach.class).getSource()).isNotNull();
        assertThat(server.queues("q")).hasSize(1);
    }
}
