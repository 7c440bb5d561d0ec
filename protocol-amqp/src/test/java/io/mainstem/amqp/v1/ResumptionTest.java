package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links that go on after they were lost (AMQP 1.0 part 2, 2.6.1, 2.6.13). Scripts of frames on a real broker. */
final class ResumptionTest {
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

    private void assertEmpty(int deliveryCount) throws IOException {
        peer.credit(0, deliveryCount, 5, true);
        assertThat(peer.read().body()).isInstanceOf(Flow.class);
    }

    private static long failures(ScriptedPeer.Frame frame) {
        // The header's fifth field, where the broker has written one.
        byte[] payload = frame.payload();
        return payload[1] == 0x53 && payload[2] == 0x70 && payload[5] == 5 ? payload[4 + payload[4]] : 0;
    }

    // ---- the peer receives -----------------------------------------------------------------------------------

    @Test
    @DisplayName("18: an outcome that the peer has in its unsettled map counts, though its disposition was lost")
    void outcomeInTheMap() throws IOException {
        receive("q", null);
        publish("q", 1, 2);
        peer.credit(0, 0, 2, false);
        Binary first = nextTag(1);
        Binary second = nextTag(2);
        reconnect();

        Attach reply = receive("q", Map.of(first, Accepted.getInstance(), second, Accepted.getInstance()));

        assertThat(unsettled(reply)).isEmpty();
        assertEmpty(0);
    }

