package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transaction.Declare;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Postings over the anonymous relay that wait for their queue to be made, while the link, its session or the transaction
 * ends. Nothing of a transaction is published outside of it.
 */
final class WaitingPostingTest extends TransactionFixture {
    /** How what carries the waiting postings ends, in the same write. */
    enum Ending {
        CLOSE,
        DETACH,
        /** By the broker: a delivery without a tag. */
        ERROR,
        STOLEN,
        SESSION
    }

    private static final int CHANNEL = 3;

    private void attachRelay() throws IOException {
        attachCoordinator();
        peer.begin(CHANNEL);
        peer.send(CHANNEL, ScriptedPeer.senderAttach(OUT, new Target()));
        peer.await(Flow.class);
    }

    private byte[] posting(@Nullable Binary id, String to, int body) {
        Transfer transfer = ScriptedPeer.transfer(OUT, nextRelayed++);
        transfer.setState(id == null ? null : state(id, null));
        transfer.setSettled(true);
        return peer.frame(CHANNEL, transfer, ScriptedPeer.dataTo(to, (byte) body));
    }

    private int nextRelayed;

    private byte[] frame(Ending ending) {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(OUT));
        detach.setClosed(ending == Ending.CLOSE);
        switch (ending) {
            case CLOSE, DETACH -> {
                return peer.frame(CHANNEL, detach);
            }
            case ERROR -> {
                Transfer untagged = ScriptedPeer.transfer(OUT, nextRelayed++);
                untagged.setDeliveryTag(null);
                return peer.frame(CHANNEL, untagged, ScriptedPeer.durable((byte) 9));
            }
            case STOLEN -> {
                Attach thief = ScriptedPeer.senderAttach(OUT + 1, new Target());
                thief.setName("out-" + OUT);
                return peer.frame(CHANNEL, thief);
            }
            default -> {
                return peer.frame(CHANNEL, new End());
            }
        }
    }

    private void write(byte[]... frames) throws IOException {
        ByteArrayOutputStream burst = new ByteArrayOutputStream();
        for (byte[] frame : frames) {
            burst.write(frame);
        }
        peer.bytes(burst.toByteArray());
    }

    private void awaitEnd(Ending ending) throws IOException {
        peer.await(ending == Ending.SESSION ? End.class : Detach.class);
    }

    private void assertEmpty(String queue) throws IOException {
        peer.attachReceiver(IN, queue);
        peer.credit(IN, 0, 5, true);
        assertThat(peer.awaitBody(Flow.class).getLinkCredit().intValue()).isZero();
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    @DisplayName(
            "4.4.1: postings that wait when their link ends are undone with their transaction, and what waits behind is not")
    void rolledBack(Ending ending) throws IOException {
        attachRelay();
        Binary id = declare();

        write(
                posting(id, "made", 1),
                posting(id, "made", 2),
                posting(id, "made-too", 3),
                posting(null, "made", 4),
                frame(ending));
        awaitEnd(ending);

        assertThat(discharge(id, true)).isInstanceOf(Accepted.class);
        peer.attachReceiver(IN, "made");
        peer.credit(IN, 0, 5, false);
        assertThat(next()).isEqualTo(4);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(IN));
        peer.send(0, detach);
        peer.await(Detach.class);
        assertEmpty("made-too");
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    @DisplayName(
            "4.4.1: postings that came whole before their link ended are committed with their transaction, in order")
    void committed(Ending ending) throws IOException {
        attachRelay();
        Binary id = declare();

        write(posting(id, "made", 1), posting(id, "made", 2), posting(id, "made-too", 3), frame(ending));
        awaitEnd(ending);

        assertThat(discharge(id, false)).isInstanceOf(Accepted.class);
        peer.attachReceiver(IN, "made");
        peer.credit(IN, 0, 5, false);
        assertThat(next()).isEqualTo(1);
        assertThat(next()).isEqualTo(2);
    }

    @Test
    @DisplayName("4.4.1: a rollback does not wait for postings that wait, and they are not published afterwards")
    void rolledBackAtOnce() throws IOException {
        attachRelay();
        Binary id = declare();
        Transfer half = ScriptedPeer.transfer(OUT, nextRelayed++);
        half.setState(state(id, null));
        half.setSettled(true);
        half.setMore(true);
        byte[] message = ScriptedPeer.dataTo("made", (byte) 1);
        peer.send(CHANNEL, half, Arrays.copyOf(message, 3));

        assertThat(discharge(id, true)).isInstanceOf(Accepted.class);

        Transfer rest = new Transfer();
        rest.setHandle(UnsignedInteger.valueOf(OUT));
        peer.send(CHANNEL, rest, Arrays.copyOfRange(message, 3, message.length));
        peer.send(CHANNEL, new End());
        peer.await(End.class);
        assertEmpty("made");
    }

    @Test
    @DisplayName("4.4.1: postings that wait when the connection is lost are not published")
    void connectionLost() throws IOException {
        attachRelay();
        Binary id = declare();
        write(posting(id, "made", 1), posting(id, "made", 2));
        peer.close();
        server.awaitConnections(0);

        peer = server.open("client");
        peer.begin(0);
        assertEmpty("made");
    }

    @Test
    @DisplayName(
            "4.3: a request to the coordinator within a transaction is refused, and does not hold up the discharge")
    void requestInATransaction() throws IOException {
        attachCoordinator();
        Binary id = declare();
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(new AmqpValue(new Declare()), out);
        Transfer transfer = ScriptedPeer.transfer(COORDINATOR, nextDelivery++);
        transfer.setState(state(id, null));
        peer.send(0, transfer, ByteBufUtil.getBytes(out));

        TransactionalState answer =
                (TransactionalState) peer.awaitBody(Disposition.class).getState();
        assertThat(error(answer.getOutcome())).isEqualTo("amqp:not-allowed");
        assertThat(error(discharge(id, false))).isEqualTo("amqp:transaction:rollback");
    }
}
