package io.mainstem.jms.connection;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks one after the other on a thread of its own, which exists from the first task until {@link #end}. Thread:
 * any.
 */
public final class SerialThread {
    private static final Logger LOG = LoggerFactory.getLogger(SerialThread.class);

    private final String name;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private @Nullable Thread thread;
    private boolean ended;

    public SerialThread(String name) {
        this.name = name;
    }

    /** Runs it after all that were given before; does nothing after the end. */
    public synchronized void execute(Runnable task) {
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
        while (tasks.isEmpty() && !ended) {
            try {
                wait();
            } catch (InterruptedException e) {
                assert !isCurrent() || !ended; // Only end() ends this thread, no interrupt left behind by a callback.
            }
        }
        return tasks.poll();
    }

    public boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** The thread ends when it has run what is there. */
    public synchronized void end() {
        ended = true;
        notifyAll();
    }
}
