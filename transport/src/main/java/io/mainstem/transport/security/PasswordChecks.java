package io.mainstem.transport.security;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that compute slow hashes, so that no event loop does, and a bounded number of logins that wait for them.
 * Thread: any.
 */
public final class PasswordChecks implements AutoCloseable {
    private static final int THREADS_MAX = 2;
    /** Logins that wait, for their hash or for their turn. */
    static final int WAITING_MAX = 512;

    private final ScheduledThreadPoolExecutor threads;
    private final AtomicInteger waiting = new AtomicInteger();

    /** Threads start when first needed. */
    public PasswordChecks() {
        int count = Math.max(1, Math.min(THREADS_MAX, Runtime.getRuntime().availableProcessors() / 2));
        this.threads = new ScheduledThreadPoolExecutor(count, task -> {
            Thread thread = new Thread(task, "mainstem-login");
            thread.setDaemon(true);
            return thread;
        });
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        threads.setRemoveOnCancelPolicy(true);
    }

    /** Runs the check after the delay. Returns false, and never runs it, if too many wait already. */
    boolean submit(Runnable check, long delayNs) {
        if (waiting.incrementAndGet() > WAITING_MAX) {
            waiting.decrementAndGet();
            return false;
        }
        try {
            var unused = threads.schedule(
                    () -> {
                        waiting.decrementAndGet();
                        check.run();
                    },
                    delayNs,
                    TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException stopping) {
            return false;
        }
    }

    /** Runs something short after the delay; never if the broker stops before. */
    Future<?> later(Runnable task, long delayNs) {
        try {
            return threads.schedule(task, delayNs, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException stopping) {
            return CompletableFuture.completedFuture(null);
        }
    }

    /** What waits is never answered: its connections are about to close. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
