package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
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

/** Subscriptions as frames make, share, change and end them. Scripts of frames on a real broker. */
final class SubscriptionTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 16, 1 << 20, 4 << 20, 10, 60_000);
    private static final Symbol TOPIC = Symbol.valueOf("topic");
    private static final Symbol SHARED = Symbol.valueOf("shared");
    private static final Symbol GLOBAL = Symbol.valueOf("global");

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;
    private int publishes;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder, LIMITS);
        peer = connect("client");
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    private ScriptedPeer connect(String container) throws IOException {
        ScriptedPeer connected = server.open(container);
        connected.begin(0);
        return connected;
    }

    private static Source source(String topic, Symbol... capabilities) {
        Source source = new Source();
        source.setAddress(topic);
        source.setCapabilities(capabilities);
        return source;
    }

    private static Source durable(String topic, Symbol... capabilities) {
        Source source = source(topic, capabilities);
        source.setDurable(TerminusDurability.UNSETTLED_STATE);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        return source;
    }

    private static Attach attach(ScriptedPeer of, int handle, String name, Source source) throws IOException {
        return attach(of, handle, name, source, request -> {});
    }

    private static Attach attach(ScriptedPeer of, int handle, String name, Source source, Consumer<Attach> change)
            throws IOException {
        Attach request = ScriptedPeer.receiverAttach(handle, source);
        request.setName(name);
        change.accept(request);
        of.send(0, request);
        return of.awaitBody(Attach.class);
    }

    private static Detach detach(ScriptedPeer of, int handle, boolean closed) throws IOException {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(handle));
        detach.setClosed(closed);
        of.send(0, detach);
        return of.awaitBody(Detach.class);
    }

    private void publish(String topic, int body) throws IOException {
        try (ScriptedPeer publisher = connect("publisher-" + publishes++)) {
            publisher.attachSender(0, topic, TOPIC);
            publisher.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) body));
            publisher.await(Disposition.class);
        }
    }

    private static byte[] next(ScriptedPeer of, int handle, int deliveryCount) throws IOException {
        of.credit(handle, deliveryCount, 1, false);
        return ScriptedPeer.bodyOf(of.await(Transfer.class).payload());
    }

    private static void assertEmpty(ScriptedPeer of, int handle, int deliveryCount) throws IOException {
        of.credit(handle, deliveryCount, 1, true);
        assertThat(of.read().body()).isInstanceOf(Flow.class);
    }

    private static String error(Detach detach) {
        return detach.getError() == null
                ? "none"
                : detach.getError().getCondition().toString();
    }

    // ---- kinds -----------------------------------------------------------------------------------------------

    @Test
    @DisplayName("4.5, [J-5]: shared consumers take turns; only what is granted is echoed")
    void sharedVolatile() throws IOException {
        Attach first = attach(peer, 0, "news|volatile1", source("t", TOPIC, SHARED, Symbol.valueOf("other")));
        attach(peer, 1, "news|volatile2", source("t", TOPIC, SHARED));
        publish("t", 1);
        publish("t", 2);

        Source granted = (Source) first.getSource();
        assertThat(granted.getCapabilities()).containsExactly(TOPIC, SHARED);
        assertThat(granted.getDurable()).isEqualTo(TerminusDurability.NONE);
        assertThat(next(peer, 0, 0)).containsExactly(1);
        assertThat(next(peer, 1, 0)).containsExactly(2);
    }

    @Test
    @DisplayName("2.1: a volatile subscription goes with its last consumer, not before")
    void volatileGoesWithLastConsumer() throws IOException {
        attach(peer, 0, "news|volatile1", source("t", TOPIC, SHARED));
        attach(peer, 1, "news|volatile2", source("t", TOPIC, SHARED));
        detach(peer, 0, true);
        publish("t", 1);
        assertThat(next(peer, 1, 0)).containsExactly(1);
        detach(peer, 1, true);
        publish("t", 2);

        attach(peer, 0, "news|volatile1", source("t", TOPIC, SHARED));

        assertEmpty(peer, 0, 0);
    }

    @Test
    @DisplayName("4.5: volatile and durable subscriptions, of a client and global ones, are four of one name")
    void fourOfOneName() throws IOException {
        attach(peer, 0, "news|volatile1", source("t", TOPIC, SHARED));
        attach(peer, 1, "news|global-volatile1", source("t", TOPIC, SHARED, GLOBAL));
        attach(peer, 2, "news", durable("t", TOPIC, SHARED));
        Attach global = attach(peer, 3, "news|global", durable("t", TOPIC, SHARED, GLOBAL));
        publish("t", 1);

        assertThat(((Source) global.getSource()).getCapabilities()).containsExactly(TOPIC, SHARED, GLOBAL);
        for (int handle = 0; handle < 4; handle++) {
            assertThat(next(peer, handle, 0)).containsExactly(1);
        }
    }

    @Test
    @DisplayName("4.5: a global subscription is shared by containers, a client's own is not")
    void globalOverContainers() throws IOException {
        try (ScriptedPeer other = connect("other")) {
            attach(peer, 0, "news|global", durable("t", TOPIC, SHARED, GLOBAL));
            attach(peer, 1, "mine", durable("t", TOPIC, SHARED));
            attach(other, 0, "news|global", durable("t", TOPIC, SHARED, GLOBAL));
            attach(other, 1, "mine", durable("t", TOPIC, SHARED));
            publish("t", 1);

            assertThat(next(peer, 0, 0)).containsExactly(1);
            assertEmpty(other, 0, 0);
            assertThat(next(peer, 1, 0)).containsExactly(1);
            assertThat(next(other, 1, 0)).containsExactly(1);
        }
    }

    // ---- [S-1] -----------------------------------------------------------------------------------------------

    @Test
    @DisplayName("[S-1]: the other kind is refused while there are consumers, and without any, whatever the topic")
    void oneKind() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC, SHARED));
        assertRefused(attach(peer, 1, "news|2", durable("t", TOPIC)), "wanted unshared, found shared");
        detach(peer, 0, false);
        assertRefused(attach(peer, 0, "news", durable("t", TOPIC)), "wanted unshared, found shared");

        attach(peer, 2, "mine", durable("t", TOPIC));
        assertRefused(attach(peer, 3, "mine|2", durable("t", TOPIC, SHARED)), "wanted shared, found unshared");
        detach(peer, 2, false);
        publish("t", 1);
        assertRefused(attach(peer, 2, "mine|2", durable("u", TOPIC, SHARED)), "wanted shared, found unshared");

        attach(peer, 4, "mine", durable("t", TOPIC));
        assertThat(next(peer, 4, 0)).containsExactly(1);
    }

    private void assertRefused(Attach reply, String reason) throws IOException {
        Detach refusal = peer.awaitBody(Detach.class);
        assertThat(reply.getSource()).isNull();
        assertThat(error(refusal)).isEqualTo("amqp:precondition-failed");
        assertThat(refusal.getError().getDescription()).startsWith("MS-0393").contains(reason);
    }

    @Test
    @DisplayName("[S-1]: an unshared subscription has one consumer")
    void oneConsumer() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC));

        assertThat(attach(peer, 1, "news|2", durable("t", TOPIC)).getSource()).isNull();

        assertThat(error(peer.awaitBody(Detach.class))).isEqualTo("amqp:resource-locked");
    }

    @Test
    @DisplayName("[S-1]: a subscription that has ended leaves its name to both kinds")
    void nameIsFreeAgain() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC));
        detach(peer, 0, true);

        Attach shared = attach(peer, 0, "news", durable("t", TOPIC, SHARED));

        assertThat(shared.getSource()).isNotNull();
    }

    // ---- [S-2] -----------------------------------------------------------------------------------------------

    @Test
    @DisplayName("[S-2]: another topic makes the subscription anew, but not under its consumers")
    void changedTopic() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC, SHARED));
        publish("t", 1);
        assertThat(attach(peer, 1, "news|2", durable("u", TOPIC, SHARED)).getSource())
                .isNull();
        assertThat(error(peer.awaitBody(Detach.class))).isEqualTo("amqp:resource-locked");
        detach(peer, 0, false);

        attach(peer, 0, "news", durable("u", TOPIC, SHARED));
        publish("t", 2);
        publish("u", 3);

        assertThat(next(peer, 0, 0)).containsExactly(3);
    }

    @Test
    @DisplayName("[S-2]: a volatile subscription with consumers cannot be heard under another topic")
    void changedTopicOfVolatile() throws IOException {
        attach(peer, 0, "news|volatile1", source("t", TOPIC, SHARED));

        assertThat(attach(peer, 1, "news|volatile2", source("u", TOPIC, SHARED)).getSource())
                .isNull();
        assertThat(error(peer.awaitBody(Detach.class))).isEqualTo("amqp:resource-locked");
    }

    // ---- 4.6 -------------------------------------------------------------------------------------------------

    @Test
    @DisplayName("4.6: detach keeps a durable subscription; a look-up by null source finds it, and by closing ends it")
    void unsubscribe() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC));
        detach(peer, 0, false);

        Source found = (Source) attach(peer, 1, "news", null).getSource();
        assertThat(found.getAddress()).isEqualTo("t");
        assertThat(found.getExpiryPolicy()).isEqualTo(TerminusExpiryPolicy.NEVER);
        assertThat(found.getCapabilities()).contains(TOPIC);
        assertThat(error(detach(peer, 1, true))).isEqualTo("none");

        assertThat(attach(peer, 2, "news", null).getSource()).isNull();
        assertThat(error(peer.awaitBody(Detach.class))).isEqualTo("amqp:not-found");
    }

    @Test
    @DisplayName("4.6: a look-up that is detached without closing leaves the subscription")
    void lookedAtOnly() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC));
        detach(peer, 0, false);
        attach(peer, 1, "news", null);
        detach(peer, 1, false);

        assertThat(attach(peer, 2, "news", null).getSource()).isNotNull();
    }

    @Test
    @DisplayName("4.6: global subscriptions are looked up by desired capabilities")
    void unsubscribeGlobal() throws IOException {
        attach(peer, 0, "news|global", durable("t", TOPIC, SHARED, GLOBAL));
        detach(peer, 0, false);
        assertThat(attach(peer, 1, "news", null).getSource()).isNull();
        assertThat(error(peer.awaitBody(Detach.class))).isEqualTo("amqp:not-found");

        Attach found = attach(peer, 2, "news|global", null, request -> request.setDesiredCapabilities(SHARED, GLOBAL));
        assertThat(found.getSource()).isNotNull();
        assertThat(error(detach(peer, 2, true))).isEqualTo("none");

        assertThat(attach(peer, 3, "news|global", null, request -> request.setDesiredCapabilities(SHARED, GLOBAL))
                        .getSource())
                .isNull();
    }

    @Test
    @DisplayName("4.6: a subscription with consumers is not ended by others")
    void unsubscribeInUse() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC, SHARED));
        attach(peer, 1, "news|2", null);

        assertThat(error(detach(peer, 1, true))).isEqualTo("amqp:resource-locked");

        publish("t", 1);
        assertThat(next(peer, 0, 0)).containsExactly(1);
    }

    @Test
    @DisplayName("2.1: closing one consumer of a shared durable subscription leaves it to the others")
    void closeOneOfSeveral() throws IOException {
        attach(peer, 0, "news", durable("t", TOPIC, SHARED));
        attach(peer, 1, "news|2", durable("t", TOPIC, SHARED));
        assertThat(error(detach(peer, 0, true))).isEqualTo("none");
        publish("t", 1);
        assertThat(next(peer, 1, 0)).containsExactly(1);

        assertThat(error(detach(peer, 1, true))).isEqualTo("none");

        assertThat(attach(peer, 2, "news", null).getSource()).isNull();
    }

    // ---- expiry ----------------------------------------------------------------------------------------------

    @Test
    @DisplayName("24: a terminus with a timeout outlives its connection by that time")
    void timeout() throws IOException, InterruptedException {
        Source source = source("t", TOPIC);
        source.setTimeout(UnsignedInteger.valueOf(60));
        attach(peer, 0, "news", source);
        peer.close();
        publish("t", 1);
        peer = connect("client");

        Source granted = (Source) attach(peer, 0, "news", source).getSource();

        assertThat(granted.getTimeout().intValue()).isEqualTo(60);
        assertThat(next(peer, 0, 0)).containsExactly(1);
    }

    @Test
    @DisplayName("24: after the timeout nothing is left of it")
    void timedOut() throws IOException {
        Source source = source("t", TOPIC);
        source.setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH);
        source.setTimeout(UnsignedInteger.ONE);
        attach(peer, 0, "news", source);
        detach(peer, 0, false);

        server.awaitGone("amq.sub:d:client:news");

        publish("t", 1);
        attach(peer, 1, "news", source);
        assertEmpty(peer, 1, 0);
    }

    @Test
    @DisplayName("24: a terminus without timeout goes with its connection, durable or not")
    void withoutTimeout() throws IOException {
        Source source = source("t", TOPIC);
        source.setDurable(TerminusDurability.CONFIGURATION);
        source.setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE);
        Source granted = (Source) attach(peer, 0, "news", source).getSource();
        assertThat(granted.getDurable()).isEqualTo(TerminusDurability.NONE);
        peer.close();
        publish("t", 1);
        peer = connect("client");

        attach(peer, 0, "news", source);

        assertEmpty(peer, 0, 0);
    }

    @Test
    @DisplayName("4.5: durable subscriptions of all kinds come back after a restart with what they hold")
    void restart() throws IOException {
        attach(peer, 0, "own", durable("t", TOPIC));
        attach(peer, 1, "shared", durable("t", TOPIC, SHARED));
        attach(peer, 2, "global|global", durable("t", TOPIC, SHARED, GLOBAL));
        publish("t", 1);
        server.close();
        server = new TestServer(folder, LIMITS);
        publish("t", 2);
        peer = connect("client");

        attach(peer, 0, "own", durable("t", TOPIC));
        attach(peer, 1, "shared", durable("t", TOPIC, SHARED));
        attach(peer, 2, "global|global", durable("t", TOPIC, SHARED, GLOBAL));

        for (int handle = 0; handle < 3; handle++) {
            assertThat(next(peer, handle, 0)).containsExactly(1);
            assertThat(next(peer, handle, 1)).containsExactly(2);
        }
    }
}