    @Test
    @DisplayName("18: a delivery that both sides have without outcome is sent again with resume, before new ones")
    void resumedDelivery() throws IOException {
        receive("q", null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        Binary tag = nextTag(1);
        reconnect();
        publish("q", 2);
        Map<Binary, DeliveryState> mine = new HashMap<>();
        mine.put(tag, null);

        Attach reply = receive("q", mine);
        assertThat(unsettled(reply).containsKey(tag)).isTrue();
        peer.credit(0, 0, 2, false);

        ScriptedPeer.Frame resumed = peer.await(Transfer.class);
        assertThat(((Transfer) resumed.body()).getResume()).isTrue();
        assertThat(((Transfer) resumed.body()).getDeliveryTag()).isEqualTo(tag);
        assertThat(ScriptedPeer.bodyOf(resumed.payload())).containsExactly(1);
        ScriptedPeer.Frame fresh = peer.await(Transfer.class);
        assertThat(((Transfer) fresh.body()).getResume()).isFalse();
        assertThat(ScriptedPeer.bodyOf(fresh.payload())).containsExactly(2);
        accept(0, 1);
        reconnect();
        receive("q", Map.of());
        assertEmpty(0);
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
    @DisplayName("18: while a link is suspended its deliveries are not given to others; after its timeout they are")
    void suspendedUntilTimeout() throws IOException {
        Source source = source("q");
        source.setExpiryPolicy(TerminusExpiryPolicy.CONNECTION_CLOSE);
        source.setTimeout(UnsignedInteger.valueOf(5));
        receive(source, null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        nextTag(1);
        peer.close();
        try (ScriptedPeer other = server.open("other")) {
            other.begin(0);
            other.attachReceiver(0, "q");
            other.credit(0, 0, 1, true);
            assertThat(other.await(Flow.class)).isNotNull();
            other.credit(0, 1, 1, false);

            assertThat(ScriptedPeer.bodyOf(other.await(Transfer.class).payload()))
                    .containsExactly(1);
        }
        peer = connect();
    }

    @Test
    @DisplayName("18: a detach without closing suspends, too")
    void resumedAfterDetach() throws IOException {
        receive("q", null);
        publish("q", 1);
        peer.credit(0, 0, 1, false);
        Binary tag = nextTag(1);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        peer.send(0, detach);
        peer.awaitBody(Detach.class);

        receive("q", Map.of(tag, Accepted.getInstance()));

        assertEmpty(0);
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
    @DisplayName("11: a name moves to another connection of its container, with what was unsettled")
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
        assertEmpty(0);
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

    private Attach send(@Nullable Map<Binary, DeliveryState> unsettled) throws IOException {
        Target target = new Target();
        target.setAddress("q");
        target.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        Attach request = ScriptedPeer.senderAttach(0, target);
        request.setName("out");
        request.setRcvSettleMode(ReceiverSettleMode.SECOND);
        request.setUnsettled(unsettled);
        peer.send(0, request);
        Attach reply = peer.awaitBody(Attach.class);
        peer.await(Flow.class);
        return reply;
    }

    @Test
    @DisplayName("15, 18: with rcv-settle-mode second the outcome is kept until the sender settles, over connections")
    void outcomeOfAPublish() throws IOException {
        assertThat(send(null).getRcvSettleMode()).isEqualTo(ReceiverSettleMode.SECOND);
        peer.send(0, ScriptedPeer.transfer(0, 7), ScriptedPeer.durable((byte) 1));
        Disposition answer = peer.awaitBody(Disposition.class);
        assertThat(answer.getSettled()).isFalse();
        assertThat(answer.getState()).isInstanceOf(Accepted.class);
        reconnect();
        Binary tag = ScriptedPeer.transfer(0, 7).getDeliveryTag();
        Map<Binary, DeliveryState> mine = new HashMap<>();
        mine.put(tag, null);

        Attach reply = send(mine);

        assertThat(unsettled(reply).get(tag)).isInstanceOf(Accepted.class);
        settle(0);
        reconnect();
        assertThat(unsettled(send(Map.of()))).isEmpty();
        assertOneMessage();
    }

    @Test
    @DisplayName("18: a transfer that resumes a delivery with an outcome is answered, and not published again")
    void resumedTransfer() throws IOException {
        send(null);
        peer.send(0, ScriptedPeer.transfer(0, 7), ScriptedPeer.durable((byte) 1));
        peer.awaitBody(Disposition.class);
        reconnect();
        Map<Binary, DeliveryState> mine = new HashMap<>();
        mine.put(ScriptedPeer.transfer(0, 7).getDeliveryTag(), null);
        send(mine);
        Transfer resumed = ScriptedPeer.transfer(0, 7);
        resumed.setDeliveryId(UnsignedInteger.ZERO);
        resumed.setResume(true);

        peer.send(0, resumed, ScriptedPeer.durable((byte) 1));

        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);
        assertOneMessage();
    }

    @Test
    @DisplayName("18: what the sender has settled is forgotten")
    void settledBySender() throws IOException {
        send(null);
        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
        peer.awaitBody(Disposition.class);
        settle(0);
        reconnect();
        Map<Binary, DeliveryState> mine = new HashMap<>();
        mine.put(ScriptedPeer.transfer(0, 0).getDeliveryTag(), null);

        assertThat(unsettled(send(mine))).isEmpty();
    }

    @Test
    @DisplayName("15: a sender that never settles gets no credit for ever, as every outcome it leaves open is kept")
    void openOutcomesAreBounded() throws IOException {
        send(null);
        int sent = 0;
        int granted = LIMITS.linkCredit();
        while (sent < granted) {
            assertThat(sent).isLessThan(20 * LIMITS.linkCredit());
            peer.send(0, ScriptedPeer.transfer(0, sent++), ScriptedPeer.data((byte) 1));
            peer.awaitBody(Disposition.class);
            granted = granted(sent);
        }

        Disposition settled = new Disposition();
        settled.setRole(Role.SENDER);
        settled.setFirst(UnsignedInteger.ZERO);
        settled.setLast(UnsignedInteger.valueOf(sent - 1));
        settled.setSettled(true);
        peer.send(0, settled);

        assertThat(granted(sent)).isEqualTo(sent + LIMITS.linkCredit());
    }

    /** Deliveries that the link may have sent in all. */
    private int granted(int sent) throws IOException {
        Flow ask = echo();
        ask.setHandle(UnsignedInteger.ZERO);
        ask.setDeliveryCount(UnsignedInteger.valueOf(sent));
        ask.setLinkCredit(UnsignedInteger.ZERO);
        peer.send(0, ask);
        Flow answer = peer.awaitBody(Flow.class);
        return answer.getDeliveryCount().intValue() + answer.getLinkCredit().intValue();
    }

    private void settle(int deliveryId) throws IOException {
        Disposition settled = new Disposition();
        settled.setRole(Role.SENDER);
        settled.setFirst(UnsignedInteger.valueOf(deliveryId));
        settled.setSettled(true);
        peer.send(0, settled);
        peer.send(0, echo());
        peer.await(Flow.class);
    }

    private static Flow echo() {
        Flow flow = ScriptedPeer.sessionFlow(2048);
        flow.setEcho(true);
        return flow;
    }

    private void accept(int first, int last) throws IOException {
        Disposition accepted = new Disposition();
        accepted.setRole(Role.RECEIVER);
        accepted.setFirst(UnsignedInteger.valueOf(first));
        accepted.setLast(UnsignedInteger.valueOf(last));
        accepted.setSettled(true);
        accepted.setState(Accepted.getInstance());
        peer.send(0, accepted);
        peer.send(0, echo());
        peer.await(Flow.class);
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
