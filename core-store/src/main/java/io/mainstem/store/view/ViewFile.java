package io.mainstem.store.view;

import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One file of blocks. What it counts belongs to the shard; what touches the disk runs elsewhere, one at a time.
 *
 * <p>Thread: {@link #file}, {@link #write}, {@link #sync}, {@link #remove} any; the fields are the shard's.
 */
final class ViewFile {
    private final Path path;
    private volatile @Nullable StoreFile file;
    private boolean unsynced;
    private boolean created;
    private boolean gone;
    /** Blocks that lanes need. */
    int live;
    /** Blocks there are. */
    int blocks;
    /** The newest checkpoint that may point at it. */
    long lastReference;

    /** @param file null if there is none on disk */
    ViewFile(Path path, @Nullable StoreFile file, long lastReference) {
        this.path = path;
        this.file = file;
        this.lastReference = lastReference;
    }

    /** Null if nothing was ever written. */
    @Nullable
    StoreFile file() {
        return file;
    }

    /** Makes the file if need be. What has been removed is needed by nobody. */
    synchronized void write(StoreFiles files, ByteBuffer block, long offset) throws IOException {
        if (gone) {
            return;
        }
        StoreFile open = file;
        if (open == null) {
            open = files.open(path, OpenMode.CREATE_NEW);
            file = open;
            created = true;
        }
        unsynced = true;
        open.write(block, offset);
    }

    /** Makes durable what has been written; true if its name is to be made durable, too. */
    synchronized boolean sync() throws IOException {
        StoreFile open = file;
        if (gone || !unsynced || open == null) {
            return false;
        }
        unsynced = false;
        boolean named = created;
        created = false;
        open.sync();
        return named;
    }

    synchronized void remove(StoreFiles files) throws IOException {
        gone = true;
        if (file != null) {
            file.close();
            files.delete(path);
        }
    }

    synchronized void close() throws IOException {
        if (file != null && !gone) {
            file.close();
        }
    }
}
