package io.mainstem.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * Collects a connection's frames or packets and hands them to the socket in large pieces, flushed once per batch. Holds no
 * buffer while nothing is written. Thread: the connection's event loop.
 */
public final class BatchedOutput {
    private static final int PIECE_BYTES = 64 << 10;

    private final ChannelHandlerContext ctx;
    private final WriteGate gate;
    private final int firstBytes;
    private @Nullable ByteBuf piece;
    private boolean unflushed;
    private long bytes;
    private boolean closed;
    /** Somebody was told to wait since the last {@link #takeRefusal}. */
    private boolean refused;

    /** @param firstBytes what a usual answer takes */
    public BatchedOutput(ChannelHandlerContext ctx, WriteGate gate, int firstBytes) {
        this.ctx = ctx;
        this.gate = gate;
        this.firstBytes = firstBytes;
    }

    /** Where to append one frame or packet; call {@link #appended} after it. After the end it leads nowhere. */
    public ByteBuf buffer() {
        if (closed) {
            return Unpooled.buffer(0);
        }
        ByteBuf current = piece;
        if (current == null) {
            current = ctx.alloc().directBuffer(firstBytes);
            piece = current;
        }
        return current;
    }

    /** One frame or packet is complete. */
    public void appended() {
        ByteBuf current = piece;
        if (current != null && current.readableBytes() >= PIECE_BYTES) {
            handOver(current);
        }
    }

    /** True while deliveries may be encoded: what waits for the socket is bounded. */
    public boolean open() {
        return open(0);
    }

    /** As {@link #open()}, where the head holds so many bytes besides. */
    public boolean open(long besides) {
        ByteBuf current = piece;
        long held = besides + (current == null ? 0 : current.readableBytes());
        boolean open = !closed && gate.open((int) Math.min(Integer.MAX_VALUE, held));
        refused |= !open;
        return open;
    }

    /**
     * True, once, if {@link #open} has said no: what is held here counts there too, so no event of the socket may follow;
     * whoever flushes must ask.
     */
    public boolean takeRefusal() {
        boolean taken = refused;
        refused = false;
        return taken;
    }

    /** Hands over something that is no bytes, behind those so far; goes out with the next {@link #flush}. */
    public void write(Object message) {
        ByteBuf before = piece;
        if (before != null) {
            handOver(before);
        }
        unflushed = true;
        var unused = ctx.write(message, ctx.voidPromise());
    }

    /** Hands everything to the socket; true if there was something. */
    public boolean flush() {
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

    /** Bytes handed to the socket since the last call. */
    public long takeBytes() {
        long taken = bytes;
        bytes = 0;
        return taken;
    }

    /** Frees what was not handed over; nothing may follow. */
    public void release() {
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
        bytes += current.readableBytes();
        var unused = ctx.write(current, ctx.voidPromise());
    }
}
