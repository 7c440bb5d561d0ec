package io.mainstem.benchmarks.disk;

import io.mainstem.benchmarks.measure.Latencies;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The bare loop: append 4 KiB, fdatasync, again. The yardstick of every durable figure: it is run in slices between
 * those of the thing that is measured, so that both meet the same disk. Thread: one.
 */
public final class DiskLoop implements AutoCloseable {
    /** Bytes of one append. */
    public static final int BLOCK_BYTES = 4096;

    private final FileChannel file;
    private final ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
    private final Latencies latencies = new Latencies();
    private final long endMax;
    private long position;

    private DiskLoop(FileChannel file, long endMax) {
        this.file = file;
        this.endMax = endMax;
        for (int i = 0; i < BLOCK_BYTES; i++) {
            block.put(i, (byte) i);
        }
    }

    /** The file grows with every append, as a plain log does. */
    public static DiskLoop growing(Path path) throws IOException {
        return new DiskLoop(openNew(path), Long.MAX_VALUE);
    }

    /** The file was filled with zeros before and is written over from its start on. */
    public static DiskLoop preallocated(Path path, int blocks) throws IOException {
        FileChannel file = openNew(path);
        ByteBuffer zeros = ByteBuffer.allocateDirect(BLOCK_BYTES);
        for (int i = 0; i < blocks; i++) {
            zeros.clear();
            writeAll(file, zeros, (long) i * BLOCK_BYTES);
        }
        file.force(true);
        return new DiskLoop(file, (long) blocks * BLOCK_BYTES);
    }

    /** Appends and syncs so many times, and counts each. */
    public void run(int appends) throws IOException {
        for (int i = 0; i < appends; i++) {
            long begin = System.nanoTime();
            append();
            latencies.record(System.nanoTime() - begin);
        }
    }

    /** As {@link #run} without counting. */
    public void warmUp(int appends) throws IOException {
        for (int i = 0; i < appends; i++) {
            append();
        }
    }

    /** Append and sync together, since the start. */
    public Latencies latencies() {
        return latencies;
    }

    private void append() throws IOException {
        if (position + BLOCK_BYTES > endMax) {
            position = 0;
        }
        block.clear();
        writeAll(file, block, position);
        position += BLOCK_BYTES;
        file.force(false);
    }

    private static FileChannel openNew(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    }

    private static void writeAll(FileChannel file, ByteBuffer bytes, long position) throws IOException {
        long at = position;
        while (bytes.hasRemaining()) {
            at += file.write(bytes, at);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
