package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Outcomes under a transaction, AMQP 1.0 part 4, 4.4.2; numbers are those of pitfalls-wire.md (b). */
final class RetirementTest extends TransactionFixture {
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
