package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
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
        boolean open = !closed && gate.open(current == null ? 0 : current.readableBytes());
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
        ByteBuf current = piece;
        if (current != null) {
            handOver(current);
        }
        if (!unflushed) {
            return false;
        }
        unflushed = false;
        ctx.flush();
        gate.check();
        return true;
    }

    /** Closes the socket after what was written so far. */
    void closeAfterFlush() {
        flush();
        ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /** Frees what was not handed over; nothing may follow. */
    void release() {
        closed = true;
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
