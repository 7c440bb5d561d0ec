package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Outcome;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transaction.Declare;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transaction.Discharge;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** AMQP 1.0 part 4, frame by frame; numbers are those of pitfalls-wire.md (b). */
final class TransactionTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 8, 1 << 20, 4 << 20, 20, 60_000, 300);
    private static final int COORDINATOR = 7;
    private static final int OUT = 0;
    private static final int IN = 1;
    private static final Symbol LOCAL = Symbol.valueOf("amqp:local-transactions");

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;
    private int nextDelivery;

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

    // ---- phrases ---------------------------------------------------------------------------------------------

    private Attach attachCoordinator() throws IOException {
        Coordinator coordinator = new Coordinator();
        coordinator.setCapabilities(LOCAL, Symbol.valueOf("amqp:promotable-transactions"));
        Attach attach = ScriptedPeer.senderAttach(COORDINATOR, coordinator);
        Source source = new Source();
        source.setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Declared.DESCRIPTOR_SYMBOL);
        attach.setSource(source);
        peer.send(0, attach);
        Attach reply = peer.expect(Attach.class);
        peer.expect(Flow.class);
        return reply;
    }

    private void attachOut(String queue) throws IOException {
        peer.attachSender(OUT, queue);
        peer.expect(Flow.class);
    }

    private void request(Object body) throws IOException {
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(new AmqpValue(body), out);
        peer.send(0, ScriptedPeer.transfer(COORDINATOR, nextDelivery++), ByteBufUtil.getBytes(out));
    }

    private Binary declare() throws IOException {
        request(new Declare());
        Disposition answer = peer.awaitBody(Disposition.class);
        assertThat(answer.getSettled()).isTrue();
        return ((Declared) answer.getState()).getTxnId();
    }

    private void requestDischarge(Binary id, boolean fail) throws IOException {
        Discharge discharge = new Discharge();
        discharge.setTxnId(id);
        discharge.setFail(fail);
        request(discharge);
    }

    private Object discharge(Binary id, boolean fail) throws IOException {
        requestDischarge(id, fail);
        return peer.awaitBody(Disposition.class).getState();
    }

    private static TransactionalState state(Binary id, @Nullable Outcome outcome) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome(outcome);
        return state;
    }

    private void post(Binary id, boolean settled, int body) throws IOException {
        Transfer transfer = ScriptedPeer.transfer(OUT, nextDelivery++);
        transfer.setState(state(id, null));
        transfer.setSettled(settled);
        peer.send(0, transfer, ScriptedPeer.durable((byte) body));
    }

    private void retire(int first, int last, boolean settled, Binary id) throws IOException {
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(UnsignedInteger.valueOf(first));
        disposition.setLast(UnsignedInteger.valueOf(last));
        disposition.setSettled(settled);
        disposition.setState(state(id, Accepted.getInstance()));
        peer.send(0, disposition);
    }

    /** Puts messages into a queue, outside of any transaction, and sees them accepted. */
    private void fill(String queue, int count) throws IOException {
        attachOut(queue);
        int last = nextDelivery + count - 1;
        for (int i = 0; i < count; i++) {
            peer.send(0, ScriptedPeer.transfer(OUT, nextDelivery++), ScriptedPeer.durable((byte) i));
        }
        Disposition answer = peer.awaitBody(Disposition.class);
        while (answer.getLast() == null || answer.getLast().intValue() < last) {
            if (answer.getFirst().intValue() == last) {
                break;
            }
            answer = peer.awaitBody(Disposition.class);
        }
    }

    private int next() throws IOException {
        return ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())[0];
    }

    private static String error(@Nullable Object state) {
        return ((Rejected) state).getError().getCondition().toString();
    }

    private static String detachError(Detach detach) {
        return detach.getError().getCondition().toString();
    }

    // ---- the coordinator -------------------------------------------------------------------------------------

    @Test
    @DisplayName("27: the coordinator echoes what it offers of the capabilities asked for")
    void capabilities() throws IOException {
        Coordinator granted = (Coordinator) attachCoordinator().getTarget();

        assertThat(granted.getCapabilities()).containsExactly(LOCAL);
    }

    @Test
    @DisplayName("28: a posting is answered under its transaction and visible after the discharge only")
    void posting() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary id = declare();

        post(id, false, 5);
        Disposition answer = peer.awaitBody(Disposition.class);
        assertThat(answer.getSettled()).isTrue();
        TransactionalState provisional = (TransactionalState) answer.getState();
        assertThat(provisional.getTxnId()).isEqualTo(id);
        assertThat(provisional.getOutcome()).isInstanceOf(Accepted.class);
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 5, true);
        assertThat(peer.awaitBody(Flow.class).getLinkCredit().intValue()).isZero();

        assertThat(discharge(id, false)).isInstanceOf(Accepted.class);

        peer.credit(IN, 5, 5, false);
        assertThat(next()).isEqualTo(5);
    }

    @Test
    @DisplayName("27: discharge with fail undoes, and is accepted")
    void rollbackOfPostings() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary id = declare();
        post(id, true, 1);

        assertThat(discharge(id, true)).isInstanceOf(Accepted.class);

        Binary second = declare();
        post(second, true, 2);
        assertThat(discharge(second, false)).isInstanceOf(Accepted.class);
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 5, false);
        assertThat(next()).isEqualTo(2);
    }

    @Test
    @DisplayName("[4.12] a declare may follow while the discharge before it is still on its way to the disk")
    void pipelinedDeclare() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary first = declare();
        post(first, true, 1);
        requestDischarge(first, false);
        request(new Declare());

        Object one = peer.awaitBody(Disposition.class).getState();
        Object other = peer.awaitBody(Disposition.class).getState();

        assertThat(java.util.List.of(one, other)).hasAtLeastOneElementOfType(Accepted.class);
        assertThat(java.util.List.of(one, other)).hasAtLeastOneElementOfType(Declared.class);
    }

    @Test
    @DisplayName("27: an id that is not open is rejected as amqp:transaction:unknown-id, also on a posting")
    void unknownId() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary unknown = new Binary(new byte[] {1, 2, 3});

        assertThat(error(discharge(unknown, false))).isEqualTo("amqp:transaction:unknown-id");
        post(unknown, false, 1);
        assertThat(error(peer.awaitBody(Disposition.class).getState())).isEqualTo("amqp:transaction:unknown-id");
    }

    @Test
    @DisplayName("27: a presettled posting or a retirement with an unknown id detaches its link")
    void unknownIdWithoutAnswer() throws IOException {
        fill("q", 1);
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 5, false);
        next();
        Binary unknown = new Binary(new byte[8]);

        retire(0, 0, true, unknown);
        Detach detach = peer.awaitBody(Detach.class);
        assertThat(detach.getHandle().intValue()).isEqualTo(IN);
        assertThat(detachError(detach)).isEqualTo("amqp:transaction:unknown-id");

        post(unknown, true, 1);
        assertThat(detachError(peer.awaitBody(Detach.class))).isEqualTo("amqp:transaction:unknown-id");
    }

    @Test
    @DisplayName("27: where the peer does not understand rejected, an error detaches the coordinator")
    void withoutRejected() throws IOException {
        Attach attach = ScriptedPeer.senderAttach(COORDINATOR, new Coordinator());
        Source source = new Source();
        source.setOutcomes(Accepted.DESCRIPTOR_SYMBOL, Declared.DESCRIPTOR_SYMBOL);
        attach.setSource(source);
        peer.send(0, attach);
        peer.expect(Attach.class);

        requestDischarge(new Binary(new byte[8]), false);

        assertThat(detachError(peer.awaitBody(Detach.class))).isEqualTo("amqp:transaction:unknown-id");
    }

    @Test
    @DisplayName("a message to the coordinator that is neither declare nor discharge is rejected")
    void strangeRequest() throws IOException {
        attachCoordinator();
        request("what?");

        assertThat(error(peer.awaitBody(Disposition.class).getState())).isEqualTo("amqp:invalid-field");
    }

    @Test
    @DisplayName("27: a transaction that is not discharged in time is rolled back, as amqp:transaction:timeout")
    void timeout() throws IOException {
        fill("q", 1);
        attachCoordinator();
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 5, false);
        next();
        Binary idle = declare();
        Binary late = declare();
        retire(0, 0, true, late);

        Transfer again = (Transfer) peer.await(Transfer.class).body();

        assertThat(again.getDeliveryId().intValue()).isEqualTo(1);
        assertThat(error(discharge(late, false))).isEqualTo("amqp:transaction:timeout");
        assertThat(discharge(idle, false)).isInstanceOf(Accepted.class);
    }

    // ---- postings that fail ----------------------------------------------------------------------------------

    @Test
    @DisplayName("25: a posting that finds no queue is released and lets the discharge fail")
    void unroutablePosting() throws IOException {
        attachCoordinator();
        peer.attachSender(OUT, "/exchanges/amq.direct/nowhere");
        peer.expect(Flow.class);
        Binary id = declare();
        post(id, false, 1);

        TransactionalState answer =
                (TransactionalState) peer.awaitBody(Disposition.class).getState();

        assertThat(answer.getOutcome()).isInstanceOf(Released.class);
        assertThat(error(discharge(id, false))).isEqualTo("amqp:transaction:rollback");
    }

    @Test
    @DisplayName("[J-2] a topic without subscribers is no failure, in a transaction neither")
    void topicWithoutSubscribers() throws IOException {
        attachCoordinator();
        peer.attachSender(OUT, "news", Symbol.valueOf("topic"));
        peer.expect(Flow.class);
        Binary id = declare();
        post(id, false, 1);

        TransactionalState answer =
                (TransactionalState) peer.awaitBody(Disposition.class).getState();

        assertThat(answer.getOutcome()).isInstanceOf(Accepted.class);
        assertThat(discharge(id, false)).isInstanceOf(Accepted.class);
    }

    @Test
    @DisplayName("25: on the relay, also what was sent settled: the link stays, the discharge fails")
    void refusedPresettledPosting() throws IOException {
        attachCoordinator();
        peer.attachSender(OUT, null);
        peer.expect(Flow.class);
        Binary id = declare();
        Transfer transfer = ScriptedPeer.transfer(OUT, nextDelivery++);
        transfer.setState(state(id, null));
        transfer.setSettled(true);
        peer.send(0, transfer, ScriptedPeer.dataTo("/queues/missing", (byte) 1));

        assertThat(error(discharge(id, false))).isEqualTo("amqp:transaction:rollback");
    }

    @Test
    @DisplayName("on the relay a discharge waits for the queues that its messages make")
    void relayPosting() throws IOException {
        attachCoordinator();
        peer.attachSender(OUT, null);
        peer.expect(Flow.class);
        Binary id = declare();
        for (int i = 0; i < 3; i++) {
            Transfer transfer = ScriptedPeer.transfer(OUT, nextDelivery++);
            transfer.setState(state(id, null));
            transfer.setSettled(true);
            peer.send(0, transfer, ScriptedPeer.dataTo("made-" + i, (byte) i));
        }

        assertThat(discharge(id, false)).isInstanceOf(Accepted.class);

        peer.attachReceiver(IN, "made-2");
        peer.credit(IN, 0, 5, false);
        assertThat(next()).isEqualTo(2);
    }

    // ---- retirements -----------------------------------------------------------------------------------------

    @Test
    @DisplayName("[4.13] rolled back accepts that were settled come again on the link, in order, with failed + 1")
    void rollbackOfSettledRetirements() throws IOException {
        fill("q", 3);
        attachCoordinator();
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 3, false);
        next();
        next();
        next();
        Binary id = declare();
        retire(0, 2, true, id);

        assertThat(discharge(id, true)).isInstanceOf(Accepted.class);
        peer.credit(IN, 3, 3, false);

        for (int i = 0; i < 3; i++) {
            ScriptedPeer.Frame again = peer.await(Transfer.class);
            assertThat(ScriptedPeer.bodyOf(again.payload())[0]).isEqualTo((byte) i);
            assertThat(deliveryCount(again.payload())).isEqualTo(1);
        }
    }

    private static long deliveryCount(byte[] payload) {
        ByteBuf bytes = Unpooled.wrappedBuffer(payload);
        Object header = PerformativeCodec.ofThread().read(bytes, payload.length);
        return ((org.apache.qpid.proton.amqp.messaging.Header) header)
                .getDeliveryCount()
                .longValue();
    }

    @Test
    @DisplayName("28: unsettled retirements are settled by the broker with the commit")
    void commitOfUnsettledRetirements() throws IOException {
        fill("q", 2);
        attachCoordinator();
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 2, false);
        next();
        next();
        Binary id = declare();
        retire(0, 1, false, id);
        requestDischarge(id, false);

        Disposition one = peer.awaitBody(Disposition.class);
        Disposition other = peer.awaitBody(Disposition.class);

        Disposition settling = one.getRole() == Role.SENDER ? one : other;
        assertThat(settling.getFirst().intValue()).isZero();
        assertThat(settling.getLast().intValue()).isEqualTo(1);
        assertThat(settling.getSettled()).isTrue();
        assertThat(settling.getState()).isInstanceOf(Accepted.class);
    }

    @Test
    @DisplayName("28: rolled back unsettled retirements stay with the link, which may settle them still")
    void rollbackOfUnsettledRetirements() throws IOException {
        fill("q", 2);
        attachCoordinator();
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 2, false);
        next();
        next();
        Binary id = declare();
        retire(0, 1, false, id);
        assertThat(discharge(id, true)).isInstanceOf(Accepted.class);
        peer.credit(IN, 2, 2, true);
        assertThat(peer.awaitBody(Flow.class).getLinkCredit().intValue()).isZero();

        Binary second = declare();
        retire(0, 1, true, second);
        assertThat(discharge(second, false)).isInstanceOf(Accepted.class);
    }

    @Test
    @DisplayName("28: transactional and plain work may mix on one link")
    void mixedWork() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary id = declare();
        post(id, true, 1);
        peer.send(0, ScriptedPeer.transfer(OUT, nextDelivery++), ScriptedPeer.durable((byte) 2));
        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);

        assertThat(discharge(id, true)).isInstanceOf(Accepted.class);

        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 5, false);
        assertThat(next()).isEqualTo(2);
    }

    @Test
    @DisplayName("a transaction spans links and sessions of its connection")
    void severalSessions() throws IOException {
        fill("q", 1);
        attachCoordinator();
        Binary id = declare();
        peer.begin(1);
        peer.send(1, ScriptedPeer.receiverAttach(0, source("q")));
        peer.await(Attach.class);
        Flow flow = ScriptedPeer.sessionFlow(2048);
        flow.setHandle(UnsignedInteger.ZERO);
        flow.setDeliveryCount(UnsignedInteger.ZERO);
        flow.setLinkCredit(UnsignedInteger.ONE);
        peer.send(1, flow);
        assertThat(next()).isZero();
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(UnsignedInteger.ZERO);
        disposition.setSettled(true);
        disposition.setState(state(id, Accepted.getInstance()));
        peer.send(1, disposition);
        post(id, true, 9);

        assertThat(discharge(id, false)).isInstanceOf(Accepted.class);

        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 5, false);
        assertThat(next()).isEqualTo(9);
    }

    private static Source source(String queue) {
        Source source = new Source();
        source.setAddress(queue);
        return source;
    }

    @Test
    @DisplayName("27: closing the coordinator rolls back what was declared on it")
    void closedCoordinator() throws IOException {
        fill("q", 1);
        attachCoordinator();
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 2, false);
        next();
        Binary id = declare();
        retire(0, 0, true, id);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(COORDINATOR));
        detach.setClosed(true);
        peer.send(0, detach);
        peer.await(Transfer.class);

        attachCoordinatorAgain();
        assertThat(error(discharge(id, false))).isEqualTo("amqp:transaction:unknown-id");
    }

    private void attachCoordinatorAgain() throws IOException {
        peer.send(0, ScriptedPeer.senderAttach(COORDINATOR, new Coordinator()));
        peer.await(Attach.class);
    }

    @Test
    @DisplayName("28: acquisition by a flow with txn-id is refused by name")
    void acquisition() throws IOException {
        peer.attachReceiver(IN, "q");
        Flow flow = ScriptedPeer.sessionFlow(2048);
        flow.setHandle(UnsignedInteger.valueOf(IN));
        flow.setLinkCredit(UnsignedInteger.ONE);
        flow.setProperties(Map.of(Symbol.valueOf("txn-id"), new Binary(new byte[8])));
        peer.send(0, flow);

        assertThat(detachError(peer.awaitBody(Detach.class))).isEqualTo("amqp:not-implemented");
    }
}
