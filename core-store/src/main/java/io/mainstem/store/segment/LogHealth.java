package io.mainstem.store.segment;

import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.DiskSpace;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the log may still be written, and if not, why. Thread: any.
 *
 * <p>A failure is final: after a failed write or sync the page cache may be clean and wrong, so no retry can be believed.
 */
final class LogHealth {
    private static final Logger LOG = LoggerFactory.getLogger(LogHealth.class);

    private final Runnable changed;
    private @Nullable String failure;
    private @Nullable String noSpace;
    private @Nullable String low;
    private boolean failing;
    private boolean critical;
    private boolean closed;
    private volatile StoreState state = StoreState.RUNNING;

    /** @param changed called after every change of {@link #state}, on any thread, without a lock held */
    LogHealth(Runnable changed) {
        this.changed = changed;
    }

    StoreState state() {
        return state;
    }

    boolean failed() {
        return state == StoreState.FAILED;
    }

    synchronized String reason() {
        return switch (state) {
            case FAILED -> String.valueOf(failure);
            case CLOSED -> "the log is closed";
            case DISK_CRITICAL, DISK_HIGH -> noSpace != null ? noSpace : String.valueOf(low);
            case RUNNING, RECOVERING -> "";
        };
    }

    /** The first failure ends the log; later ones are consequences and ignored. */
    void fail(String what, Throwable cause) {
        synchronized (this) {
            if (failure != null) {
                return;
            }
            failure = new StoreException(
                            "MS-0210",
                            what + ": " + cause + ". Nothing more is written.",
                            "check the disk, then start again: recovery keeps everything that was acknowledged.")
                    .getMessage();
            LOG.error("{}", failure, cause);
        }
        update();
    }

    /** The preallocator found no space, or the disk fails. */
    void noSpace(IOException cause) {
        synchronized (this) {
            failing = !DiskSpace.isShort(cause);
            String text = failing ? cause.toString() : String.valueOf(cause.getMessage());
            noSpace = (failing ? "log segments cannot be made: " : "no space for log segments: ") + text;
        }
        update();
    }

    /** The preallocator has what it wanted. */
    void spaceAgain() {
        synchronized (this) {
            noSpace = null;
            critical = false;
            failing = false;
        }
        update();
    }

    /** Less is free than configured; null when it is enough again. */
    void low(@Nullable String reason) {
        synchronized (this) {
            low = reason;
        }
        update();
    }

    /** No room for publishers: from now on they are refused until there is space again. */
    void critical() {
        synchronized (this) {
            critical = noSpace != null;
        }
        update();
    }

    void close() {
        synchronized (this) {
            closed = true;
        }
        update();
    }

    private void update() {
        StoreState before;
        StoreState after;
        String why;
        boolean broken;
        synchronized (this) {
            before = state;
            after = compute();
            state = after;
            why = reason();
            broken = failing;
        }
        if (after == before) {
            return;
        }
        String text = after.name().toLowerCase(Locale.ROOT);
        if (broken && (after == StoreState.DISK_HIGH || after == StoreState.DISK_CRITICAL)) {
            LOG.warn("MS-0266 store={} reason=\"{}\" fix: check the disk; it is tried again by itself", text, why);
        } else if (after == StoreState.DISK_HIGH || after == StoreState.DISK_CRITICAL) {
            LOG.warn("MS-0211 store={} reason=\"{}\" fix: free disk space; the store goes on by itself", text, why);
        } else if (after == StoreState.RUNNING) {
            LOG.info("MS-0212 store=running space is available again");
        }
        changed.run();
    }

    private StoreState compute() {
        if (failure != null) {
            return StoreState.FAILED;
        }
        if (closed) {
            return StoreState.CLOSED;
        }
        if (critical) {
            return StoreState.DISK_CRITICAL;
        }
        return noSpace != null || low != null ? StoreState.DISK_HIGH : StoreState.RUNNING;
    }
}
