package io.mainstem.store.segment;

import io.mainstem.store.files.DiskSpace;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.io.SyncFailedException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Files of segments: made, filled with zeros, taken from and given to the pool of dead ones. Thread: preallocator (and
 * the opening thread before it runs).
 *
 * <p>A header is durable under another name before the rename puts the file into place: a segment file with a bad header
 * is damage, never a crash.
 */
final class SegmentFiles {
    static final int FILL_BYTES = 1 << 20;

    private static final String FREE = ".free";
    private static final String DRAFT = "next.tmp";
    private static final String FILLING = "reserve.tmp";

    private final StoreFiles files;
    private final Path logDirectory;
    private final Path poolDirectory;
    private final StoreMeta meta;
    private final InstantSource clock;
    private final ByteBuffer zeros;
    private final Deque<Path> pool = new ArrayDeque<>();
    private final long keepFree;
    private long poolNames;

    /** @param keepFree bytes of the disk that segments leave to checkpoints and views, which free segments again */
    SegmentFiles(StoreFiles files, Path directory, StoreMeta meta, InstantSource clock, long keepFree) {
        this.keepFree = keepFree;
        this.files = files;
        this.logDirectory = directory.resolve("log");
        this.poolDirectory = logDirectory.resolve("pool");
        this.meta = meta;
        this.clock = clock;
        this.zeros = ByteBuffer.allocateDirect(
                (int) Math.min(FILL_BYTES, meta.layout().segmentBytes()));
    }

    Path logDirectory() {
        return logDirectory;
    }

    LogLayout layout() {
        return meta.layout();
    }

    /** Finds the pool's files; half-made ones go. */
    void openPool() throws IOException {
        files.createDirectories(poolDirectory);
        for (String name : files.list(poolDirectory)) {
            Path path = poolDirectory.resolve(name);
            if (name.endsWith(FREE) && sizeOf(path) == layout().segmentBytes()) {
                pool.add(path);
                poolNames = Math.max(poolNames, numberOf(name) + 1);
            } else {
                files.delete(path);
            }
        }
    }

    private long sizeOf(Path path) throws IOException {
        try (StoreFile file = files.open(path, OpenMode.READ)) {
            return file.size();
        }
    }

    private static long numberOf(String name) {
        try {
            return Long.parseLong(name.substring(0, name.length() - FREE.length()));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    int pooled() {
        return pool.size();
    }

    /** A new segment whose first piece is filled; the rest grows by {@link #fill}. */
    Segment create(long baseLsn, int epoch) throws IOException {
        requireSpace(zeros.capacity());
        return make(baseLsn, epoch);
    }

    /**
     * The segment that a start needs: from the pool, else made even of the space kept for checkpoints, since without it
     * nothing can be consumed and no space be freed.
     */
    Segment atAnyCost(long baseLsn, int epoch) throws IOException {
        return pool.isEmpty() ? make(baseLsn, epoch) : reuse(baseLsn, epoch);
    }

    private Segment make(long baseLsn, int epoch) throws IOException {
        Path draft = poolDirectory.resolve(DRAFT);
        files.delete(draft);
        SegmentHeader header = header(baseLsn, epoch);
        try (StoreFile file = files.open(draft, OpenMode.CREATE_NEW)) {
            file.write(zeros.duplicate(), 0);
            file.write(header.encode(), 0);
            file.sync();
        }
        return place(draft, header, baseLsn + zeros.capacity());
    }

    /** A new segment in a dead one's file; its old records cannot validate, their LSNs are others. */
    Segment reuse(long baseLsn, int epoch) throws IOException {
        // Taken out for good: should its sync fail, no later sync of this file can be believed.
        Path path = pool.removeFirst();
        SegmentHeader header = header(baseLsn, epoch);
        try (StoreFile file = files.open(path, OpenMode.READ_WRITE)) {
            file.write(header.encode(), 0);
            file.sync();
        }
        return place(path, header, baseLsn + layout().segmentBytes());
    }

    private SegmentHeader header(long baseLsn, int epoch) {
        return new SegmentHeader(meta.store(), meta.logId(), baseLsn, layout().segmentBytes(), clock.millis(), epoch);
    }

    private Segment place(Path from, SegmentHeader header, long filledTo) throws IOException {
        Path to = logDirectory.resolve(Segment.fileName(header.baseLsn()));
        // INVARIANT: a segment is never replaced.
        if (files.exists(to)) {
            throw new IllegalStateException(to + " exists already");
        }
        files.renameDurably(from, to);
        return new Segment(header, to, files.open(to, OpenMode.READ_WRITE), filledTo);
    }

    /**
     * Fills the next piece of a segment; the new space counts once it is synced.
     *
     * @throws SyncFailedException if what the writer wrote into this file may be lost, too
     */
    void fill(Segment segment) throws IOException {
        requireSpace(zeros.capacity());
        // A handle of its own: a failed write-back is then reported here and to the writer's sync, not to one of them.
        try (StoreFile file = files.open(segment.path(), OpenMode.READ_WRITE)) {
            long from = segment.filledTo();
            int bytes = (int) Math.min(zeros.capacity(), segment.endLsn() - from);
            file.write(zeros.duplicate().limit(bytes), from - segment.baseLsn());
            syncInUse(file, segment);
            segment.filledTo(from + bytes);
        }
    }

    private static void syncInUse(StoreFile file, Segment segment) throws SyncFailedException {
        try {
            file.sync();
        } catch (IOException e) {
            SyncFailedException failure = new SyncFailedException(segment.path() + ": " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    /** Fills a piece of a spare file from {@code from}; returns where it is now, segment size when it joined the pool. */
    long fillSpare(long from) throws IOException {
        requireSpace(zeros.capacity());
        Path path = poolDirectory.resolve(FILLING);
        if (from == 0) {
            files.delete(path);
        }
        long end = Math.min(layout().segmentBytes(), from + zeros.capacity());
        try (StoreFile file = files.open(path, from == 0 ? OpenMode.CREATE_NEW : OpenMode.READ_WRITE)) {
            file.write(zeros.duplicate().limit((int) (end - from)), from);
            file.sync();
        }
        if (end == layout().segmentBytes()) {
            addToPool(path);
        }
        return end;
    }

    private void requireSpace(long bytes) throws IOException {
        long usable = usableBytes();
        if (keepFree > 0 && usable < keepFree + bytes) {
            throw new DiskSpace.KeptException(usable + " bytes free, " + keepFree + " of them kept for checkpoints");
        }
    }

    void dropSpare() throws IOException {
        files.delete(poolDirectory.resolve(FILLING));
    }

    /** Takes a dead segment's file into the pool. */
    void pool(Segment dead) throws IOException {
        dead.file().close();
        addToPool(dead.path());
    }

    private void addToPool(Path from) throws IOException {
        Path to = poolDirectory.resolve(String.format("%020d", poolNames++) + FREE);
        files.renameDurably(from, to);
        pool.add(to);
    }

    /** True if a snapshot holds this file, too, so that it must not be written again. */
    boolean shared(Segment dead) throws IOException {
        return files.shared(dead.path());
    }

    void delete(Segment dead) throws IOException {
        dead.file().close();
        files.delete(dead.path());
        files.syncDirectory(logDirectory);
    }

    long usableBytes() throws IOException {
        return files.usableBytes(logDirectory);
    }
}
