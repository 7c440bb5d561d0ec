package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Links, credit, transfers and outcomes as scripts of frames, on a real broker. */
final class LinkTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 8, 1 << 20, 4 << 20, 10, 60_000);
    private static final Symbol QUEUE = Symbol.valueOf("queue");

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

    // ---- attaching -------------------------------------------------------------------------------------------

    @Test
    @DisplayName("9, [A-15]: a queue is made on attach, terminus and capability are echoed, credit follows")
    void attachingASender() throws IOException {
        Attach reply = peer.attachSender(3, "orders", QUEUE, Symbol.valueOf("unknown"));

        assertThat(reply.getRole()).isEqualTo(Role.RECEIVER);
        assertThat(reply.getName()).isEqualTo("out-3");
        Target target = (Target) reply.getTarget();
        assertThat(target.getAddress()).isEqualTo("orders");
        assertThat(target.getCapabilities()).containsExactly(QUEUE);
        assertThat(reply.getMaxMessageSize()).isEqualTo(UnsignedLong.valueOf(1 << 20));
        assertThat(peer.expect(Flow.class).getLinkCredit().intValue()).isEqualTo(10);
    }

    @ParameterizedTest
    @DisplayName("9: refusal is an attach without terminus, then detach with the standard's error")
    @CsvSource({
        "/queues/missing, amqp:not-found",
        "/exchanges/missing/key, amqp:not-found",
        "/queues/a b, amqp:invalid-field",
        "/queues/, amqp:invalid-field",
        "/management, amqp:invalid-field",
        "amq.mine, amqp:not-found",
    })
    void refusal(String address, String condition) throws IOException {
        assertThat(peer.attachSender(0, address).getTarget()).isNull();
        assertThat(error(peer.expect(Detach.class))).isEqualTo(condition);

        assertThat(peer.attachReceiver(1, address).getSource()).isNull();
        assertThat(error(peer.expect(Detach.class))).isEqualTo(condition);
    }

    @Test
    @DisplayName("20, [J-7]: a dynamic target is a new queue that goes with its link")
    void dynamicTarget() throws IOException {
        Target target = new Target();
        target.setDynamic(true);
        target.setCapabilities(Symbol.valueOf("temporary-queue"));
        peer.send(0, ScriptedPeer.senderAttach(0, target));
        String address = ((Target) peer.expect(Attach.class).getTarget()).getAddress();
        peer.expect(Flow.class);

        assertThat(((Source) peer.attachReceiver(1, address).getSource()).getAddress())
                .isEqualTo(address);
        peer.send(0, detach(0, true));
        peer.awaitBody(Detach.class);
        peer.awaitBody(Detach.class);
        assertThat(peer.attachReceiver(2, address).getSource()).isNull();
    }

    @Test
    @DisplayName("11: a name that is attached again is taken from the older link")
    void linkStealing() throws IOException {
        peer.attachReceiver(0, "orders");
        Source source = new Source();
        source.setAddress("orders");
        Attach again = ScriptedPeer.receiverAttach(1, source);
        again.setName("in-0");
        peer.send(0, again);

        assertThat(error(peer.expect(Detach.class))).isEqualTo("amqp:link:stolen");
        assertThat(peer.expect(Attach.class).getSource()).isNotNull();
    }

    @Test
    @DisplayName("23, mapping 4.6: a durable subscription is found by its name, closed for good, then not found")
    void unsubscribing() throws IOException {
        Source topic = new Source();
        topic.setAddress("news");
        topic.setCapabilities(Symbol.valueOf("topic"));
        topic.setDurable(TerminusDurability.UNSETTLED_STATE);
        topic.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        peer.send(0, ScriptedPeer.receiverAttach(0, topic));
        peer.expect(Attach.class);
        peer.send(0, detach(0, false));
        assertThat(peer.expect(Detach.class).getClosed()).isFalse();

        peer.send(0, ScriptedPeer.receiverAttach(0, null));
        Source found = (Source) peer.expect(Attach.class).getSource();
        assertThat(found.getAddress()).isEqualTo("news");
        assertThat(found.getCapabilities()).containsExactly(Symbol.valueOf("topic"));
        peer.send(0, detach(0, true));
        assertThat(peer.expect(Detach.class).getClosed()).isTrue();

        peer.send(0, ScriptedPeer.receiverAttach(0, null));
        assertThat(peer.expect(Attach.class).getSource()).isNull();
        assertThat(error(peer.expect(Detach.class))).isEqualTo("amqp:not-found");
    }

    // ---- sending to the broker -------------------------------------------------------------------------------

    @Test
    @DisplayName("15: answers to deliveries that came together are one disposition")
    void acceptedRanges() throws IOException {
        peer.attachSender(0, "orders");
        peer.expect(Flow.class);
        byte[] burst = {};
        for (int i = 0; i < 4; i++) {
            byte[] frame = peer.frame(0, ScriptedPeer.transfer(0, i), ScriptedPeer.data((byte) i));
            burst = Arrays.copyOf(burst, burst.length + frame.length);
            System.arraycopy(frame, 0, burst, burst.length - frame.length, frame.length);
        }
        peer.bytes(burst);

        Disposition disposition = peer.awaitBody(Disposition.class);
        assertThat(disposition.getState()).isEqualTo(Accepted.getInstance());
        assertThat(disposition.getSettled()).isTrue();
        assertThat(disposition.getFirst().intValue()).isZero();
        assertThat(disposition.getLast().intValue()).isEqualTo(3);
    }

    @Test
    @DisplayName("13: credit is refilled in batches, not message by message")
    void creditIsRefilledInBatches() throws IOException {
        peer.attachSender(0, "orders");
        assertThat(peer.expect(Flow.class).getDeliveryCount().intValue()).isZero();
        for (int i = 0; i < 5; i++) {
            peer.send(0, ScriptedPeer.transfer(0, i), ScriptedPeer.data((byte) i));
        }

        Flow flow = peer.awaitBody(Flow.class);
        assertThat(flow.getDeliveryCount().intValue()).isEqualTo(5);
        assertThat(flow.getLinkCredit().intValue()).isEqualTo(10);
    }

    @Test
    @DisplayName("17, [J-2]: nobody bound means released for an exchange and accepted for a topic")
    void unroutable() throws IOException {
        peer.attachSender(0, "/exchanges/amq.direct/nobody");
        peer.expect(Flow.class);
        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.data((byte) 1));
        assertThat(peer.awaitBody(Disposition.class).getState()).isEqualTo(Released.getInstance());

        peer.attachSender(1, "nobody", Symbol.valueOf("topic"));
        peer.send(0, ScriptedPeer.transfer(1, 1), ScriptedPeer.data((byte) 1));
        assertThat(peer.awaitBody(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
    }

    @ParameterizedTest
    @DisplayName("25, [A-10]: the relay rejects a message with a bad address and goes on")
    @CsvSource({
        "/queues/a b, amqp:precondition-failed",
        "/queues/missing, amqp:not-found",
        "/exchanges/missing/k, amqp:not-found",
        "topic://amq.tmp.gone, amqp:not-found",
    })
    void relayRejections(String to, String condition) throws IOException {
        peer.attachSender(0, null);
        peer.expect(Flow.class);
        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.dataTo(to, (byte) 1));
        Rejected rejected = (Rejected) peer.awaitBody(Disposition.class).getState();
        assertThat(rejected.getError().getCondition().toString()).isEqualTo(condition);

        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.dataTo("fresh", (byte) 2));
        assertThat(peer.awaitBody(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
        assertThat(takeOne("fresh")).containsExactly(2);
    }

    @Test
    @DisplayName(
            "25: a message that is refused while the relay makes its queue is rejected, and those behind it are sent")
    void relayRejectionBehindANewQueue() throws IOException {
        peer.attachSender(0, null);
        peer.expect(Flow.class);
        peer.send(0, ScriptedPeer.transfer(0, 0), timed("fresh", "tomorrow"));
        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.dataTo("fresh", (byte) 2));

        Rejected rejected = (Rejected) peer.awaitBody(Disposition.class).getState();
        assertThat(rejected.getError().getCondition().toString()).isEqualTo("amqp:precondition-failed");
        assertThat(peer.awaitBody(Disposition.class).getState()).isEqualTo(Accepted.getInstance());
        assertThat(takeOne("fresh")).containsExactly(2);
    }

    /** A message whose delivery time is of the wrong type. */
    private static byte[] timed(String to, String time) {
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread()
                .write(new MessageAnnotations(Map.of(Symbol.valueOf("x-opt-delivery-time"), time)), out);
        out.writeBytes(ScriptedPeer.dataTo(to, (byte) 1));
        return ByteBufUtil.getBytes(out);
    }

    @Test
    @DisplayName("14: an aborted delivery leaves no trace and takes its credit")
    void abortedDelivery() throws IOException {
        peer.attachSender(0, "orders");
        peer.expect(Flow.class);
        Transfer begun = ScriptedPeer.transfer(0, 0);
        begun.setMore(true);
        peer.send(0, begun, ScriptedPeer.data((byte) 1));
        Transfer aborted = new Transfer();
        aborted.setHandle(UnsignedInteger.ZERO);
        aborted.setAborted(true);
        peer.send(0, aborted);
        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.data((byte) 2));

        Disposition disposition = peer.awaitBody(Disposition.class);
        assertThat(disposition.getFirst().intValue()).isEqualTo(1);
        assertThat(takeOne("orders")).containsExactly(2);
    }

    @Test
    @DisplayName("a message in many frames comes back byte for byte, in frames the receiver can take")
    void manyFrames() throws IOException {
        byte[] body = new byte[700_000];
        new Random(1).nextBytes(body);
        byte[] message = ScriptedPeer.durable(body);
        peer.attachSender(0, "large");
        peer.expect(Flow.class);
        for (int at = 0; at < message.length; at += 4000) {
            Transfer transfer = ScriptedPeer.transfer(0, 0);
            transfer.setMore(at + 4000 < message.length);
            peer.send(0, transfer, Arrays.copyOfRange(message, at, Math.min(message.length, at + 4000)));
        }
        assertThat(peer.awaitBody(Disposition.class).getState()).isEqualTo(Accepted.getInstance());

        try (ScriptedPeer other = new ScriptedPeer(server.address())) {
            other.open("small frames", open -> open.setMaxFrameSize(UnsignedInteger.valueOf(600)));
            other.begin(0, 5000);
            other.attachReceiver(0, "large");
            other.credit(0, 0, 1, false);
            assertThat(receive(other)).isEqualTo(body);
        }
    }

    // ---- receiving from the broker ---------------------------------------------------------------------------

    @Test
    @DisplayName("12: no more deliveries than credit; drain is answered at once, also on an empty queue")
    void creditAndDrain() throws IOException {
        publish("orders", 1, 2, 3);
        peer.attachReceiver(1, "orders");
        peer.credit(1, 0, 2, false);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(2);

        peer.credit(1, 2, 5, true);

        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(3);
        Flow drained = peer.awaitBody(Flow.class);
        assertThat(drained.getDrain()).isTrue();
        assertThat(drained.getLinkCredit().intValue()).isZero();
        assertThat(drained.getDeliveryCount().intValue()).isEqualTo(7);

        peer.credit(1, 7, 1, true);
        assertThat(peer.awaitBody(Flow.class).getDeliveryCount().intValue()).isEqualTo(8);
        publish("orders", 4);
        peer.credit(1, 8, 1, false);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(4);
    }

    @Test
    @DisplayName("12, 8: transfers stop at the session window and go on when it opens")
    void sessionWindow() throws IOException {
        publish("orders", 1, 2, 3);
        try (ScriptedPeer narrow = server.open("narrow")) {
            narrow.begin(0, 1);
            narrow.attachReceiver(0, "orders");
            Flow credit = ScriptedPeer.sessionFlow(1);
            credit.setHandle(UnsignedInteger.ZERO);
            credit.setDeliveryCount(UnsignedInteger.ZERO);
            credit.setLinkCredit(UnsignedInteger.valueOf(10));
            narrow.send(0, credit);
            assertThat(ScriptedPeer.bodyOf(narrow.read().payload())).containsExactly(1);

            Flow echo = ScriptedPeer.sessionFlow(1);
            echo.setEcho(true);
            narrow.send(0, echo);
            narrow.expect(Flow.class);

            Flow wider = ScriptedPeer.sessionFlow(2);
            wider.setNextIncomingId(UnsignedInteger.ONE);
            narrow.send(0, wider);
            assertThat(ScriptedPeer.bodyOf(narrow.read().payload())).containsExactly(2);
            assertThat(ScriptedPeer.bodyOf(narrow.read().payload())).containsExactly(3);
        }
    }

    @Test
    @DisplayName("16: accepted is gone, released comes again uncounted, modified(failed) counted")
    void outcomes() throws IOException {
        publish("orders", 1, 2, 3);
        peer.attachReceiver(1, "orders");
        peer.credit(1, 0, 3, false);
        for (int i = 0; i < 3; i++) {
            peer.await(Transfer.class);
        }
        Modified failed = new Modified();
        failed.setDeliveryFailed(true);
        settle(0, Accepted.getInstance());
        settle(1, Released.getInstance());
        settle(2, failed);
        peer.credit(1, 3, 2, false);

        assertThat(headerFailures(peer.await(Transfer.class).payload(), 2)).isZero();
        assertThat(headerFailures(peer.await(Transfer.class).payload(), 3)).isEqualTo(1);
    }

    @Test
    @DisplayName("15: an unsettled outcome is answered by a settled disposition")
    void settleSecond() throws IOException {
        publish("orders", 1);
        peer.attachReceiver(1, "orders");
        peer.credit(1, 0, 1, false);
        peer.await(Transfer.class);
        Disposition disposition = disposition(0, Accepted.getInstance());
        disposition.setSettled(false);
        peer.send(0, disposition);

        Disposition answer = peer.awaitBody(Disposition.class);
        assertThat(answer.getRole()).isEqualTo(Role.SENDER);
        assertThat(answer.getSettled()).isTrue();
    }

    @Test
    @DisplayName("[J-3]: the source's default outcome is that of deliveries that a lost connection left unanswered")
    void defaultOutcomeOnLoss() throws IOException {
        publish("orders", 1);
        try (ScriptedPeer lost = server.open("lost")) {
            lost.begin(0);
            Source source = new Source();
            source.setAddress("orders");
            Modified failed = new Modified();
            failed.setDeliveryFailed(true);
            source.setDefaultOutcome(failed);
            lost.send(0, ScriptedPeer.receiverAttach(0, source));
            lost.expect(Attach.class);
            lost.credit(0, 0, 1, false);
            lost.await(Transfer.class);
        }

        peer.attachReceiver(1, "orders");
        peer.credit(1, 0, 1, false);
        assertThat(headerFailures(peer.await(Transfer.class).payload(), 1)).isEqualTo(1);
    }

    @Test
    @DisplayName("15: a presettled link's deliveries are gone when sent")
    void presettled() throws IOException {
        publish("orders", 1);
        Source source = new Source();
        source.setAddress("orders");
        Attach attach = ScriptedPeer.receiverAttach(1, source);
        attach.setSndSettleMode(SenderSettleMode.SETTLED);
        peer.send(0, attach);
        assertThat(peer.expect(Attach.class).getSndSettleMode()).isEqualTo(SenderSettleMode.SETTLED);
        peer.credit(1, 0, 1, false);
        assertThat(((Transfer) peer.await(Transfer.class).body()).getSettled()).isTrue();
        peer.send(0, detach(1, true));
        peer.awaitBody(Detach.class);

        peer.attachReceiver(2, "orders");
        peer.credit(2, 0, 1, true);
        assertThat(peer.read().body()).isInstanceOf(Flow.class);
    }

    // ---- phrases ---------------------------------------------------------------------------------------------

    private void publish(String queue, int... bodies) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, queue);
            for (int i = 0; i < bodies.length; i++) {
                publisher.send(0, ScriptedPeer.transfer(0, i), ScriptedPeer.durable((byte) bodies[i]));
            }
            Disposition last = publisher.awaitBody(Disposition.class);
            while (lastOf(last) < bodies.length - 1) {
                last = publisher.awaitBody(Disposition.class);
            }
        }
    }

    private static int lastOf(Disposition disposition) {
        return (disposition.getLast() == null ? disposition.getFirst() : disposition.getLast()).intValue();
    }

    private byte[] takeOne(String queue) throws IOException {
        try (ScriptedPeer taker = server.open("taker")) {
            taker.begin(0);
            taker.attachReceiver(0, queue);
            taker.credit(0, 0, 1, false);
            return receive(taker);
        }
    }

    /** The body of a delivery that may come in several frames. */
    private static byte[] receive(ScriptedPeer from) throws IOException {
        byte[] payload = {};
        while (true) {
            ScriptedPeer.Frame frame = from.await(Transfer.class);
            int length = payload.length;
            payload = Arrays.copyOf(payload, length + frame.payload().length);
            System.arraycopy(frame.payload(), 0, payload, length, frame.payload().length);
            if (!((Transfer) frame.body()).getMore()) {
                return ScriptedPeer.bodyOf(payload);
            }
        }
    }

    private void settle(int deliveryId, DeliveryState state) throws IOException {
        peer.send(0, disposition(deliveryId, state));
    }

    private static Disposition disposition(int deliveryId, DeliveryState state) {
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(UnsignedInteger.valueOf(deliveryId));
        disposition.setSettled(true);
        disposition.setState(state);
        return disposition;
    }

    private static Detach detach(int handle, boolean closed) {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(handle));
        detach.setClosed(closed);
        return detach;
    }

    private static String error(Detach detach) {
        return detach.getError().getCondition().toString();
    }

    /** delivery-count of the header, after checking that the body is {@code body}. */
    private static long headerFailures(byte[] payload, int body) {
        assertThat(ScriptedPeer.bodyOf(payload)).containsExactly(body);
        io.netty.buffer.ByteBuf in = io.netty.buffer.Unpooled.wrappedBuffer(payload);
        return new HeaderReader().read(in, payload.length).deliveryCount();
    }
}
