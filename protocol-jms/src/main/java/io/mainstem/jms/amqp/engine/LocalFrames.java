package io.mainstem.jms.amqp.engine;

import io.mainstem.jms.message.section.GrowingBuffer;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.EmptyFrame;
import org.apache.qpid.proton.amqp.transport.FrameBody;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.apache.qpid.proton.codec.AMQPDefinedTypes;
import org.apache.qpid.proton.codec.DecoderImpl;
import org.apache.qpid.proton.codec.EncoderImpl;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;

/**
 * Frames for a broker in this JVM, in their order: transfers and dispositions as objects that nobody writes to any more,
 * the few others encoded, so that the two sides share nothing that changes. An empty frame as an object, right after the
 * open, tells the broker that this side takes objects, too. Thread: the event loop.
 */
public final class LocalFrames {
    private static final int FRAME_BYTES = 256;
    private static final int FRAME_HEADER_BYTES = 8;
    private static final byte DOFF = 2;

    private final EncoderImpl encoder;
    private final Queue<Object> written = new ArrayDeque<>();
    private final List<TransportFrame> objects = new ArrayList<>();

    /** None yet. */
    public LocalFrames() {
        DecoderImpl decoder = new DecoderImpl();
        encoder = new EncoderImpl(decoder);
        AMQPDefinedTypes.registerAllTypes(decoder, encoder);
    }

    /** @param body null: nothing but a sign of life */
    void add(int channel, @Nullable FrameBody body, @Nullable ReadableBuffer payload) {
        if (body instanceof Transfer transfer) {
            objects.add(new TransportFrame(channel, transfer.copy(), payload == null ? null : taken(payload)));
        } else if (body instanceof Disposition disposition) {
            objects.add(new TransportFrame(channel, disposition.copy(), null));
        } else {
            endObjects();
            written.add(Unpooled.wrappedBuffer(encoded(channel, body)));
        }
        if (body instanceof Open) {
            objects.add(new TransportFrame(0, EmptyFrame.INSTANCE, null));
        }
    }

    /** Those in a row go as one array: a channel hands over a thousand frames at the cost of one. */
    private void endObjects() {
        if (!objects.isEmpty()) {
            written.add(objects.toArray(TransportFrame[]::new));
            objects.clear();
        }
    }

    /**
     * Hands over what was added.
     *
     * @param channel takes buffers, and arrays of {@link TransportFrame}
     * @return false if there was nothing
     */
    boolean drainTo(Consumer<Object> channel) {
        endObjects();
        boolean any = false;
        for (Object next = written.poll(); next != null; next = written.poll()) {
            channel.accept(next);
            any = true;
        }
        return any;
    }

    /** All that is left of it, without a copy: whoever sends does not write to it again. */
    private static Binary taken(ReadableBuffer payload) {
        int length = payload.remaining();
        Binary content;
        if (payload.hasArray()) {
            content = new Binary(payload.array(), payload.arrayOffset() + payload.position(), length);
            payload.position(payload.limit());
        } else {
            byte[] bytes = new byte[length];
            payload.get(bytes);
            content = new Binary(bytes);
        }
        return content;
    }

    private ByteBuffer encoded(int channel, @Nullable FrameBody body) {
        GrowingBuffer out = new GrowingBuffer(FRAME_BYTES);
        out.position(FRAME_HEADER_BYTES);
        if (body != null) {
            encoder.setByteBuffer(out);
            encoder.writeObject(body);
        }
        ByteBuffer frame = out.finished();
        return frame.putInt(0, frame.remaining()).put(4, DOFF).put(5, (byte) 0).putShort(6, (short) channel);
    }
}
