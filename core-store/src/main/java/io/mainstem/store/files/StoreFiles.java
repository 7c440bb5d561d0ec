package io.mainstem.store.files;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The disk seam: everything the store does to a disk goes through here, so that tests can put a simulated disk
 * (torn and reordered unsynced writes, failed syncs, no space) in its place. Thread: any.
 */
public interface StoreFiles {
    /** How a file is opened. */
    enum OpenMode {
        /** Must exist. */
        READ,
        /** Must exist. */
        READ_WRITE,
        /** Must not exist. */
        CREATE_NEW
    }

    /** Opens a file; the caller closes it. */
    StoreFile open(Path path, OpenMode mode) throws IOException;

    /**
     * Opens a file for reading what is on the disk, past all caches where the system can do that. For background work: it
     * neither fills the page cache nor is misled by it.
     */
    default StoreFile openDirect(Path path) throws IOException {
        return open(path, OpenMode.READ);
    }

    /** Atomically replaces {@code to}, then syncs the directory (both, if they differ). */
    void renameDurably(Path from, Path to) throws IOException;

    /**
     * Gives a file a second name, on the same file system. Not durable until {@link #syncDirectory}.
     *
     * @throws IOException if that is not possible, as between two file systems
     */
    default void link(Path existing, Path name) throws IOException {
        throw new IOException("no links for " + existing);
    }

    /** True if a file has more than one name, so that its contents must not be changed. */
    default boolean shared(Path path) throws IOException {
        return false;
    }

    /** Removes a file if it exists; not durable until {@link #syncDirectory}. */
    void delete(Path path) throws IOException;

    /**
     * Takes the exclusive lock that a file stands for and writes {@code holder} into it. The file stays when the lock
     * goes; a dead process holds nothing.
     *
     * @return closing it releases the lock
     * @throws LockHeldException if another owner, in this process or another, has it
     */
    Closeable lock(Path path, String holder) throws IOException;

    /** Makes creations, renames and removals in a directory durable. */
    void syncDirectory(Path directory) throws IOException;

    void createDirectories(Path directory) throws IOException;

    boolean exists(Path path);

    /** Names of plain files in a directory, sorted; empty if the directory does not exist. */
    List<String> list(Path directory) throws IOException;

    /** Bytes a writer may still use on the file system that holds {@code path}. */
    long usableBytes(Path path) throws IOException;
}
