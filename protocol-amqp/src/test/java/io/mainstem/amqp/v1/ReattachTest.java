package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Links attached again after they were lost (AMQP 1.0 part 2, 2.6.1, 2.6.13). Scripts of frames on a real broker. */
final class ReattachTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 16, 1 << 20, 4 << 20, 10, 60_000);

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder, LIMITS);
        peer = connect();
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    private ScriptedPeer connect() throws IOException {
        ScriptedPeer connected = server.open("client");
        connected.begin(0);
        return connected;
    }

    /** A connection that is lost without a word, and the next one of the same container. */
    private void reconnect() throws IOException {
        peer.close();
        peer = connect();
    }

    private static Source source(String queue) {
        Source source = new Source();
        source.setAddress(queue);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        Modified failed = new Modified();
        failed.setDeliveryFailed(true);
        source.setDefaultOutcome(failed);
        return source;
    }

    private Attach receive(String queue, @Nullable Map<Binary, DeliveryState> unsettled) throws IOException {
        return receive(source(queue), unsettled);
    }

    private Attach receive(Source source, @Nullable Map<Binary, DeliveryState> unsettled) throws IOException {
        Attach request = ScriptedPeer.receiverAttach(0, source);
        request.setName("in");
        request.setUnsettled(unsettled);
        peer.send(0, request);
        return peer.awaitBody(Attach.class);
    }

    private void publish(String queue, int... bodies) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, queue);
            for (int i = 0; i < bodies.length; i++) {
                publisher.send(0, ScriptedPeer.transfer(0, i), ScriptedPeer.durable((byte) bodies[i]));
                publisher.await(Disposition.class);
            }
        }
    }

    private Binary nextTag(int... body) throws IOException {
        ScriptedPeer.Frame frame = peer.await(Transfer.class);
        assertThat(ScriptedPeer.bodyOf(frame.payload())).containsExactly(body);
        return ((Transfer) frame.body()).getDeliveryTag();
    }

    private static Map<?, ?> unsettled(Attach reply) {
        return reply.getUnsettled() == null ? Map.of() : reply.getUnsettled();
    }

    private static long failures(ScriptedPeer.Frame frame) {
        // The header's fifth field, where the broker has written one.
        byte[] payload = frame.payload();
        return payload[1] == 0x53 && payload[2] == 0x70 && payload[5] == 5 ? payload[4 + payload[4]] : 0;
    }

    // ---- the peer receives -----------------------------------------------------------------------------------

    @Test
    @DisplayName(
            "2.6.13: nothing is unsettled after a reattach, and what was comes again, whatever the peer's map says of it")
    void outcomeInTheMap() throws IOException {
        receive("q", null);
        publish("q", 1, 2);
        peer.credit(0, 0, 2, false);
        Binary first = nextTag(1);
        Binary second = nextTag(2);
        reconnect();
        Map<Binary, DeliveryState> mine = new HashMap<>();
        mine.put(first, Accepted.getInstance());
        mine.put(second, null);

        Attach reply = receive("q", mine);

        assertThat((Map<?, ?>) reply.getUnsettled()).isNull();
        peer.credit(0, 0, 2, false);
        ScriptedPeer.Frame again = peer.await(Transfer.class);
        assertThat(((Transfer) again.body()).getResume()).isFalse();
        assertThat(ScriptedPeer.bodyOf(again.payload())).containsExactly(1);
        assertThat(failures(again)).isEqualTo(1);
        nextTag(2);
    }

    @Test
    @DisplayName("a durable subscriber has all that its credit allows, however much of it is unsettled")
    void unsettledWithoutBound() throws IOException {
        Source topic = source("t");
        topic.setCapabilities(Symbol.valueOf("topic"));
        receive(topic, null);
        publishLarge("t", Symbol.valueOf("topic"), LARGE);

        peer.credit(0, 0, LARGE, false);

        for (int i = 0; i < LARGE; i++) {
            awaitLarge();
        }
    }

    @Test
    @DisplayName("2.6.7: a durable subscriber with megabytes unsettled drains, and is answered")
    void drainWithMuchUnsettled() throws IOException {
        Source topic = source("t");
        topic.setCapabilities(Symbol.valueOf("topic"));
        receive(topic, null);
        publishLarge("t", Symbol.valueOf("topic"), LARGE);
        peer.credit(0, 0, LARGE - 1, false);
        for (int i = 0; i < LARGE - 1; i++) {
            awaitLarge();
        }

        drain(LARGE - 1, 5, 2048);

        awaitLarge();
        assertThat(peer.awaitBody(Flow.class).getLinkCredit().intValue()).isZero();
    }

    @Test
    @DisplayName(
            "2.6.7: a peer without a session window drains, and is answered; the message is still there for others")
    void drainWithoutWindow() throws IOException {
        receive("q", null);
        publish("q", 1);

        drain(0, 5, 0);

        Flow answer = peer.awaitBody(Flow.class);
        assertThat(answer.getLinkCredit().intValue()).isZero();
        assertThat(answer.getDeliveryCount().intValue()).isEqualTo(5);
        try (ScriptedPeer other = server.open("other")) {
            other.begin(0);
            other.attachReceiver(0, "q");
            other.credit(0, 0, 1, false);
            assertThat(ScriptedPeer.bodyOf(other.await(Transfer.class).payload()))
                    .containsExactly(1);
        }
    }

    @Test
    @DisplayName(
            "2.6.7: a drain is answered when the window closes in the middle of a message, which goes on when it opens")
    void drainWithinAMessage() throws IOException {
        peer.close();
        peer = new ScriptedPeer(server.address());
        peer.open("client", open -> open.setMaxFrameSize(UnsignedInteger.valueOf(4096)));
        peer.begin(0);
        receive("q", null);
        publishLarge("q", null, 2);

        drain(0, 5, 3);

        int bytes = 0;
        for (int frames = 0; frames < 3; frames++) {
            bytes += peer.await(Transfer.class).payload().length;
        }
        peer.send(0, window(3, 0));
        assertThat(peer.awaitBody(Flow.class).getLinkCredit().intValue()).isZero();
        peer.send(0, window(3, 2048));
        ScriptedPeer.Frame frame = peer.await(Transfer.class);
        bytes += frame.payload().length;
        while (((Transfer) frame.body()).getMore()) {
            frame = peer.await(Transfer.class);
            bytes += frame.payload().length;
        }
        assertThat(bytes).isGreaterThan(LARGE_BYTES);
    }

    private static final int LARGE = 80;
    private static final int LARGE_BYTES = 40_000;

    private static Flow window(int seen, int incomingWindow) {
        Flow flow = ScriptedPeer.sessionFlow(incomingWindow);
        flow.setNextIncomingId(UnsignedInteger.valueOf(seen));
        return flow;
    }

    private void drain(int deliveryCount, int credit, int incomingWindow) throws IOException {
        Flow flow = ScriptedPeer.sessionFlow(incomingWindow);
        if (incomingWindow > 100) {
            // Frames that it has seen, as good as all.
            flow.setNextIncomingId(UnsignedInteger.valueOf(deliveryCount));
        }
        flow.setHandle(UnsignedInteger.ZERO);
        flow.setDeliveryCount(UnsignedInteger.valueOf(deliveryCount));
        flow.setLinkCredit(UnsignedInteger.valueOf(credit));
        flow.setDrain(true);
        peer.send(0, flow);
    }

    private void awaitLarge() throws IOException {
        Transfer frame = peer.awaitBody(Transfer.class);
        while (frame.getMore()) {
            frame = peer.awaitBody(Transfer.class);
        }
    }

    private void publishLarge(String address, @Nullable Symbol capability, int messages) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            if (capability == null) {
                publisher.attachSender(0, address);
            } else {
                publisher.attachSender(0, address, capability);
            }
            int frame = 4000;
            for (int i = 0; i < messages; i++) {
                byte[] message = ScriptedPeer.durable(new byte[LARGE_BYTES]);
                for (int at = 0; at < message.length; at += frame) {
                    Transfer part = ScriptedPeer.transfer(0, i);
                    part.setMore(at + frame < message.length);
                    publisher.send(0, part, Arrays.copyOfRange(message, at, Math.min(message.length, at + frame)));
                }
                publisher.await(Disposition.class);
            }
        }
    }

    @Test
    @DisplayName("18, [J-3]: what the peer does not know comes again as a new delivery, with the default outcome")
    void unknownToThePeer() throws IOException {
        receive("q", null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        nextTag(1);
        reconnect();

        assertThat(unsettled(receive("q", Map.of()))).isEmpty();
        peer.credit(0, 0, 1, false);

        ScriptedPeer.Frame again = peer.await(Transfer.class);
        assertThat(((Transfer) again.body()).getResume()).isFalse();
        assertThat(ScriptedPeer.bodyOf(again.payload())).containsExactly(1);
        assertThat(failures(again)).isEqualTo(1);
    }

    @Test
    @DisplayName("2.6.3: attached with a null map the link begins anew, and the default outcome counts")
    void begunAnew() throws IOException {
        receive("q", null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        nextTag(1);
        reconnect();

        assertThat(receive("q", null).getUnsettled() == null).isTrue();
        peer.credit(0, 0, 1, false);

        assertThat(failures(peer.await(Transfer.class))).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "[J-3]: what a lost link had unsettled is there for others at once, whatever the timeout of its source")
    void givenBackAtOnce() throws IOException {
        Source source = source("q");
        source.setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE);
        source.setTimeout(UnsignedInteger.valueOf(3600));
        receive(source, null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        nextTag(1);
        peer.close();
        try (ScriptedPeer other = server.open("other")) {
            other.begin(0);
            other.attachReceiver(0, "q");
            other.credit(0, 0, 1, false);

            assertThat(ScriptedPeer.bodyOf(other.await(Transfer.class).payload()))
                    .containsExactly(1);
        }
        peer = connect();
    }

    @Test
    @DisplayName("2.6.5: a detach without closing gives back what is unsettled, too")
    void givenBackByDetach() throws IOException {
        receive("q", null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        Binary tag = nextTag(1);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        peer.send(0, detach);
        peer.awaitBody(Detach.class);

        assertThat(unsettled(receive("q", Map.of(tag, Accepted.getInstance())))).isEmpty();

        peer.credit(0, 0, 1, false);
        nextTag(1);
    }

    @Test
    @DisplayName("a link whose terminus goes with its connection leaves nothing behind [J-3]")
    void notSuspended() throws IOException {
        Source source = source("q");
        source.setExpiryPolicy(TerminusExpiryPolicy.SESSION_END);
        receive(source, null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        Binary tag = nextTag(1);
        reconnect();

        receive(source, Map.of(tag, Accepted.getInstance()));
        peer.credit(0, 0, 1, false);

        assertThat(failures(peer.await(Transfer.class))).isEqualTo(1);
    }

    // ---- names -----------------------------------------------------------------------------------------------

    @Test
    @DisplayName("11: a name moves to another connection of its container; what was unsettled comes again there")
    void stolenByAnotherConnection() throws IOException {
        receive("q", null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        Binary tag = nextTag(1);
        ScriptedPeer old = peer;
        peer = connect();

        receive("q", Map.of(tag, Accepted.getInstance()));

        assertThat(old.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:link:stolen");
        peer.credit(0, 0, 1, false);
        assertThat(failures(peer.await(Transfer.class))).isEqualTo(1);
        old.close();
    }

    @Test
    @DisplayName("11: other containers have links of the same name for themselves")
    void notStolenByOtherContainers() throws IOException {
        receive("q", null);
        try (ScriptedPeer other = server.open("other")) {
            other.begin(0);
            Attach same = ScriptedPeer.receiverAttach(0, source("q"));
            same.setName("in");
            other.send(0, same);
            other.awaitBody(Attach.class);
        }
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        nextTag(1);
    }

    // ---- the peer sends --------------------------------------------------------------------------------------

    private Attach send(ReceiverSettleMode mode, @Nullable Map<Binary, DeliveryState> unsettled) throws IOException {
        Target target = new Target();
        target.setAddress("q");
        target.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        Attach request = ScriptedPeer.senderAttach(0, target);
        request.setName("out");
        request.setRcvSettleMode(mode);
        request.setUnsettled(unsettled);
        peer.send(0, request);
        Attach reply = peer.awaitBody(Attach.class);
        peer.await(Flow.class);
        return reply;
    }

    @ParameterizedTest
    @EnumSource(ReceiverSettleMode.class)
    @DisplayName(
            "2.7.5: a publish that is resumed on the next link is not stored a second time, and its sender is told why")
    void resumedTransfer(ReceiverSettleMode mode) throws IOException {
        assertThat(send(mode, null).getRcvSettleMode()).isEqualTo(mode);
        peer.send(0, ScriptedPeer.transfer(0, 7), ScriptedPeer.durable((byte) 1));
        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);
        reconnect();
        Map<Binary, DeliveryState> mine = new HashMap<>();
        mine.put(ScriptedPeer.transfer(0, 7).getDeliveryTag(), null);

        assertThat((Map<?, ?>) send(mode, mine).getUnsettled()).isNull();
        Transfer resumed = ScriptedPeer.transfer(0, 7);
        resumed.setDeliveryId(UnsignedInteger.ZERO);
        resumed.setResume(true);
        peer.send(0, resumed, ScriptedPeer.durable((byte) 1));

        Disposition answer = peer.awaitBody(Disposition.class);
        assertThat(((Rejected) answer.getState()).getError().getDescription())
                .startsWith("MS-0556")
                .contains("fix:");
        assertOneMessage();
    }

    @Test
    @DisplayName("15: a sender of mode second that never settles costs nothing, and goes on")
    void neverSettledBySender() throws IOException {
        send(ReceiverSettleMode.SECOND, null);

        for (int sent = 0; sent < 20 * LIMITS.linkCredit(); sent++) {
            peer.send(0, ScriptedPeer.transfer(0, sent), ScriptedPeer.data((byte) 1));
            assertThat(peer.awaitBody(Disposition.class).getSettled()).isFalse();
        }
    }

    private void assertOneMessage() throws IOException {
        try (ScriptedPeer consumer = server.open("consumer")) {
            consumer.begin(0);
            consumer.attachReceiver(0, "q");
            consumer.credit(0, 0, 5, true);
            assertThat(ScriptedPeer.bodyOf(consumer.await(Transfer.class).payload()))
                    .containsExactly(1);
            assertThat(consumer.read().body()).isInstanceOf(Flow.class);
        }
    }
}
