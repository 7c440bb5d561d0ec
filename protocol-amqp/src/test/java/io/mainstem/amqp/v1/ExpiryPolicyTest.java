package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnknownDescribedType;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What outlives a detach, and until when (AMQP 1.0 part 3, 3.5.4). Scripts of frames on a real broker. */
final class ExpiryPolicyTest {
    private static final Symbol TOPIC = Symbol.valueOf("topic");
    private static final Symbol SHARED = Symbol.valueOf("shared");
    private static final String QUEUES = "amq.sub:";

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder);
        peer = server.open("client");
        peer.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    // ---- the node --------------------------------------------------------------------------------------------

    @Test
    @DisplayName("3.5.4 session-end: a subscription goes on while its link is detached, and ends with the session")
    void sessionEnd() throws IOException {
        attach(topic(TerminusExpiryPolicy.SESSION_END), null);
        detach();
        publish("t", 1);

        attach(topic(TerminusExpiryPolicy.SESSION_END), null);

        assertThat(next(0)).containsExactly(1);
        detach();
        peer.send(0, new End());
        peer.await(End.class);
        server.awaitNoQueue(QUEUES);
    }

    @Test
    @DisplayName("3.5.4 connection-close: a subscription outlives its session, too, and another one may go on with it")
    void connectionClose() throws IOException {
        attach(topic(TerminusExpiryPolicy.CONNECTION_CLOSE), null);
        peer.send(0, new End());
        peer.await(End.class);
        publish("t", 1);
        peer.begin(0);

        attach(topic(TerminusExpiryPolicy.CONNECTION_CLOSE), null);

        assertThat(next(0)).containsExactly(1);
        detach();
        peer.close();
        server.awaitNoQueue(QUEUES);
    }

    @Test
    @DisplayName("3.5.4 link-detach: nothing is left after a detach")
    void linkDetach() throws IOException {
        attach(topic(TerminusExpiryPolicy.LINK_DETACH), null);

        detach();

        server.awaitNoQueue(QUEUES);
    }

    @Test
    @DisplayName("3.5.4 session-end: a shared subscription keeps its place while its last link is detached")
    void sharedSubscription() throws IOException {
        attach(topic(TerminusExpiryPolicy.SESSION_END, SHARED), null);
        detach();
        publish("t", 1);

        attach(topic(TerminusExpiryPolicy.SESSION_END, SHARED), null);

        assertThat(next(0)).containsExactly(1);
    }

    @Test
    @DisplayName("3.5.5: the timeout counts from the end of the session, not from the detach")
    void timeoutCountsFromTheEvent() throws IOException {
        Source waits = topic(TerminusExpiryPolicy.SESSION_END);
        waits.setTimeout(UnsignedInteger.ONE);
        attach(waits, null);
        detach();
        Source goes = topic(TerminusExpiryPolicy.LINK_DETACH);
        goes.setTimeout(UnsignedInteger.ONE);
        Attach second = ScriptedPeer.receiverAttach(0, goes);
        second.setName("second");
        peer.send(0, second);
        peer.await(Attach.class);
        detach();

        server.awaitGone("amq.sub:d:client:second");

        assertThat(server.queues(QUEUES)).containsExactly("amq.sub:d:client:in-0");
        peer.send(0, new End());
        server.awaitNoQueue(QUEUES);
    }

    @Test
    @DisplayName("3.5.4: closing the link ends its subscription at once, whatever the policy")
    void closed() throws IOException {
        attach(topic(TerminusExpiryPolicy.CONNECTION_CLOSE), null);

        Detach close = new Detach();
        close.setHandle(UnsignedInteger.ZERO);
        close.setClosed(true);
        peer.send(0, close);

        server.awaitNoQueue(QUEUES);
    }

    @Test
    @DisplayName("3.5.4: another connection cannot go on with what belongs to a session, and begins anew")
    void otherConnection() throws IOException {
        attach(topic(TerminusExpiryPolicy.SESSION_END), null);
        detach();
        publish("t", 1);
        try (ScriptedPeer other = server.open("client")) {
            other.begin(0);
            other.send(0, ScriptedPeer.receiverAttach(0, topic(TerminusExpiryPolicy.SESSION_END)));
            other.await(Attach.class);
            publish("t", 2);

            other.credit(0, 0, 1, false);

            assertThat(ScriptedPeer.bodyOf(other.await(Transfer.class).payload()))
                    .containsExactly(2);
        }
    }

    // ---- what is unsettled -----------------------------------------------------------------------------------

    @Test
    @DisplayName("3.5.4: unsettled deliveries of a detached link are there for others, whatever the policy")
    void unsettledGoesBack() throws IOException {
        publish("q", 1);
        attach(queue(), null);
        assertThat(next(0)).containsExactly(1);

        detach();

        try (ScriptedPeer other = server.open("other")) {
            other.begin(0);
            other.attachReceiver(0, "q");
            other.credit(0, 0, 1, false);
            assertThat(ScriptedPeer.bodyOf(other.await(Transfer.class).payload()))
                    .containsExactly(1);
        }
    }

    @Test
    @DisplayName("3.5.4 session-end: unsettled deliveries of a subscription come again, before later ones")
    void unsettledOfASubscription() throws IOException {
        attach(topic(TerminusExpiryPolicy.SESSION_END), null);
        publish("t", 1, 2);
        assertThat(next(0)).containsExactly(1);
        assertThat(next(1)).containsExactly(2);
        detach();
        publish("t", 3);

        Attach reply = attach(topic(TerminusExpiryPolicy.SESSION_END), new HashMap<>());

        assertThat((Map<?, ?>) reply.getUnsettled()).isNull();
        assertThat(next(0)).containsExactly(1);
        assertThat(next(1)).containsExactly(2);
        assertThat(next(2)).containsExactly(3);
    }

    @Test
    @DisplayName("2.6.1, 3.5.4: a subscription goes on with a link that takes its name within the session")
    void stolenWithinTheSession() throws IOException {
        attach(topic(TerminusExpiryPolicy.SESSION_END), null);
        publish("t", 1);
        Attach thief = ScriptedPeer.receiverAttach(1, topic(TerminusExpiryPolicy.SESSION_END));
        thief.setName("in-0");
        peer.send(0, thief);
        assertThat(peer.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:link:stolen");
        peer.awaitBody(Attach.class);

        peer.credit(1, 0, 1, false);

        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
    }

    @Test
    @DisplayName("3.5.4: what a connection leaves detached is bounded; beyond that the oldest subscription ends")
    void waitingIsBounded() throws IOException {
        for (int i = 0; i <= LinkDirectory.WAITING_MAX; i++) {
            Attach request = ScriptedPeer.receiverAttach(0, topic(TerminusExpiryPolicy.SESSION_END, SHARED));
            request.setName("link-" + i);
            peer.send(0, request);
            peer.await(Attach.class);
            detach();
        }

        server.awaitGone("amq.sub:v:client:link-0");

        assertThat(server.queues(QUEUES)).hasSize(LinkDirectory.WAITING_MAX);
    }

    @Test
    @DisplayName("2.6.13: a link that is attached again with another selector gets what that one selects")
    void changedSelector() throws IOException {
        publish("q", 1);
        Source nothing = selecting("kind = 'none'");
        attach(nothing, null);
        detach();

        Attach reply = attach(queue(), new HashMap<>());

        assertThat((Map<?, ?>) ((Source) reply.getSource()).getFilter()).isNull();
        assertThat(next(0)).containsExactly(1);
    }

    @Test
    @DisplayName("2.6.13: a subscription attached again with another selector begins anew")
    void changedSelectorOfASubscription() throws IOException {
        attach(topic(TerminusExpiryPolicy.SESSION_END), null);
        detach();
        publish("t", 1);
        Source other = selecting("kind IS NULL");
        other.setAddress("t");
        other.setCapabilities(TOPIC);

        attach(other, new HashMap<>());
        publish("t", 2);

        assertThat(next(0)).containsExactly(2);
        assertThat(server.queues(QUEUES)).hasSize(1);
    }

    @Test
    @DisplayName("2.6.13: a durable link attached again with another selector gets what that one selects")
    void changedSelectorOfAKeptLink() throws IOException {
        publish("q", 1);
        Source kept = queue();
        kept.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        attach(kept, null);
        assertThat(next(0)).containsExactly(1);
        detach();
        Source other = selecting("kind = 'none'");
        other.setExpiryPolicy(TerminusExpiryPolicy.NEVER);

        Attach reply = attach(other, new HashMap<>());

        assertThat((Map<?, ?>) ((Source) reply.getSource()).getFilter()).hasSize(1);
        assertThat((Map<?, ?>) reply.getUnsettled()).isNull();
        peer.credit(0, 0, 1, true);
        assertThat(peer.awaitBody(Flow.class).getLinkCredit().intValue()).isZero();
    }

    // ---- phrases ---------------------------------------------------------------------------------------------

    private static Source topic(TerminusExpiryPolicy expiry, Symbol... more) {
        Source source = new Source();
        source.setAddress("t");
        Symbol[] capabilities = java.util.Arrays.copyOf(more, more.length + 1);
        capabilities[more.length] = TOPIC;
        source.setCapabilities(capabilities);
        source.setExpiryPolicy(expiry);
        return source;
    }

    private static Source queue() {
        Source source = new Source();
        source.setAddress("q");
        return source;
    }

    private static Source selecting(String selector) {
        Source source = queue();
        source.setFilter(Map.of(
                Symbol.valueOf("jms-selector"),
                new UnknownDescribedType(UnsignedLong.valueOf(0x0000468C00000004L), selector)));
        return source;
    }

    private Attach attach(Source source, @Nullable Map<Binary, @Nullable DeliveryState> unsettled) throws IOException {
        Attach request = ScriptedPeer.receiverAttach(0, source);
        request.setUnsettled(unsettled);
        peer.send(0, request);
        return peer.awaitBody(Attach.class);
    }

    private void detach() throws IOException {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        peer.send(0, detach);
        peer.await(Detach.class);
    }

    private byte[] next(int deliveryCount) throws IOException {
        peer.credit(0, deliveryCount, 1, false);
        return ScriptedPeer.bodyOf(peer.await(Transfer.class).payload());
    }

    private void publish(String address, int... bodies) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            if (address.equals("t")) {
                publisher.attachSender(0, address, TOPIC);
            } else {
                publisher.attachSender(0, address);
            }
            for (int i = 0; i < bodies.length; i++) {
                publisher.send(0, ScriptedPeer.transfer(0, i), ScriptedPeer.durable((byte) bodies[i]));
                publisher.await(Disposition.class);
            }
        }
    }
}
