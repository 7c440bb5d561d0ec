package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.codec.WritableBuffer;

/** Lets proton-j's encoder append to a growing Netty buffer. Positions are the buffer's writer index. */
final class NettyWritableBuffer implements WritableBuffer {
    private ByteBuf target = Unpooled.EMPTY_BUFFER;

    void wrap(ByteBuf out) {
        target = out;
    }

    @Override
    public void put(byte value) {
        target.writeByte(value);
    }

    @Override
    public void putFloat(float value) {
        target.writeFloat(value);
    }

    @Override
    public void putDouble(double value) {
        target.writeDouble(value);
    }

    @Override
    public void put(byte[] source, int offset, int length) {
        target.writeBytes(source, offset, length);
    }

    @Override
    public void putShort(short value) {
        target.writeShort(value);
    }

    @Override
    public void putInt(int value) {
        target.writeInt(value);
    }

    @Override
    public void putLong(long value) {
        target.writeLong(value);
    }

    @Override
    public boolean hasRemaining() {
        return true;
    }

    @Override
    public void ensureRemaining(int bytes) {
        target.ensureWritable(bytes);
    }

    @Override
    public int remaining() {
        return target.maxCapacity() - target.writerIndex();
    }

    @Override
    public int position() {
        return target.writerIndex();
    }

    @Override
    public void position(int position) {
        target.ensureWritable(Math.max(0, position - target.writerIndex()));
        target.writerIndex(position);
    }

    @Override
    public void put(ByteBuffer source) {
        target.writeBytes(source);
    }

    @Override
    public void put(ReadableBuffer source) {
        source.get(this);
    }

    @Override
    public int limit() {
        return target.maxCapacity();
    }
}
