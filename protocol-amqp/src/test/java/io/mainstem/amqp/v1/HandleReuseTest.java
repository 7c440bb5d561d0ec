package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer uses a handle again once its own detach has gone (AMQP 1.0 part 2, 2.6.4). Scripts of frames on a real broker. */
final class HandleReuseTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 16, 1 << 20, 4 << 20, 10, 60_000);
    private static final int LINKS = 12;

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;
    private final ByteArrayOutputStream burst = new ByteArrayOutputStream();

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

    private void write(Object performative) throws IOException {
        burst.write(peer.frame(0, performative));
    }

    private void send() throws IOException {
        peer.bytes(burst.toByteArray());
        burst.reset();
    }

    private static Attach dynamicReceiver(String name) {
        Source source = new Source();
        source.setDynamic(true);
        Attach attach = ScriptedPeer.receiverAttach(0, source);
        attach.setName(name);
        return attach;
    }

    private static Detach detach(boolean closed) {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        detach.setClosed(closed);
        return detach;
    }

    @Test
    @DisplayName(
            "dynamic receivers one after the other on one handle, all in one write: each is attached, then detached")
    void dynamicReceivers() throws IOException {
        for (int i = 0; i < LINKS; i++) {
            write(dynamicReceiver("link-" + i));
            write(detach(i % 2 == 0));
        }

        send();

        for (int i = 0; i < LINKS; i++) {
            assertThat(peer.expect(Attach.class).getName()).isEqualTo("link-" + i);
            assertThat(peer.expect(Detach.class).getError()).isNull();
        }
        server.awaitNoQueue("amq.tmp:");
    }

    @Test
    @DisplayName(
            "a link may follow on the handle of one that is being deleted, with another role and the frames it needs")
    void anotherRole() throws IOException {
        peer.send(0, dynamicReceiver("first"));
        peer.expect(Attach.class);
        Target target = new Target();
        target.setAddress("q");
        write(detach(true));
        write(ScriptedPeer.senderAttach(0, target));
        write(detach(true));
        Source source = new Source();
        source.setAddress("q");
        write(ScriptedPeer.receiverAttach(0, source));
        Flow credit = ScriptedPeer.sessionFlow(2048);
        credit.setHandle(UnsignedInteger.ZERO);
        credit.setDeliveryCount(UnsignedInteger.ZERO);
        credit.setLinkCredit(UnsignedInteger.ONE);
        write(credit);

        send();

        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, "q");
            publisher.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
            publisher.await(Disposition.class);
        }
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
    }

    @Test
    @DisplayName("a durable subscription is closed and attached again on its handle, in one write")
    void durableSubscription() throws IOException {
        Source source = new Source();
        source.setAddress("t");
        source.setCapabilities(Symbol.valueOf("topic"));
        source.setExpiryPolicy(org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy.NEVER);
        for (int i = 0; i < LINKS; i++) {
            write(ScriptedPeer.receiverAttach(0, source));
            write(detach(true));
        }

        send();

        for (int i = 0; i < LINKS; i++) {
            assertThat(peer.expect(Attach.class).getSource()).isNotNull();
            assertThat(peer.expect(Detach.class).getError()).isNull();
        }
        server.awaitNoQueue("amq.sub:");
    }

    @Test
    @DisplayName("a handle that the peer has not detached is in use, and ends the session")
    void inUse() throws IOException {
        write(dynamicReceiver("first"));
        write(dynamicReceiver("second"));

        send();

        assertThat(peer.awaitBody(End.class).getError().getCondition().toString())
                .isEqualTo("amqp:session:handle-in-use");
    }

    @Test
    @DisplayName("a peer that detaches and attaches without ever awaiting an answer is ended at the number of links")
    void bounded() throws IOException {
        for (int i = 0; i < 40; i++) {
            for (int link = 0; link < LIMITS.linksMax(); link++) {
                write(dynamicReceiver("link-" + i + "-" + link));
                write(detach(true));
            }
        }

        send();

        assertThat(peer.awaitBody(End.class).getError().getCondition().toString())
                .isEqualTo("amqp:resource-limit-exceeded");
        server.awaitNoQueue("amq.tmp:");
    }
}
