package io.mainstem.jms.amqp.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.EmptyFrame;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.framing.TransportFrame;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What goes to a broker in this JVM (ADR 0048). */
class LocalFramesTest {
    private final LocalFrames frames = new LocalFrames();

    private List<Object> drained() {
        List<Object> all = new ArrayList<>();
        frames.drainTo(all::add);
        return all;
    }

    /** The frames of what must be an array of them. */
    private static TransportFrame[] objects(Object handedOver) {
        return (TransportFrame[]) handedOver;
    }

    private static Transfer transfer(int id) {
        Transfer transfer = new Transfer();
        transfer.setHandle(UnsignedInteger.ZERO);
        transfer.setDeliveryId(UnsignedInteger.valueOf(id));
        return transfer;
    }

    @Test
    @DisplayName("the open says that this side takes objects, too")
    void anEmptyFrameFollowsTheOpen() {
        Open open = new Open();
        open.setContainerId("c");
        frames.add(0, open, null);
        List<Object> all = drained();
        assertThat(all).hasSize(2);
        assertThat(all.get(0)).isInstanceOf(ByteBuf.class);
        assertThat(objects(all.get(1))[0].getBody()).isInstanceOf(EmptyFrame.class);
    }

    @Test
    void aPayloadIsHandedOverAsItIs() {
        byte[] message = {0, 1, 2, 3, 4};
        ReadableBuffer payload = ReadableBuffer.ByteBufferReader.wrap(ByteBuffer.wrap(message, 1, 3));
        frames.add(2, transfer(0), payload);
        TransportFrame frame = objects(drained().get(0))[0];
        assertThat(frame.getChannel()).isEqualTo(2);
        assertThat(frame.getPayload().getArray()).isSameAs(message);
        assertThat(frame.getPayload().getArrayOffset()).isEqualTo(1);
        assertThat(frame.getPayload().getLength()).isEqualTo(3);
        assertThat(payload.hasRemaining()).as("all of it is sent").isFalse();
    }

    @Test
    @DisplayName("the engine writes to its objects again; what was handed over stays as it was")
    void performativesAreCopies() {
        Transfer reused = transfer(0);
        Disposition range = new Disposition();
        range.setRole(Role.RECEIVER);
        range.setFirst(UnsignedInteger.ZERO);
        range.setState(Accepted.getInstance());
        frames.add(0, reused, null);
        frames.add(0, range, null);
        reused.setDeliveryId(UnsignedInteger.ONE);
        range.setFirst(UnsignedInteger.ONE);
        TransportFrame[] all = objects(drained().get(0));
        Transfer handedTransfer = (Transfer) all[0].getBody();
        Disposition handedRange = (Disposition) all[1].getBody();
        assertThat(handedTransfer.getDeliveryId()).isEqualTo(UnsignedInteger.ZERO);
        assertThat(handedRange.getFirst()).isEqualTo(UnsignedInteger.ZERO);
    }

    @Test
    void theOrderIsThatOfTheEngine() {
        Attach attach = new Attach();
        attach.setName("n");
        attach.setHandle(UnsignedInteger.ZERO);
        attach.setRole(Role.SENDER);
        frames.add(0, transfer(0), null);
        frames.add(0, attach, null);
        frames.add(0, null, null);
        frames.add(0, transfer(1), null);
        frames.add(0, transfer(2), null);
        List<Object> all = drained();
        assertThat(all)
                .hasSize(4)
                .satisfiesExactly(
                        first -> assertThat(objects(first)).hasSize(1),
                        second ->
                                assertThat(((ByteBuf) second).getInt(0)).isEqualTo(((ByteBuf) second).readableBytes()),
                        signOfLife -> assertThat(((ByteBuf) signOfLife).readableBytes())
                                .isEqualTo(8),
                        last -> assertThat(objects(last)).hasSize(2));
        assertThat(frames.drainTo(more -> {})).isFalse();
    }
}
