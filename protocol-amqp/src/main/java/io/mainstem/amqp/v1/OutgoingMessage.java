package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.routing.Delivery;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;

/** One delivery of a link while it is cut into frames; reused for the next. Thread: the connection's event loop. */
final class OutgoingMessage {
    private final AmqpSession session;
    private final int handle;
    private final boolean presettled;
    private @Nullable MessageEgress egress;
    private boolean idle = true;
    private boolean firstFrame;
    private int deliveryId;

    OutgoingMessage(AmqpSession session, int handle, boolean presettled) {
        this.session = session;
        this.handle = handle;
        this.presettled = presettled;
    }

    /** The tag under which a delivery goes out. */
    static Binary tag(long number) {
        return new Binary(
                ByteBuffer.allocate(Integer.BYTES).putInt((int) number).array());
    }

    /** No less than the delivery takes as a message on the wire. */
    long bytesMax(Delivery delivery) {
        return prepared(delivery).remainingMax();
    }

    private MessageEgress prepared(Delivery delivery) {
        MessageEgress reused = egress;
        if (reused == null) {
            reused = new MessageEgress(session.connection().clock(), delivery);
            egress = reused;
        }
        reused.begin(delivery, session.payloadBytesMax());
        return reused;
    }

    /** True if the last one is out. */
    boolean isIdle() {
        return idle;
    }

    /** Begins with the next one; returns its delivery-id, which is its tag, too. */
    int begin(Delivery delivery) {
        prepared(delivery);
        idle = false;
        firstFrame = true;
        deliveryId = session.nextDeliveryId();
        return deliveryId;
    }

    /** Writes one frame; returns its bytes. */
    int frame() {
        MessageEgress from = egress;
        if (from == null) {
            return 0;
        }
        FrameOutput output = session.connection().output();
        if (!output.encodes()) {
            return unencoded(from, output);
        }
        ByteBuf out = output.buffer();
        int room = session.payloadBytesMax();
        boolean more = from.remainingMax() > room;
        FrameWriter writer = output.writer();
        long id = firstFrame ? deliveryId & 0xffffffffL : -1;
        int start = writer.beginTransfer(out, session.channel(), handle, id, deliveryId, presettled, more);
        int moreFlag = out.writerIndex() - 1;
        from.write(out, more ? room : Integer.MAX_VALUE);
        if (more && from.isDone()) {
            // It was a close guess, and the frame took all.
            writer.noMore(out, moreFlag);
        }
        writer.end(out, start);
        int bytes = out.writerIndex() - start;
        output.appended();
        session.transferred();
        firstFrame = false;
        idle = from.isDone();
        return bytes;
    }

    /** To a peer in this JVM: the whole message in one frame, of whatever size. */
    private int unencoded(MessageEgress from, FrameOutput output) {
        ByteBuf content = Unpooled.buffer(Math.toIntExact(from.remainingMax()));
        from.write(content, Integer.MAX_VALUE);
        Transfer transfer = new Transfer();
        transfer.setHandle(UnsignedInteger.valueOf(handle));
        transfer.setDeliveryId(UnsignedInteger.valueOf(deliveryId));
        transfer.setDeliveryTag(tag(deliveryId));
        transfer.setMessageFormat(UnsignedInteger.ZERO);
        transfer.setSettled(presettled);
        byte[] payload = ByteBufUtil.getBytes(content, 0, content.writerIndex(), false);
        output.unencoded(session.channel(), transfer, new Binary(payload));
        session.transferred();
        firstFrame = false;
        idle = true;
        return payload.length;
    }
}
