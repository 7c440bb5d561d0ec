package io.mainstem.mqtt;

import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * Collects a connection's packets and hands them to the socket in large pieces, flushed once per batch. Thread: the
 * connection's event loop.
 */
final class PacketOutput {
    private static final int PIECE_BYTES = 64 << 10;
    private static final int FIRST_BYTES = 256;

    private final ChannelHandlerContext ctx;
    private final WriteGate gate;
    private @Nullable ByteBuf piece;
    private boolean unflushed;
    private boolean closed;
    /** Somebody was told to wait since the last {@link #takeRefusal}. */
    private boolean refused;
    /** Takes what is written after the end. */
    private final ByteBuf discarded = Unpooled.buffer(0);

    PacketOutput(ChannelHandlerContext ctx, WriteGate gate) {
        this.ctx = ctx;
        this.gate = gate;
    }

    /** Where to append one packet; call {@link #appended} after it. */
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

    void appended() {
        ByteBuf current = piece;
        if (current != null && current.readableBytes() >= PIECE_BYTES) {
            handOver(current);
        }
    }

    /** True while deliveries may be encoded: what waits for the socket is bounded. */
    boolean open() {
        ByteBuf current = piece;
        boolean open = !closed && gate.open(current == null ? 0 : current.readableBytes());
        refused |= !open;
        return open;
    }

    /**
     * True, once, if {@link #open} has said no: what is held here counts there too, so no event of the socket may follow;
     * whoever flushes must ask.
     */
    boolean takeRefusal() {
        boolean taken = refused;
        refused = false;
        return taken;
    }

    /** Hands everything to the socket. */
    void flush() {
        ByteBuf current = piece;
        if (current != null) {
            handOver(current);
        }
        if (unflushed) {
            unflushed = false;
            ctx.flush();
            gate.check();
        }
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
