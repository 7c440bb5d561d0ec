package io.mainstem.jms.amqp.engine;

import java.nio.ByteBuffer;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.FrameBody;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.engine.impl.TransportImpl;
import org.jspecify.annotations.Nullable;

/**
 * proton-j's transport, which writes to where the frames of this connection go, and one disposition for neighbouring
 * deliveries with the same outcome where proton-j would write one for each (part 2, 2.7.6). What is joined was to be
 * written in a row, so no frame changes its place. Thread: the event loop.
 */
public final class RangedTransport extends TransportImpl {
    private final @Nullable LocalFrames local;
    private final Disposition range = new Disposition();
    private boolean held;
    private int heldChannel;

    /** @param local takes the frames; null: they are encoded, for a socket */
    public RangedTransport(@Nullable LocalFrames local) {
        this.local = local;
    }

    @Override
    protected void writeFrame(
            int channel,
            @Nullable FrameBody body,
            @Nullable ReadableBuffer payload,
            @Nullable Runnable onPayloadTooLarge) {
        if (body instanceof Disposition disposition) {
            if (!joins(channel, disposition)) {
                writeHeld();
                hold(channel, disposition);
            }
            return;
        }
        writeHeld();
        write(channel, body, payload, onPayloadTooLarge);
    }

    private void write(
            int channel,
            @Nullable FrameBody body,
            @Nullable ReadableBuffer payload,
            @Nullable Runnable onPayloadTooLarge) {
        if (local == null) {
            super.writeFrame(channel, body, payload, onPayloadTooLarge);
        } else {
            local.add(channel, body, payload);
        }
    }

    @Override
    public boolean writeInto(ByteBuffer output) {
        boolean done = super.writeInto(output);
        if (!held) {
            return done;
        }
        writeHeld();
        return super.writeInto(output); // Again, for the bytes of that.
    }

    /** Takes in the next delivery after the range, if the same is said of it: states of equal content are one object. */
    private boolean joins(int channel, Disposition next) {
        boolean joined = held
                && channel == heldChannel
                && next.getFirst().intValue() == range.getLast().intValue() + 1
                && next.getRole() == range.getRole()
                && next.getSettled() == range.getSettled()
                && next.getState() == range.getState();
        if (joined) {
            range.setLast(next.getLast());
        }
        return joined;
    }

    /** Copies: the engine uses its object again. */
    private void hold(int channel, Disposition first) {
        held = true;
        heldChannel = channel;
        range.setFirst(first.getFirst());
        range.setLast(first.getLast());
        range.setRole(first.getRole());
        range.setSettled(first.getSettled());
        range.setBatchable(first.getBatchable());
        range.setState(first.getState());
    }

    private void writeHeld() {
        if (held) {
            held = false;
            write(heldChannel, range, null, null);
        }
    }
}
