package io.mainstem.store.segment;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.LockHeldException;
import io.mainstem.store.files.StoreFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The exclusive right to a store's folder, from before the first file is read until after the last one is written.
 *
 * <p>Thread: any.
 */
public final class StoreFolder implements AutoCloseable {
    private final Closeable lock;
    private final StoreConfig config;

    private StoreFolder(Closeable lock, StoreConfig config) {
        this.lock = lock;
        this.config = config;
    }

    /**
     * Takes the lock; creates the folder if need be.
     *
     * @throws StoreException MS-0201 if another broker has the store
     * @throws IOException if the folder cannot be used
     */
    public static StoreFolder take(StoreFiles files, StoreConfig config) throws IOException {
        Path directory = config.directory();
        files.createDirectories(directory);
        String pid = Long.toString(ProcessHandle.current().pid());
        try {
            Closeable lock = files.lock(directory.resolve("LOCK"), pid);
            return new StoreFolder(lock, asMade(files, config));
        } catch (LockHeldException e) {
            throw new StoreException(
                    "MS-0201",
                    "The store in " + directory + " is in use by the process with pid " + e.holder() + ".",
                    "stop that process, or give this one another data folder.",
                    e);
        }
    }

    /** The settings, with those that were fixed when the store was made, if it has been. */
    public StoreConfig config() {
        return config;
    }

    /** @throws StoreException MS-0203 if no store has ever been made there */
    public static void requireStore(StoreFiles files, Path directory) {
        if (!files.exists(directory.resolve(StoreMeta.FILE))) {
            throw new StoreException(
                    "MS-0203", directory + " holds no store.", "name the folder that contains " + StoreMeta.FILE + ".");
        }
    }

    /** @throws StoreException MS-0267 if a store was made there with smaller segments */
    public static void requireSegments(StoreFiles files, StoreConfig config, long bytesMin) {
        long bytes;
        try {
            bytes = asMade(files, config).segmentBytes();
        } catch (IOException e) {
            return; // opening it says so
        }
        if (bytes < bytesMin) {
            throw new StoreException(
                    "MS-0267",
                    "The store in " + config.directory() + " was made with segments of " + bytes
                            + " bytes, which cannot hold the largest group of records (expected: >= " + bytesMin + ").",
                    "start with a new data folder; 'mainstem store dump' prints the messages of this one.");
        }
    }

    /** Makes a whole store of a copy of all other files. */
    public static void complete(StoreFiles files, Path from, Path copy) throws IOException {
        Path draft = copy.resolve(StoreMeta.FILE + ".tmp");
        files.delete(draft);
        new FileCopy(files).whole(from.resolve(StoreMeta.FILE), draft);
        files.renameDurably(draft, copy.resolve(StoreMeta.FILE));
    }

    /** The same for reading only, without a lock. */
    public static StoreConfig asMade(StoreFiles files, StoreConfig config) throws IOException {
        if (!files.exists(config.directory().resolve(StoreMeta.FILE))) {
            return config;
        }
        LogLayout layout = StoreMeta.read(files, config.directory()).layout();
        return new StoreConfig(
                config.directory(),
                layout.segmentBytes(),
                config.viewFileBytes(),
                layout.batchAlignSetting(),
                config.poolSegmentsMax(),
                config.inFlightBytesMax(),
                config.checkpointBytes(),
                config.checkpointIntervalMs(),
                config.diskHighBytes(),
                config.readThreads(),
                config.convoyMicrosMax(),
                config.upkeep());
    }

    @Override
    public void close() throws IOException {
        lock.close();
    }
}
