package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.LostRecordException;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.checkpoint.ImageVisitor;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.StoreFolder;
import io.mainstem.store.spool.Spool;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NotDirectoryException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an open store consists of, and how it is put together: lock, checkpoint, view files, log, replay.
 *
 * <p>Thread: opened and released by the shard.
 */
record OpenStore(
        StoreFolder folder,
        StoreThreads threads,
        ShardTasks tasks,
        Checkpoints checkpoints,
        ViewFiles view,
        Lanes lanes,
        MetaImage meta,
        Fold fold,
        CommitLog log,
        Spool spool) {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStore.class);

    static OpenStore open(StoreConfig wanted, StoreFiles files, StoreThreads threads, LogOpening logOpening) {
        return open(wanted, files, threads, logOpening, true);
    }

    /** @param whole false: files that messages need may be missing */
    static OpenStore open(
            StoreConfig wanted, StoreFiles files, StoreThreads threads, LogOpening logOpening, boolean whole) {
        StoreFolder folder = null;
        ViewFiles view = null;
        try {
            folder = StoreFolder.take(files, wanted);
            StoreConfig config = folder.config();
            Checkpoints checkpoints = Checkpoints.open(config, files);
            view = ViewFiles.open(config, files);
            ShardTasks tasks = new ShardTasks();
            Lanes lanes = new Lanes(config, view, threads.reading(), tasks::wake);
            MetaImage meta = new MetaImage();
            Fold fold = new Fold(lanes, meta);
            restore(checkpoints, view, lanes, meta);
            Spool spool = Spool.open(files, config.directory().resolve("spool"));
            CommitLog log = replay(checkpoints, fold, lanes, logOpening);
            if (whole) {
                MessageReads reads = new MessageReads(log);
                requireSegments(
                        new MissingSegments(config, log.segments(), lanes, view, entry -> damaged(reads, entry)), log);
            }
            return new OpenStore(folder, threads, tasks, checkpoints, view, lanes, meta, fold, log, spool);
        } catch (IOException | RuntimeException e) {
            threads.abandon();
            if (view != null) {
                view.close();
            }
            release(folder, wanted);
            throw e instanceof IOException io ? unusable(wanted, io) : (RuntimeException) e;
        }
    }

    /** What cannot be read for another reason is not for the start to judge. */
    private static boolean damaged(MessageReads reads, Entry entry) {
        try {
            reads.read(entry).toCompletableFuture().join();
            return false;
        } catch (CompletionException e) {
            return e.getCause() instanceof LostRecordException;
        }
    }

    private static void requireSegments(MissingSegments missing, CommitLog log) {
        try {
            missing.check();
        } catch (RuntimeException e) {
            log.abandon();
            throw e;
        }
    }

    static void restore(Checkpoints checkpoints, ViewFiles view, Lanes lanes, MetaImage meta) throws IOException {
        checkpoints.load(new ImageVisitor() {
            @Override
            public void dropped(byte[] queues) throws IOException {
                lanes.restoreDropped(queues);
            }

            @Override
            public void lane(long laneId, byte[] state) throws IOException {
                lanes.restore(laneId, state);
            }

            @Override
            public void meta(byte[] key, byte[] value) {
                meta.restore(new String(key, StandardCharsets.UTF_8), value);
            }
        });
        view.restoredFrom(checkpoints.nextSequence() - 1);
    }

    private static CommitLog replay(Checkpoints checkpoints, Fold fold, Lanes lanes, LogOpening logOpening)
            throws IOException {
        ImageHeader newest = checkpoints.newest();
        long from = newest == null ? 0 : newest.replayLsn();
        long synced = newest == null ? 0 : newest.syncedLsn();
        CommitLog log = logOpening.open(from, synced, fold::replay);
        if (newest == null && log.startLsn() > 0) {
            log.abandon();
            throw new StoreException(
                    "MS-0220",
                    "there is no checkpoint, and the log begins at " + log.startLsn() + " only.",
                    "restore the data folder from a backup; the log alone does not tell the state any more.");
        }
        if (newest == null || !newest.clean() || !log.closedBefore() || fold.replayedRecords() > 0) {
            lanes.markAllRedelivered();
        }
        return log;
    }

    /** Closes view files and gives the folder back. */
    void release() {
        view.close();
        release(folder, folder.config());
    }

    private static void release(@Nullable StoreFolder folder, StoreConfig config) {
        try {
            if (folder != null) {
                folder.close();
            }
        } catch (IOException e) {
            LOG.warn(
                    "MS-0217 lock-release-failed directory={} cause=\"{}\" fix: none, it goes with the process",
                    config.directory(),
                    e.getMessage());
        }
    }

    private static StoreException unusable(StoreConfig config, IOException cause) {
        String fix = "see that it exists on a working disk and belongs to the user who runs the broker.";
        if (cause instanceof AccessDeniedException) {
            fix = "give the user who runs the broker the right to read and write it.";
        } else if (cause instanceof FileAlreadyExistsException || cause instanceof NotDirectoryException) {
            fix = "a file stands where a folder should; move it away or choose another data folder.";
        } else if (String.valueOf(cause.getMessage()).contains("Read-only")) {
            fix = "the file system is read-only; mount it writable or choose another data folder.";
        }
        return new StoreException(
                "MS-0224", "the store in " + config.directory() + " cannot be opened: " + cause + ".", fix, cause);
    }
}
