package io.mainstem.store.spool;

import io.mainstem.store.files.StoreFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Scratch space on disk: blocks of any size in files of 64 MiB, made of pages that are used again as soon as they are
 * freed. Nothing in it survives: it is wiped when it is opened and never synced, checksums are there to notice a bad disk.
 *
 * <p>Thread: any; what is asked for is done in its order on one thread of the spool's own, which is there while there is
 * work, and answered there. The caller bounds what it asks for at a time.
 */
public final class Spool implements AutoCloseable {
    /** Blocks take whole pages. */
    public static final int PAGE_BYTES = 4096;

    private static final int FILE_BYTES = 64 << 20;
    private static final int BUFFER_BYTES = 64 << 10;
    private static final long IDLE_SECONDS = 10;
    private static final long STOP_SECONDS = 60;

    private final SpoolFiles files;
    private final ThreadPoolExecutor thread;
    private @Nullable ByteBuffer buffer;
    private volatile long usedBytes;
    private volatile boolean closed;

    private Spool(SpoolFiles files) {
        this.files = files;
        this.thread =
                new ThreadPoolExecutor(1, 1, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread made = new Thread(work, "mainstem-spool");
                    made.setDaemon(true);
                    return made;
                });
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Opens an empty spool; files are made when there is something to write.
     *
     * @param directory the spool's alone; what is in it goes
     */
    public static Spool open(StoreFiles disk, Path directory) throws IOException {
        return open(disk, directory, FILE_BYTES);
    }

    /** @param fileBytes a multiple of the page size */
    static Spool open(StoreFiles disk, Path directory, int fileBytes) throws IOException {
        SpoolFiles files = new SpoolFiles(disk, directory, fileBytes / PAGE_BYTES);
        files.wipe();
        return new Spool(files);
    }

    /** What makes the bytes of a block. */
    @FunctionalInterface
    public interface Content {
        /** Called on the spool's thread. */
        void writeTo(SpoolOutput out) throws IOException;
    }

    /** What takes the bytes of a block apart. */
    @FunctionalInterface
    public interface Decoder<T> {
        /**
         * Called on the spool's thread, before the checksum is known to be right: any bytes may come.
         *
         * @throws IOException or RuntimeException if they make no sense
         */
        T readFrom(SpoolInput in) throws IOException;
    }

    /** Disk space of all blocks that are not freed. */
    public long usedBytes() {
        return usedBytes;
    }

    /** Writes a block; {@code done} gets it, or why it could not be written, which takes no space. */
    public void write(Content content, BiConsumer<@Nullable SpoolBlock, @Nullable Exception> done) {
        thread.execute(() -> {
            SpoolOutput out = null;
            SpoolBlock block = null;
            Exception problem = null;
            try {
                checkOpen();
                out = new SpoolOutput(files, buffer());
                content.writeTo(out);
                block = out.end();
            } catch (IOException | RuntimeException | Error e) {
                problem = answer(e);
                if (out != null) {
                    out.giveUp();
                }
            }
            usedBytes = files.pagesTaken() * PAGE_BYTES;
            done.accept(block, problem);
        });
    }

    /**
     * Reads a block; {@code done} gets what it holds, or why not: {@link DamagedSpoolException} if that is lost, anything
     * else if it could not be read this time.
     */
    public <T> void read(SpoolBlock block, Decoder<T> decoder, BiConsumer<@Nullable T, @Nullable Exception> done) {
        thread.execute(() -> {
            T content = null;
            Exception problem = null;
            SpoolInput in = null;
            try {
                checkOpen();
                in = new SpoolInput(files, block, buffer());
                T read = decoder.readFrom(in);
                in.checkEnd();
                content = read;
            } catch (IOException | RuntimeException e) {
                problem = in == null || in.unread() ? e : new DamagedSpoolException(e);
            } catch (Error e) {
                problem = answer(e);
            }
            done.accept(content, problem);
        });
    }

    /** Nobody needs these any more. */
    public void free(List<SpoolBlock> blocks) {
        if (!blocks.isEmpty()) {
            thread.execute(() -> {
                blocks.forEach(block -> block.extents().forEach(files::free));
                usedBytes = files.pagesTaken() * PAGE_BYTES;
            });
        }
    }

    /** Whoever waits must be told of an error, too: unanswered it would hold its memory for ever. */
    private static Exception answer(Throwable problem) {
        return problem instanceof Exception exception ? exception : new IOException(problem.toString(), problem);
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("the spool is closed");
        }
    }

    private ByteBuffer buffer() {
        ByteBuffer made = buffer;
        if (made == null) {
            made = ByteBuffer.allocateDirect(BUFFER_BYTES);
            buffer = made;
        }
        return made.clear();
    }

    /** Deletes all and waits for that; what is asked for afterwards is answered with a failure or not at all. Idempotent. */
    @Override
    public void close() {
        end(true);
    }

    /** Leaves the files as a crash would. */
    public void abandon() {
        end(false);
    }

    private void end(boolean delete) {
        if (closed) {
            return;
        }
        closed = true;
        thread.execute(() -> files.close(delete));
        // Not interrupted: that would close a file in the middle of a write, and be taken for a bad disk.
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        thread.shutdown();
        try {
            thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
