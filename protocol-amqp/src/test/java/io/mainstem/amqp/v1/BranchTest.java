package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnknownDescribedType;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Distributed transactions by declare.global-id and the requests of docs/protocols/amqp-1.0.md. */
final class BranchTest extends TransactionFixture {
    private static final Binary ID = new Binary(new byte[] {5, 6, 7});

    private Object ask(Object descriptor, Object... fields) throws IOException {
        request(new UnknownDescribedType(descriptor, Arrays.asList(fields)));
        return peer.awaitBody(Disposition.class).getState();
    }

    private Object ask(String verb, Object... fields) throws IOException {
        return ask(Symbol.valueOf("mainstem:" + verb + ":list"), fields);
    }

    private Binary declareBranch(Binary globalId) throws IOException {
        return ((Declared) ask(UnsignedLong.valueOf(0x31), globalId)).getTxnId();
    }

    /** Takes the one message of "in" and puts another one into "out". */
    private Binary work() throws IOException {
        fill("in", 1);
        attachCoordinator();
        peer.attachReceiver(IN, "in");
        peer.credit(IN, 0, 1, false);
        next();
        peer.attachSender(2, "out");
        peer.expect(org.apache.qpid.proton.amqp.transport.Flow.class);
        Binary id = declareBranch(ID);
        retire(0, 0, true, id);
        var transfer = ScriptedPeer.transfer(2, nextDelivery++);
        transfer.setState(state(id, null));
        transfer.setSettled(true);
        peer.send(0, transfer, ScriptedPeer.durable((byte) 42));
        return id;
    }

    @Test
    @DisplayName("prepare, then commit by global id from another connection")
    void twoPhaseCommit() throws IOException {
        Binary id = work();
        assertThat(ask("prepare", id)).isInstanceOf(Accepted.class);
        peer.close();

        peer = server.open("another");
        peer.begin(0);
        nextDelivery = 0;
        attachCoordinator();
        assertThat(((Declared) ask("recover")).getTxnId()).isEqualTo(ID);
        assertThat(ask("recover", ID)).isInstanceOf(Accepted.class);
        assertThat(ask("commit", ID)).isInstanceOf(Accepted.class);

        assertThat(ask("recover")).isInstanceOf(Accepted.class);
        peer.attachReceiver(IN, "out");
        peer.credit(IN, 0, 1, false);
        assertThat(next()).isEqualTo(42);
    }

    @Test
    @DisplayName("prepare, then rollback: what was accepted comes again")
    void rollbackAfterPrepare() throws IOException {
        Binary id = work();
        assertThat(ask("prepare", id)).isInstanceOf(Accepted.class);
        assertThat(ask("rollback", ID)).isInstanceOf(Accepted.class);
        peer.credit(IN, 1, 5, false);

        assertThat(next()).isZero();
    }

    @Test
    @DisplayName("discharge of a branch is its one-phase commit")
    void onePhase() throws IOException {
        Binary id = work();

        assertThat(discharge(id, false)).isInstanceOf(Accepted.class);

        assertThat(ask("recover")).isInstanceOf(Accepted.class);
        peer.attachReceiver(3, "out");
        peer.credit(3, 0, 1, false);
        assertThat(next()).isEqualTo(42);
    }

    @Test
    @DisplayName("ids that are unknown, used twice, too long, local: each has its named error")
    void refusals() throws IOException {
        attachCoordinator();
        assertThat(error(ask("commit", ID))).isEqualTo("amqp:transaction:unknown-id");
        assertThat(error(ask("rollback", ID))).isEqualTo("amqp:transaction:unknown-id");
        assertThat(error(ask("forget", ID))).isEqualTo("amqp:transaction:unknown-id");
        assertThat(error(ask("prepare", ID))).isEqualTo("amqp:transaction:unknown-id");
        assertThat(error(ask("commit"))).isEqualTo("amqp:invalid-field");
        assertThat(error(ask("commit", new Binary(new byte[200])))).isEqualTo("amqp:invalid-field");
        assertThat(error(ask("prepare", declare()))).isEqualTo("amqp:not-allowed");

        Binary id = declareBranch(ID);
        assertThat(error(ask(UnsignedLong.valueOf(0x31), ID))).isEqualTo("amqp:precondition-failed");
        assertThat(ask("prepare", id)).isInstanceOf(Accepted.class);
        assertThat(error(ask("prepare", id))).isEqualTo("amqp:transaction:unknown-id");
        assertThat(error(ask("forget", ID))).isEqualTo("amqp:precondition-failed");
        assertThat(ask("commit", ID)).isInstanceOf(Accepted.class);
    }

    @Test
    @DisplayName("recover walks through all prepared branches in the order of their bytes")
    void recover() throws IOException {
        attachCoordinator();
        List<Binary> ids = List.of(
                new Binary(new byte[] {1}), new Binary(new byte[] {1, 0}), new Binary(new byte[] {(byte) 0xff}));
        for (Binary id : List.of(ids.get(2), ids.get(0), ids.get(1))) {
            assertThat(ask("prepare", declareBranch(id))).isInstanceOf(Accepted.class);
        }

        assertThat(((Declared) ask("recover")).getTxnId()).isEqualTo(ids.get(0));
        assertThat(((Declared) ask("recover", ids.get(0))).getTxnId()).isEqualTo(ids.get(1));
        assertThat(((Declared) ask("recover", ids.get(1))).getTxnId()).isEqualTo(ids.get(2));
        assertThat(ask("recover", ids.get(2))).isInstanceOf(Accepted.class);
    }

    @Test
    @DisplayName("a branch that is not prepared ends with its coordinator link, and its name is free again")
    void lostBeforePrepare() throws IOException {
        attachCoordinator();
        declareBranch(ID);
        peer.close();

        peer = server.open("another");
        peer.begin(0);
        nextDelivery = 0;
        attachCoordinator();
        assertThat(error(ask("commit", ID))).isEqualTo("amqp:transaction:unknown-id");
    }
}
