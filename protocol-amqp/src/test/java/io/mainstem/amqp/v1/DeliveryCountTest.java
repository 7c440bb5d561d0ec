package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Header;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The delivery-count in the header of what was given up (AMQP 1.0 part 3, 3.2.1): it is incremented by the outcomes that
 * say so, and what a queue gives up is the same message.
 */
final class DeliveryCountTest {
    private TestServer server;
    private ScriptedPeer peer;
    private int deliveries;
    /** By handle. */
    private final int[] counts = new int[3];

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        server.declareQueue("dead", Map.of());
        server.declareQueue(
                "q",
                Map.of(
                        "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", "dead",
                        "x-delivery-limit", 1L));
        peer = server.open("client");
        peer.begin(0);
        peer.attachSender(0, "q");
        peer.await(Flow.class);
        peer.attachReceiver(1, "q");
        peer.attachReceiver(2, "dead");
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("3.4.2: rejected increments the delivery-count of the message: its dead letter has 1")
    void rejected(boolean durable) throws IOException {
        send(durable);

        next(1, new Rejected());

        assertThat(next(2, null)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "3.4.5: modified with delivery-failed increments it: after two, the dead letter of x-delivery-limit 1 has 2")
    void failedTwice(boolean durable) throws IOException {
        send(durable);
        assertThat(next(1, failed())).isZero();

        assertThat(next(1, failed())).isEqualTo(1);

        assertThat(next(2, null)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("3.4.2, 3.4.5: failed once and then rejected is 2; what fails in the dead-letter queue is added")
    void failedThenRejected(boolean durable) throws IOException {
        send(durable);
        next(1, failed());
        next(1, new Rejected());

        assertThat(next(2, failed())).isEqualTo(2);

        assertThat(next(2, null)).isEqualTo(3);
    }

    @Test
    @DisplayName("3.4.4: released does not increment it")
    void released() throws IOException {
        send(true);
        next(1, Released.getInstance());

        next(1, new Rejected());

        assertThat(next(2, null)).isEqualTo(1);
    }

    @Test
    @DisplayName("2.5.6: the next-outgoing-id of a flow is what the next transfer of the peer is counted from")
    void nextOutgoingIdIsTakenOver() throws IOException {
        Flow flow = ScriptedPeer.sessionFlow(2048);
        flow.setNextOutgoingId(UnsignedInteger.valueOf(0xfffffffeL));
        flow.setEcho(true);
        peer.send(0, flow);
        assertThat(peer.awaitBody(Flow.class).getNextIncomingId()).isEqualTo(UnsignedInteger.valueOf(0xfffffffeL));
        send(true);
        send(true);
        send(true);
        Flow echo = ScriptedPeer.sessionFlow(2048);
        echo.setNextOutgoingId(UnsignedInteger.ONE);
        echo.setEcho(true);

        peer.send(0, echo);

        assertThat(peer.awaitBody(Flow.class).getNextIncomingId()).isEqualTo(UnsignedInteger.ONE);
    }

    private static Modified failed() {
        Modified modified = new Modified();
        modified.setDeliveryFailed(true);
        return modified;
    }

    private void send(boolean durable) throws IOException {
        peer.send(
                0,
                ScriptedPeer.transfer(0, deliveries),
                durable ? ScriptedPeer.durable((byte) 1) : ScriptedPeer.data((byte) 1));
        peer.await(Disposition.class);
        deliveries++;
    }

    /** Takes the next message of that link, and answers; its delivery-count. */
    private long next(int handle, @Nullable DeliveryState outcome) throws IOException {
        peer.credit(handle, counts[handle]++, 1, false);
        ScriptedPeer.Frame frame = peer.await(Transfer.class);
        if (outcome != null) {
            Disposition disposition = new Disposition();
            disposition.setRole(Role.RECEIVER);
            disposition.setFirst(((Transfer) frame.body()).getDeliveryId());
            disposition.setSettled(true);
            disposition.setState(outcome);
            peer.send(0, disposition);
        }
        ByteBuf payload = Unpooled.wrappedBuffer(frame.payload());
        Header header = (Header) PerformativeCodec.ofThread().read(payload, payload.writerIndex());
        UnsignedInteger count = header.getDeliveryCount();
        return count == null ? 0 : count.longValue();
    }
}
