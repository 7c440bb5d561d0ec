package io.mainstem.store.shard;

import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.StoreFolder;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of a running store that open as it would after a power cut at some moment while they were made. Nothing stops
 * meanwhile but what would take files away: checkpoints, compaction, recycling.
 *
 * <p>Thread: shard only, except what the executor runs.
 */
final class Snapshots {
    private static final Logger LOG = LoggerFactory.getLogger(Snapshots.class);

    private final Path directory;
    private final CommitLog log;
    private final Checkpoints checkpoints;
    private final ViewFiles view;
    private final StoreFiles files;
    private final Executor background;
    private final Consumer<Runnable> shard;
    private final Deque<Wanted> wanted = new ArrayDeque<>();
    private @Nullable Wanted current;

    private record Wanted(Path target, CompletableFuture<Long> done) {}

    Snapshots(Checkpointer.Parts parts, StoreFiles files, Executor background, Consumer<Runnable> shard) {
        this.directory = parts.config().directory();
        this.log = parts.log();
        this.checkpoints = parts.checkpoints();
        this.view = parts.view();
        this.files = files;
        this.background = background;
        this.shard = shard;
    }

    /** Completes with the bytes of the log in it. */
    CompletionStage<Long> take(Path target) {
        CompletableFuture<Long> done = new CompletableFuture<>();
        wanted.add(new Wanted(target, done));
        return done;
    }

    /** While true, files must stay: no checkpoint is to be begun, nothing compacted or recycled. */
    boolean holdsFiles() {
        return current != null || !wanted.isEmpty();
    }

    /** Begins as soon as nobody is at work on the files. */
    void slice(BooleanSupplier filesAtRest) {
        if (current != null || wanted.isEmpty() || !filesAtRest.getAsBoolean()) {
            return;
        }
        Wanted next = wanted.remove();
        current = next;
        background.execute(() -> {
            Runnable result = copy(next);
            shard.accept(result);
        });
    }

    private Runnable copy(Wanted next) {
        try {
            if (!files.list(next.target).isEmpty() || files.exists(next.target.resolve("log"))) {
                throw new IOException(next.target + " is not empty");
            }
            files.createDirectories(next.target);
            long bytes = log.snapshotTo(next.target);
            checkpoints.copyTo(next.target);
            view.snapshotTo(next.target);
            StoreFolder.complete(files, directory, next.target);
            LOG.info("snapshot directory={} log-bytes={}", next.target, bytes);
            return () -> {
                current = null;
                next.done.complete(bytes);
            };
        } catch (IOException | RuntimeException e) {
            return () -> {
                current = null;
                next.done.completeExceptionally(e);
            };
        }
    }

    /** No more snapshots. */
    void giveUp(Exception why) {
        wanted.forEach(each -> each.done.completeExceptionally(why));
        wanted.clear();
        if (current != null) {
            current.done.completeExceptionally(why);
        }
    }
}
