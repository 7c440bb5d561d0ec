package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.routing.Delivery;
import io.netty.buffer.ByteBuf;
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

    /** True if the last one is out. */
    boolean isIdle() {
        return idle;
    }

    /** Begins with the next one; returns its delivery-id. */
    int begin(Delivery delivery) {
        MessageEgress reused = egress;
        if (reused == null) {
            reused = new MessageEgress(session.connection().clock(), delivery);
            egress = reused;
        }
        reused.begin(delivery, session.payloadBytesMax());
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
        ByteBuf out = output.buffer();
        int room = session.payloadBytesMax();
        boolean more = from.remainingMax() > room;
        FrameWriter writer = output.writer();
        int start = writer.beginTransfer(
                out, session.channel(), handle, firstFrame ? deliveryId & 0xffffffffL : -1, presettled, more);
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
}
