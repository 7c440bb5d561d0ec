package io.mainstem.store.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file read past the page cache, in whole blocks of the disk. Thread: one that nobody interrupts. */
final class DirectFile implements StoreFile {
    private static final int BUFFER_BYTES = 256 << 10;

    private final FileChannel channel;
    private final int block;
    private final ByteBuffer buffer;

    /** @param block bytes to which positions and addresses have to be aligned */
    DirectFile(FileChannel channel, int block) {
        this.channel = channel;
        this.block = block;
        this.buffer = ByteBuffer.allocateDirect(BUFFER_BYTES + 2 * block).alignedSlice(block);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        int done = 0;
        while (into.hasRemaining()) {
            long at = position + done;
            long from = at - at % block;
            int skip = (int) (at - from);
            int wanted = (skip + into.remaining() + block - 1) / block * block;
            buffer.clear().limit(Math.min(wanted, buffer.capacity() / block * block));
            int read = channel.read(buffer, from);
            if (read <= skip) {
                break;
            }
            buffer.flip().position(skip);
            int take = Math.min(buffer.remaining(), into.remaining());
            into.put(buffer.limit(skip + take));
            done += take;
            if (read % block != 0) {
                break; // the end of the file
            }
        }
        return done;
    }

    @Override
    public void write(ByteBuffer from, long position) {
        throw new UnsupportedOperationException("opened for reading");
    }

    @Override
    public void sync() {
        throw new UnsupportedOperationException("opened for reading");
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
