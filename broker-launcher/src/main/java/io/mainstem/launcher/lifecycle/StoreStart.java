package io.mainstem.launcher.lifecycle;

import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.LockHeldException;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.segment.StoreFolder;
import io.mainstem.store.shard.LocalShardStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens the store and turns its refusals into exit codes. */
public final class StoreStart {
    private StoreStart() {}

    static ShardStore open(StoreConfig config, InstantSource clock) {
        NioFiles files = new NioFiles();
        return guard(() -> {
            StoreFolder.requireSegments(files, config, StoreConfig.SEGMENT_BYTES_SERVED);
            return LocalShardStore.open(config, files, clock);
        });
    }

    /** Something that reads the store's files. */
    @FunctionalInterface
    public interface Reading<T> {
        /** Reads. */
        T run() throws IOException;
    }

    /**
     * Reads files of a store that is not open.
     *
     * @throws StartFailure with the fix, if they cannot be read or their content is refused
     */
    public static <T> T reading(StoreConfig config, Reading<T> step) {
        return guard(() -> {
            try {
                return step.run();
            } catch (IOException e) {
                throw new StartFailure(
                        ExitCode.LOG_IO,
                        "MS-0114",
                        "The store in " + config.directory() + " cannot be read: " + e + ".",
                        "see that the folder exists on a working disk and that this user may read it.",
                        e);
            }
        });
    }

    /**
     * Does something with the files of a store that no broker may have open meanwhile.
     *
     * @throws StartFailure with exit code 75 if one has
     */
    public static <T> T exclusively(StoreConfig config, Supplier<T> step) {
        if (!Files.exists(config.directory().resolve("LOCK"))) {
            return step.get(); // never opened, or a copy; the lock would be the first file in it
        }
        return guard(() -> {
            StoreFolder folder = taken(config);
            try {
                return step.get();
            } finally {
                release(folder);
            }
        });
    }

    /** Null where nothing can be written, as on a read-only copy: nobody works there either. */
    private static @Nullable StoreFolder taken(StoreConfig config) {
        try {
            return StoreFolder.take(new NioFiles(), config);
        } catch (IOException e) {
            return null;
        }
    }

    private static void release(@Nullable StoreFolder folder) {
        try {
            if (folder != null) {
                folder.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @throws StartFailure in place of a {@link StoreException}, with the same text */
    static <T> T guard(Supplier<T> step) {
        try {
            return step.get();
        } catch (StoreException e) {
            throw new StartFailure(exitCode(e), e);
        }
    }

    /**
     * A held lock passes by itself; a folder or file in the way or not permitted is for the one who set up the folder;
     * any other I/O error is the disk's; what has no such cause is about the content of the files.
     */
    public static ExitCode exitCode(StoreException refusal) {
        Throwable cause = refusal.getCause();
        if (cause instanceof LockHeldException) {
            return ExitCode.IN_USE;
        }
        if (cause instanceof AccessDeniedException
                || cause instanceof FileAlreadyExistsException
                || cause instanceof NotDirectoryException
                || String.valueOf(cause == null ? "" : cause.getMessage()).contains("Read-only")) {
            return ExitCode.DATA_FOLDER;
        }
        return cause instanceof IOException ? ExitCode.LOG_IO : ExitCode.REFUSED;
    }
}
