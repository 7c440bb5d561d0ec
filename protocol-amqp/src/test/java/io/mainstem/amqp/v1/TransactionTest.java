package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transaction.Declare;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** AMQP 1.0 part 4, frame by frame; numbers are those of pitfalls-wire.md (b). */
final class TransactionTest extends TransactionFixture {
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
        startAnew(300);
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
    @DisplayName("[ADR 0052] a posting that comes to a link the broker has ended is lost, and lets the discharge fail")
    void postingOnEndedLink() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary id = declare();
        Transfer untagged = ScriptedPeer.transfer(OUT, nextDelivery++);
        untagged.setDeliveryTag(null);
        peer.send(0, untagged, ScriptedPeer.durable((byte) 1));
        post(id, true, 2);
        requestDischarge(id, false);

        assertThat(detachError(peer.awaitBody(Detach.class))).isEqualTo("amqp:invalid-field");
        assertThat(error(peer.awaitBody(Disposition.class).getState())).isEqualTo("amqp:transaction:rollback");
    }

    @Test
    @DisplayName("[ADR 0052] a discharge that comes between the frames of a posting waits for its end")
    void dischargeBetweenFrames() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary id = declare();
        byte[] message = ScriptedPeer.durable((byte) 3);
        Transfer begin = ScriptedPeer.transfer(OUT, nextDelivery++);
        begin.setState(state(id, null));
        begin.setSettled(true);
        begin.setMore(true);
        peer.send(0, begin, Arrays.copyOf(message, 1));
        requestDischarge(id, false);
        Transfer end = new Transfer();
        end.setHandle(UnsignedInteger.valueOf(OUT));
        peer.send(0, end, Arrays.copyOfRange(message, 1, message.length));

        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);
        peer.attachReceiver(IN, "q");
        peer.credit(IN, 0, 5, false);
        assertThat(next()).isEqualTo(3);
    }

    @Test
    @DisplayName("[ADR 0052] a posting of which a part has come when its link ends lets the discharge fail")
    void halfPosting() throws IOException {
        attachCoordinator();
        attachOut("q");
        Binary id = declare();
        Transfer half = ScriptedPeer.transfer(OUT, nextDelivery++);
        half.setState(state(id, null));
        half.setMore(true);
        peer.send(0, half, ScriptedPeer.durable((byte) 1));
        peer.send(0, ScriptedPeer.transfer(OUT, nextDelivery++), ScriptedPeer.durable((byte) 2));
        requestDischarge(id, false);

        assertThat(detachError(peer.awaitBody(Detach.class))).isEqualTo("amqp:not-allowed");
        assertThat(error(peer.awaitBody(Disposition.class).getState())).isEqualTo("amqp:transaction:rollback");
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
}
