package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.SimFaults;
import io.mainstem.store.files.SimFaults.ReadError;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Files on a disk that a test can break or fill. */
final class FaultyFiles implements StoreFiles {
    private static final String VIEW_READER = "store-view-read";
    private static final String LOG_WRITER = "mainstem-log-writer";
    private static final String LOG_READER = "mainstem-log-reader";
    private static final String SPOOL = "mainstem-spool";

    private final StoreFiles files;
    private final Semaphore pooled = new Semaphore(0);
    private volatile boolean broken;
    private volatile boolean full;
    private volatile CountDownLatch readable = new CountDownLatch(0);
    private volatile CountDownLatch logWritable = new CountDownLatch(0);
    private final AtomicInteger messageReadsFailing = new AtomicInteger();
    private volatile ReadError readError = ReadError.MEDIUM;
    private final AtomicInteger viewReadsLeft = new AtomicInteger(Integer.MAX_VALUE);
    private final CountDownLatch viewReadHeld = new CountDownLatch(1);
    private final CountDownLatch viewReadable = new CountDownLatch(1);

    /** On the real disk. */
    FaultyFiles() {
        this(new NioFiles());
    }

    FaultyFiles(StoreFiles files) {
        this.files = files;
    }

    /** So many reads of messages fail, those of the log and of the spool together, though nothing is wrong with them. */
    void failMessageReads(int reads, ReadError how) {
        readError = how;
        messageReadsFailing.set(reads);
    }

    /** How many of them are still to fail. */
    int messageReadsFailing() {
        return Math.max(0, messageReadsFailing.get());
    }

    /** From now on no sync succeeds. */
    void breakDisk() {
        broken = true;
    }

    /** No new file can be made, and next to nothing is free. */
    void fill(boolean toTheBrim) {
        full = toTheBrim;
    }

    /** Reads do not come back until they are let go. */
    void holdReads(boolean hold) {
        readable.countDown();
        readable = new CountDownLatch(hold ? 1 : 0);
    }

    /** What is submitted to the log does not get there until it is let go. */
    void holdLogWrites(boolean hold) {
        logWritable.countDown();
        logWritable = new CountDownLatch(hold ? 1 : 0);
    }

    /** So many reads of entries that are not in memory come back, and no more until they are let go. */
    void holdViewReadsAfter(int reads) {
        viewReadsLeft.set(reads);
    }

    /** Waits until one of them is held. */
    void awaitHeldViewRead() {
        try {
            assertThat(viewReadHeld.await(60, TimeUnit.SECONDS)).as("a read").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void letViewReadsGo() {
        viewReadable.countDown();
    }

    /** Waits until the log has so many segments in reserve. */
    void awaitReserve(int segments) {
        try {
            if (!pooled.tryAcquire(segments, 60, TimeUnit.SECONDS)) {
                throw new AssertionError("no reserve within a minute");
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public StoreFile open(Path path, OpenMode mode) throws IOException {
        if (full && mode == OpenMode.CREATE_NEW) {
            throw new IOException("No space left on device");
        }
        return new FaultyFile(files.open(path, mode));
    }

    @Override
    public void renameDurably(Path from, Path to) throws IOException {
        files.renameDurably(from, to);
        if (to.toString().contains("pool")) {
            pooled.release();
        }
    }

    @Override
    public void delete(Path path) throws IOException {
        files.delete(path);
    }

    @Override
    public Closeable lock(Path path, String holder) throws IOException {
        return files.lock(path, holder);
    }

    @Override
    public void syncDirectory(Path directory) throws IOException {
        files.syncDirectory(directory);
    }

    @Override
    public void createDirectories(Path directory) throws IOException {
        files.createDirectories(directory);
    }

    @Override
    public boolean exists(Path path) {
        return files.exists(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return files.list(directory);
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        return full ? 0 : files.usableBytes(path);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException(e.toString());
        }
    }

    private final class FaultyFile implements StoreFile {
        private final StoreFile file;

        FaultyFile(StoreFile file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer into, long position) throws IOException {
            await(readable);
            failIfToldSo();
            if (Thread.currentThread().getName().equals(VIEW_READER) && viewReadsLeft.getAndDecrement() <= 0) {
                viewReadHeld.countDown();
                await(viewReadable);
            }
            return file.read(into, position);
        }

        private void failIfToldSo() throws IOException {
            String thread = Thread.currentThread().getName();
            if ((thread.equals(LOG_READER) || thread.equals(SPOOL)) && messageReadsFailing.getAndDecrement() > 0) {
                SimFaults.fail(readError);
            }
        }

        @Override
        public void write(ByteBuffer from, long position) throws IOException {
            if (Thread.currentThread().getName().equals(LOG_WRITER)) {
                await(logWritable);
            }
            file.write(from, position);
        }

        @Override
        public void sync() throws IOException {
            if (broken) {
                throw new IOException("Input/output error");
            }
            file.sync();
        }

        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
