package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Outcome;
import org.apache.qpid.proton.amqp.messaging.Rejected;
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
import org.junit.jupiter.api.io.TempDir;

/** A peer with a transaction controller: the phrases of the tests about transactions. */
abstract class TransactionFixture {
    static final int COORDINATOR = 7;
    static final int OUT = 0;
    static final int IN = 1;
    static final Symbol LOCAL = Symbol.valueOf("amqp:local-transactions");

    /** Far longer than a transaction takes on any disk. */
    private static final int TRANSACTION_MS = 120_000;

    @TempDir
    Path folder;

    TestServer server;
    ScriptedPeer peer;
    int nextDelivery;

    @BeforeEach
    void start() throws IOException {
        start(folder, TRANSACTION_MS);
    }

    private void start(Path data, int transactionTimeoutMs) throws IOException {
        server = new TestServer(data, new AmqpLimits(4096, 8, 8, 1 << 20, 4 << 20, 20, 60_000, transactionTimeoutMs));
        peer = server.open("client");
        peer.begin(0);
    }

    /** A new broker, with nothing in it, that gives transactions so long only. */
    void startAnew(int transactionTimeoutMs) throws IOException {
        stop();
        start(folder.resolve("anew"), transactionTimeoutMs);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    Attach attachCoordinator() throws IOException {
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

    void attachOut(String queue) throws IOException {
        peer.attachSender(OUT, queue);
        peer.expect(Flow.class);
    }

    void request(Object body) throws IOException {
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(new AmqpValue(body), out);
        peer.send(0, ScriptedPeer.transfer(COORDINATOR, nextDelivery++), ByteBufUtil.getBytes(out));
    }

    Binary declare() throws IOException {
        request(new Declare());
        Disposition answer = peer.awaitBody(Disposition.class);
        assertThat(answer.getSettled()).isTrue();
        return ((Declared) answer.getState()).getTxnId();
    }

    void requestDischarge(Binary id, boolean fail) throws IOException {
        Discharge discharge = new Discharge();
        discharge.setTxnId(id);
        discharge.setFail(fail);
        request(discharge);
    }

    Object discharge(Binary id, boolean fail) throws IOException {
        requestDischarge(id, fail);
        return peer.awaitBody(Disposition.class).getState();
    }

    static TransactionalState state(Binary id, @Nullable Outcome outcome) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome(outcome);
        return state;
    }

    void post(Binary id, boolean settled, int body) throws IOException {
        Transfer transfer = ScriptedPeer.transfer(OUT, nextDelivery++);
        transfer.setState(state(id, null));
        transfer.setSettled(settled);
        peer.send(0, transfer, ScriptedPeer.durable((byte) body));
    }

    void retire(int first, int last, boolean settled, Binary id) throws IOException {
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(UnsignedInteger.valueOf(first));
        disposition.setLast(UnsignedInteger.valueOf(last));
        disposition.setSettled(settled);
        disposition.setState(state(id, Accepted.getInstance()));
        peer.send(0, disposition);
    }

    /** Puts messages into a queue, outside of any transaction, and sees them accepted. */
    void fill(String queue, int count) throws IOException {
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

    int next() throws IOException {
        return ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())[0];
    }

    static String error(@Nullable Object state) {
        return ((Rejected) state).getError().getCondition().toString();
    }

    static String detachError(Detach detach) {
        return detach.getError().getCondition().toString();
    }
}
