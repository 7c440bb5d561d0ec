package io.mainstem.launcher;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Ctrl-C (SIGINT) and SIGTERM of a command that runs long: its loop is asked to end, so that what it did can be summed up
 * before the process goes. Thread: one, but for the signal's own.
 */
final class StopRequest implements AutoCloseable {
    /** Longer than a loop waits before it looks again. */
    private static final long PATIENCE_MS = 1500;

    private final CountDownLatch done = new CountDownLatch(1);
    private final AtomicBoolean summedUp = new AtomicBoolean();
    private final Consumer<Boolean> summary;
    private final Thread hook = new Thread(this::stop, "mainstem-stop");
    private volatile boolean made;

    /**
     * From now on signals are seen.
     *
     * @param summary says what was done, told whether a stop was asked for; by the signal's thread if the loop does not end
     *     in time, as one that waits for input
     */
    StopRequest(Consumer<Boolean> summary) {
        this.summary = summary;
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** True if the loop shall end. */
    boolean isMade() {
        return made;
    }

    /** Says what was done, once. */
    void sumUp() {
        if (!summedUp.getAndSet(true)) {
            summary.accept(made);
        }
    }

    private void stop() {
        made = true;
        try {
            if (!done.await(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                sumUp();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The command has said what it did. */
    @Override
    public void close() {
        done.countDown();
        if (!made) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException ending) {
                // The signal came in between; the hook finds all done.
            }
        }
    }
}
