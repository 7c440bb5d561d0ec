package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.FrameBody;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;

/**
 * Collects a connection's frames and hands them to the socket in large pieces, flushed once per batch. Thread: the
 * connection's event loop.
 */
final class FrameOutput {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int FIRST_BYTES = 4 << 10;

    private final ChannelHandlerContext ctx;
    private final WriteGate gate;
    private final FrameWriter writer = new FrameWriter();
    private @Nullable ByteBuf piece;
    private boolean unflushed;
    private boolean encodes = true;
    /** Frames that go over as they are, after the bytes of {@link #piece}. */
    private final List<TransportFrame> unencoded = new ArrayList<>();

    private long unencodedBytes;
    private boolean closed;
    /** Somebody was told to wait since the last {@link #takeRefusal}. */
    private boolean refused;
    /** Takes what is written after the end. */
    private final ByteBuf discarded = Unpooled.buffer(0);

    FrameOutput(ChannelHandlerContext ctx, WriteGate gate) {
        this.ctx = ctx;
        this.gate = gate;
    }

    /** Where to append; call {@link #appended} after each frame. */
    ByteBuf buffer() {
        if (closed) {
            return discarded.clear();
        }
        handOverUnencoded();
        ByteBuf current = piece;
        if (current == null) {
            current = ctx.alloc().directBuffer(FIRST_BYTES);
            piece = current;
        }
        return current;
    }

    FrameWriter writer() {
        return writer;
    }

    /** Bytes go to the channel in pieces of {@value #PIECE_BYTES} bytes or a little more. */
    void appended() {
        ByteBuf current = piece;
        if (current != null && current.readableBytes() >= PIECE_BYTES) {
            handOver(current);
        }
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
        if (unencoded.isEmpty()) {
            return;
        }
        ByteBuf before = piece;
        if (before != null) {
            handOver(before);
        }
        unflushed = true;
        var unused = ctx.write(unencoded.toArray(TransportFrame[]::new), ctx.voidPromise());
        unencoded.clear();
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
        ByteBuf current = piece;
        long held = unencodedBytes + (current == null ? 0 : current.readableBytes());
        boolean open = !closed && gate.open((int) Math.min(Integer.MAX_VALUE, held));
        refused |= !open;
        return open;
    }

    /**
     * True, once, if {@link #open} has said no. It counts what is held here too, so the socket need not have become
     * unwritable by it, and then no event says that there is room again: whoever flushes must ask.
     */
    boolean takeRefusal() {
        boolean taken = refused;
        refused = false;
        return taken;
    }

    /** Hands everything to the socket. Returns true if there was something. */
    boolean flush() {
        handOverUnencoded();
        ByteBuf current = piece;
        if (current != null) {
            handOver(current);
        }
        if (!unflushed) {
            return false;
        }
        unflushed = false;
        unencodedBytes = 0;
        ctx.flush();
        gate.check();
        return true;
    }

    /** Frees what was not handed over; nothing may follow. */
    void release() {
        closed = true;
        unencoded.clear();
        ByteBuf current = piece;
        piece = null;
        if (current != null) {
            current.release();
        }
    }

    private void handOver(ByteBuf current) {
        piece = null;
        unflushed = true;
        var unused = ctx.write(current, ctx.voidPromise());
    }
}
