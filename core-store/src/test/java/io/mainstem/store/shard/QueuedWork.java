package io.mainstem.store.shard;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** Threads as a seed sees them: what they are given waits until a test lets one piece of it be done. */
final class QueuedWork extends AbstractExecutorService {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean shutdown;
    private boolean atOnce;

    @Override
    public void execute(Runnable work) {
        if (atOnce) {
            work.run();
        } else {
            waiting.add(work);
        }
    }

    /** Whether somebody waits for what is given until it is done, as an opening store does. */
    void atOnce(boolean waitedFor) {
        atOnce = waitedFor;
    }

    /** Does the oldest piece; false if there is none. */
    boolean step() {
        Runnable work = waiting.poll();
        if (work != null) {
            work.run();
        }
        return work != null;
    }

    /** Does all there is, also what comes of it; false if there was none. */
    boolean runAll() {
        boolean any = false;
        while (step()) {
            any = true;
        }
        return any;
    }

    @Override
    public void shutdown() {
        shutdown = true;
        runAll();
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown = true;
        waiting.clear();
        return Collections.emptyList();
    }

    @Override
    public boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return shutdown;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return shutdown;
    }
}
