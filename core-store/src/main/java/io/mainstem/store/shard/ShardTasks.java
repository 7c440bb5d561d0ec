package io.mainstem.store.shard;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Brings work from other threads to the shard. Thread: any, except {@link #poll}. */
final class ShardTasks {
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private volatile Runnable wake = () -> {};

    void attach(Runnable wakeShard) {
        this.wake = wakeShard;
    }

    void wake() {
        wake.run();
    }

    void run(Runnable task) {
        tasks.add(task);
        wake.run();
    }

    /** Runs what there is; returns how many. Thread: shard. */
    int poll() {
        int done = 0;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
            done++;
        }
        return done;
    }
}
