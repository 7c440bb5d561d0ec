package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.transport.BatchedOutput;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.FrameBody;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;

/**
 * Writes a connection's frames into its {@link BatchedOutput}; those for a peer in this JVM go over as they are. Thread: the
 * connection's event loop.
 */
final class FrameOutput {
    private static final int FIRST_BYTES = 4 << 10;

    private final BatchedOutput out;
    private final FrameWriter writer = new FrameWriter();
    private boolean encodes = true;
    /** Frames that go over as they are, after the bytes so far. */
    private final List<TransportFrame> unencoded = new ArrayList<>();

    private long unencodedBytes;
    private boolean closed;

    FrameOutput(ChannelHandlerContext ctx, WriteGate gate) {
        this.out = new BatchedOutput(ctx, gate, FIRST_BYTES);
    }

    /** Where to append; call {@link #appended} after each frame. */
    ByteBuf buffer() {
        handOverUnencoded();
        return out.buffer();
    }

    FrameWriter writer() {
        return writer;
    }

    /** One frame is complete. */
    void appended() {
        out.appended();
    }

    /** An AMQP frame. */
    void frame(int channel, Object performative) {
        writer.write(buffer(), FrameReader.AMQP, channel, performative);
        appended();
    }

    /** The peer is in this JVM and takes transfers and dispositions as objects. */
    void unencoded() {
        encodes = false;
    }

    /** False: write transfers and dispositions by {@link #unencoded(int, FrameBody, Binary)}. */
    boolean encodes() {
        return encodes;
    }

    /** A frame that goes over as it is; body and payload belong to the peer from now on. */
    void unencoded(int channel, FrameBody body, @Nullable Binary payload) {
        if (closed) {
            return;
        }
        unencoded.add(new TransportFrame(channel, body, payload));
        unencodedBytes += payload == null ? 0 : payload.getLength();
    }

    /** Many in one hand-over: each costs as much as one. */
    private void handOverUnencoded() {
        if (!unencoded.isEmpty()) {
            out.write(unencoded.toArray(TransportFrame[]::new));
            unencoded.clear();
        }
    }

    void saslFrame(Object body) {
        writer.write(buffer(), FrameReader.SASL, 0, body);
        appended();
    }

    void heartbeat() {
        writer.write(buffer(), FrameReader.AMQP, 0, null);
        flush();
    }

    void bytes(byte[] raw) {
        buffer().writeBytes(raw);
        appended();
    }

    /** True while deliveries may be encoded: what waits for the socket is bounded. */
    boolean open() {
        return out.open(unencodedBytes);
    }

    /** See {@link BatchedOutput#takeRefusal}. */
    boolean takeRefusal() {
        return out.takeRefusal();
    }

    /** Hands everything to the socket. Returns true if there was something. */
    boolean flush() {
        handOverUnencoded();
        if (!out.flush()) {
            return false;
        }
        unencodedBytes = 0;
        return true;
    }

    /** Frees what was not handed over; nothing may follow. */
    void release() {
        closed = true;
        unencoded.clear();
        out.release();
    }
}
