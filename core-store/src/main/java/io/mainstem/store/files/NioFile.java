package io.mainstem.store.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** A file through its channel. Short reads and writes are real and looped over. Thread: any nobody interrupts. */
final class NioFile implements StoreFile {
    private final FileChannel channel;

    NioFile(FileChannel channel) {
        this.channel = channel;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        int done = 0;
        while (into.hasRemaining()) {
            int n = channel.read(into, position + done);
            if (n < 0) {
                break;
            }
            done += n;
        }
        return done;
    }

    @Override
    public void write(ByteBuffer from, long position) throws IOException {
        long at = position;
        while (from.hasRemaining()) {
            at += channel.write(from, at);
        }
    }

    @Override
    public void sync() throws IOException {
        channel.force(false);
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
