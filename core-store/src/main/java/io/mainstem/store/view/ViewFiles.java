package io.mainstem.store.view;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.DiskSpace;
import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that hold full blocks of all lanes: append-only, shared, recycled when no block in them is live.
 *
 * <p>A position is {@code file number << 32 | offset}; file n is {@code view/<n in 20 digits>.view}. Each run of the
 * store begins a new file, so bytes that a checkpoint points at are never written again. Blocks that cannot be written
 * (no space) stay in memory and are tried again; a failed sync is final. All but reading is done by an executor in batches;
 * until then a block is served from memory.
 *
 * <p>Thread: shard, except {@link #read}, {@link #sync}.
 */
public final class ViewFiles {
    private static final Logger LOG = LoggerFactory.getLogger(ViewFiles.class);
    private static final int UNWRITTEN_MAX = 8192;
    private static final int WRITTEN_AT_ONCE = 256;
    /** A file is sparse if only one of so many blocks is live. */
    private static final int SPARSE = 4;

    private static final String SUFFIX = ".view";

    private final StoreFiles files;
    private final Path directory;
    private final long fileBytes;
    private final Map<Long, ViewFile> byNumber = new ConcurrentHashMap<>();
    private final LinkedHashMap<Long, Unwritten> unwritten = new LinkedHashMap<>();
    private Executor disk = Runnable::run;
    private Consumer<Runnable> shard = Runnable::run;
    private long current;
    private long offset;
    private boolean writing;
    private boolean writeFailed;
    private int removing;
    private long sequence = 1;

    private ViewFiles(StoreConfig config, StoreFiles files) {
        this.files = files;
        this.directory = directory(config);
        this.fileBytes = config.viewFileBytes() / Block.BYTES * Block.BYTES;
    }

    /** Finds the files of earlier runs. */
    public static ViewFiles open(StoreConfig config, StoreFiles files) throws IOException {
        files.createDirectories(directory(config));
        return open(config, files, OpenMode.READ_WRITE);
    }

    /** As {@link #open}, for reading only: nothing is created. */
    public static ViewFiles openReadOnly(StoreConfig config, StoreFiles files) throws IOException {
        return open(config, files, OpenMode.READ);
    }

    private static ViewFiles open(StoreConfig config, StoreFiles files, OpenMode mode) throws IOException {
        ViewFiles view = new ViewFiles(config, files);
        view.current = 1;
        for (long number : numbers(config, files)) {
            Path path = path(view.directory, number);
            StoreFile file = files.open(path, mode);
            ViewFile found = new ViewFile(path, file, Long.MAX_VALUE);
            found.blocks = (int) (file.size() / Block.BYTES);
            view.byNumber.put(number, found);
            view.current = Math.max(view.current, number + 1);
        }
        return view;
    }

    static Path directory(StoreConfig config) {
        return config.directory().resolve("view");
    }

    /** Numbers of the view files on disk, ascending. */
    static List<Long> numbers(StoreConfig config, StoreFiles files) throws IOException {
        List<Long> numbers = new ArrayList<>();
        for (String name : files.list(directory(config))) {
            if (name.matches("\\d{20}\\.view")) {
                numbers.add(Long.parseLong(name.substring(0, 20)));
            }
        }
        return numbers;
    }

    static Path path(Path directory, long number) {
        return directory.resolve(String.format("%020d", number) + SUFFIX);
    }

    /**
     * From now on, files are made, written and removed elsewhere.
     *
     * @param disk runs what may block
     * @param shard runs something on the shard thread, soon
     */
    public void workOn(Executor disk, Consumer<Runnable> shard) {
        this.disk = disk;
        this.shard = shard;
    }

    /** From now on, and until the end, everything is done on the calling thread. Nothing must be under way elsewhere. */
    public void workHere() {
        workOn(Runnable::run, Runnable::run);
        writing = false;
    }

    /** Keeps a block to be written soon. The words are not copied. */
    long append(long laneId, long firstIndex, long appliedLsn, long[] words) {
        if (offset + Block.BYTES > fileBytes) {
            current++;
            offset = 0;
        }
        long position = current << 32 | offset;
        offset += Block.BYTES;
        ViewFile file =
                byNumber.computeIfAbsent(current, number -> new ViewFile(path(directory, number), null, sequence));
        file.live++;
        file.blocks++;
        unwritten.put(position, new Unwritten(file, laneId, firstIndex, appliedLsn, words));
        writePending();
        return position;
    }

    /** The block appended last. */
    public long lastPosition() {
        return current << 32 | Math.max(0, offset - Block.BYTES);
    }

    /** True if nothing up to this block is in memory only. */
    public boolean written(long position) {
        return unwritten.isEmpty() || unwritten.keySet().iterator().next() > position;
    }

    /**
     * Has what is still in memory written, unless that is under way.
     *
     * @return true if nothing is left
     */
    public boolean writePending() {
        if (!writing && !unwritten.isEmpty()) {
            writing = true;
            Map<Long, Unwritten> some = new LinkedHashMap<>();
            for (Map.Entry<Long, Unwritten> each : unwritten.entrySet()) {
                if (some.size() == WRITTEN_AT_ONCE) {
                    break;
                }
                some.put(each.getKey(), each.getValue());
            }
            disk.execute(() -> {
                List<Long> done = new ArrayList<>();
                IOException failure = write(some, done);
                shard.accept(() -> wrote(done, failure));
            });
        } else if (unwritten.size() > UNWRITTEN_MAX) {
            // The disk is slower than the log brings work: the shard has to wait for it, as a last resort.
            List<Long> done = new ArrayList<>();
            IOException failure = write(new LinkedHashMap<>(unwritten), done);
            wrote(done, failure);
        }
        return unwritten.isEmpty();
    }

    /** Any thread. */
    private @Nullable IOException write(Map<Long, Unwritten> blocks, List<Long> done) {
        ByteBuffer buffer = ByteBuffer.allocate(Block.BYTES);
        try {
            for (Map.Entry<Long, Unwritten> each : blocks.entrySet()) {
                Unwritten block = each.getValue();
                Block.encode(buffer, block.laneId, block.firstIndex, block.appliedLsn, block.words);
                block.file.write(files, buffer, offsetOf(each.getKey()));
                done.add(each.getKey());
            }
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void wrote(List<Long> done, @Nullable IOException failure) {
        writing = false;
        done.forEach(unwritten::remove);
        if (failure != null) {
            onWriteFailure(failure);
        } else {
            writeFailed = false;
            writePending();
        }
    }

    /** True while blocks are being written. */
    public boolean writing() {
        return writing;
    }

    private void onWriteFailure(IOException e) {
        if (unwritten.size() > UNWRITTEN_MAX) {
            throw new StoreException(
                    "MS-0241",
                    "blocks of consume queues cannot be written to " + directory + ": " + e.getMessage() + ".",
                    DiskSpace.fix(e) + " and start again; nothing confirmed is lost.",
                    e);
        }
        if (!writeFailed) {
            writeFailed = true;
            LOG.warn(
                    "MS-0240 view-write-failed directory={} cause=\"{}\" kept-in-memory={} fix: {}; it is tried again",
                    directory,
                    e.getMessage(),
                    unwritten.size(),
                    DiskSpace.fix(e));
        }
    }

    /** The block if it is still in memory. */
    long @Nullable [] pending(long position) {
        Unwritten block = unwritten.get(position);
        return block == null ? null : block.words;
    }

    /** A lane's blocks that are still in memory, by position; a copy. */
    Map<Long, long[]> unwrittenOf(long laneId) {
        Map<Long, long[]> found = new HashMap<>();
        unwritten.forEach((position, block) -> {
            if (block.laneId == laneId) {
                found.put(position, block.words);
            }
        });
        return found;
    }

    /**
     * Reads and checks a block. Thread: any.
     *
     * @throws IOException if it cannot be read, or is not the block expected
     */
    long[] read(long position, long laneId, long firstIndex) throws IOException {
        StoreFile file = fileOf(position).file();
        if (file == null) {
            throw new DamagedBlockException("block " + describe(position) + " was never written");
        }
        ByteBuffer into = ByteBuffer.allocate(Block.BYTES);
        file.read(into, offsetOf(position));
        into.flip();
        String problem = Block.problem(into, laneId, firstIndex);
        if (problem != null) {
            throw new DamagedBlockException("block " + describe(position) + " " + problem);
        }
        return Block.words(into);
    }

    /** A block found live in a checkpoint. */
    void restored(long position) throws IOException {
        long number = position >>> 32;
        if (number == 0 || offsetOf(position) % Block.BYTES != 0) {
            throw new IOException("block " + describe(position) + " is none");
        }
        ViewFile file = byNumber.get(number);
        if (file == null) {
            LOG.error(
                    "MS-0254 view-file-missing file={} fix: put it back, or let the entries of its blocks be found in"
                            + " the log again, which happens when they are needed",
                    path(directory, number));
            file = new ViewFile(path(directory, number), null, Long.MAX_VALUE);
            byNumber.put(number, file);
            current = Math.max(current, number + 1);
        }
        file.live++;
    }

    /** A block that no lane needs any more. */
    void free(long position) {
        unwritten.remove(position);
        fileOf(position).live--;
    }

    /** After a restore from checkpoint {@code restored}: it and the one before may point into all files there are. */
    public void restoredFrom(long restored) {
        sequence = restored;
        byNumber.values().forEach(file -> file.lastReference = restored);
    }

    /**
     * Notes, when checkpoint {@code begun} begins, that it may point into all files that hold live blocks, and into
     * all that will be created until the next one begins.
     */
    public void referencedBy(long begun) {
        sequence = begun;
        byNumber.forEach((number, file) -> {
            if (file.live > 0 || number == current) {
                file.lastReference = begun;
            }
        });
    }

    /**
     * Files that hold few live blocks for their size and are not written to any more; none while blocks cannot be written.
     * Blocks that are needed are to be written elsewhere, then {@link #recycle} removes the file.
     */
    public Set<Long> sparse() {
        Set<Long> sparse = new HashSet<>();
        long unwrittenFrom =
                unwritten.isEmpty() ? current : unwritten.keySet().iterator().next() >>> 32;
        byNumber.forEach((number, file) -> {
            if (number < unwrittenFrom && file.live > 0 && (long) file.live * SPARSE <= file.blocks) {
                sparse.add(number);
            }
        });
        return writable() ? sparse : Set.of();
    }

    /** False while blocks stay in memory because they cannot be written, or not so fast. */
    public boolean writable() {
        return !writeFailed && unwritten.size() <= WRITTEN_AT_ONCE;
    }

    /** The file that holds a block. */
    public static long fileNumber(long position) {
        return position >>> 32;
    }

    /** Removes files that hold nothing live and are in no checkpoint from {@code oldestKept} on, soon. */
    public void recycle(long oldestKept) {
        List<ViewFile> dead = new ArrayList<>();
        byNumber.entrySet().removeIf(each -> {
            ViewFile file = each.getValue();
            boolean gone = file.live == 0 && each.getKey() != current && file.lastReference < oldestKept;
            return gone && dead.add(file);
        });
        if (!dead.isEmpty()) {
            removing++;
            disk.execute(() -> {
                dead.forEach(this::remove);
                shard.accept(() -> removing--);
            });
        }
    }

    private void remove(ViewFile dead) {
        try {
            dead.remove(files);
        } catch (IOException e) {
            LOG.warn(
                    "MS-0244 view-recycle-failed directory={} cause=\"{}\" fix: check permissions; the space is given"
                            + " back at a later start",
                    directory,
                    e.getMessage());
        }
    }

    /** False while files are being removed. */
    public boolean atRest() {
        return removing == 0;
    }

    /** Hands out the work that makes all blocks written so far durable; to be run on another thread. */
    public Sync sync() {
        List<ViewFile> all = List.copyOf(byNumber.values());
        return () -> {
            boolean named = false;
            for (ViewFile file : all) {
                named |= file.sync();
            }
            if (named) {
                files.syncDirectory(directory);
            }
        };
    }

    /**
     * Puts all files on disk into another store's folder; no {@link #recycle} meanwhile. Blocks that are written later may
     * be there or not: no checkpoint there knows them. Thread: any.
     */
    public void snapshotTo(Path storeDirectory) throws IOException {
        Path target = storeDirectory.resolve("view");
        files.createDirectories(target);
        FileCopy copy = new FileCopy(files);
        for (String name : files.list(directory)) {
            copy.linkOrCopy(directory.resolve(name), target.resolve(name));
        }
        files.syncDirectory(target);
    }

    /** Live blocks by file number; files without are left out. */
    public Map<Long, Integer> liveBlocks() {
        Map<Long, Integer> live = new TreeMap<>();
        byNumber.forEach((number, file) -> {
            if (file.live > 0) {
                live.put(number, file.live);
            }
        });
        return live;
    }

    /** Closes all files. */
    public void close() {
        for (ViewFile file : byNumber.values()) {
            try {
                file.close();
            } catch (IOException e) {
                LOG.warn(
                        "MS-0242 view-close-failed directory={} cause=\"{}\" fix: check the disk; nothing is lost",
                        directory,
                        e.getMessage());
            }
        }
        byNumber.clear();
    }

    private ViewFile fileOf(long position) {
        ViewFile file = byNumber.get(position >>> 32);
        if (file == null) {
            throw new IllegalStateException("view file " + (position >>> 32) + " is gone");
        }
        return file;
    }

    private static long offsetOf(long position) {
        return position & 0xFFFF_FFFFL;
    }

    private String describe(long position) {
        return path(directory, position >>> 32) + " offset " + offsetOf(position);
    }

    /** Work that may block. */
    @FunctionalInterface
    public interface Sync {
        /** A failure is final for the store: blocks may be lost though the next sync says otherwise. */
        void run() throws IOException;
    }

    private record Unwritten(ViewFile file, long laneId, long firstIndex, long appliedLsn, long[] words) {}
}
