package io.mainstem.jms;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other on a thread of its own, which exists from the first task until {@link #end}. Thread:
 * any.
 */
final class SerialThread {
    private static final Logger LOG = LoggerFactory.getLogger(SerialThread.class);

    private final String name;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private @Nullable Thread thread;
    private boolean running;
    private boolean ended;

    SerialThread(String name) {
        this.name = name;
    }

    /** Runs it after all that were given before; does nothing after the end. */
    synchronized void execute(Runnable task) {
        if (ended) {
            return;
        }
        tasks.add(task);
        if (thread == null) {
            thread = new Thread(this::run, name);
            thread.setDaemon(true);
            thread.start();
        }
        notifyAll();
    }

    private void run() {
        Runnable task = next();
        while (task != null) {
            try {
                task.run();
            } catch (Throwable e) { // An Error, too: later tasks wait for this thread.
                LOG.warn("MS-0715 a callback of the application failed thread={}", name, e);
            }
            task = next();
        }
    }

    private synchronized @Nullable Runnable next() {
        running = false;
        notifyAll();
        while (tasks.isEmpty() && !ended) {
            try {
                wait();
            } catch (InterruptedException e) {
                assert !isCurrent() || !ended; // Only end() ends this thread, no interrupt left behind by a callback.
            }
        }
        running = !tasks.isEmpty();
        return tasks.poll();
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Waits until all tasks are done; at once on this thread itself. */
    synchronized void awaitIdle(long timeoutMs) {
        long deadline = System.nanoTime() + timeoutMs * 1_000_000;
        while (!isCurrent() && (running || !tasks.isEmpty())) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** The thread ends when it has run what is there. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }
}
