package io.mainstem.store.shard;

import io.mainstem.store.StoreConfig;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The store's own threads beside those of the log: one that writes checkpoints, one that
 * writes blocks, one that compacts, one that reads slowly what
 * nobody waits for, some that read blocks.
 *
 * <p>Thread: any.
 */
final class StoreThreads {
    private static final long IDLE_SECONDS = 10;
    private static final long STOP_SECONDS = 600;

    private final Executor writing;
    private final Executor viewWriting;
    private final Executor reading;
    private final Executor compacting;
    private final Executor scrubbing;
    private final Runnable endBackground;
    private final Stop stop;

    private StoreThreads(
            Executor writing,
            Executor viewWriting,
            Executor reading,
            Executor compacting,
            Executor scrubbing,
            Runnable endBackground,
            Stop stop) {
        this.writing = writing;
        this.viewWriting = viewWriting;
        this.reading = reading;
        this.compacting = compacting;
        this.scrubbing = scrubbing;
        this.endBackground = endBackground;
        this.stop = stop;
    }

    static StoreThreads start(StoreConfig config) {
        ExecutorService writing = pool(1, "store-checkpoint");
        ExecutorService viewWriting = pool(1, "store-view-write");
        ExecutorService reading = pool(config.readThreads(), "store-view-read");
        ExecutorService compacting = pool(1, "store-compaction");
        ExecutorService scrubbing = pool(1, "store-scrub");
        Runnable endBackground = () -> {
            end(compacting);
            end(scrubbing);
        };
        return new StoreThreads(writing, viewWriting, reading, compacting, scrubbing, endBackground, seconds -> {
            // Not interrupted: that would close the file under everyone who still needs it.
            reading.shutdown();
            writing.shutdown();
            viewWriting.shutdown();
            if (seconds > 0 && !ended(List.of(writing, viewWriting, reading), seconds)) {
                throw new IllegalStateException("the store's threads did not end within " + seconds + " s");
            }
        });
    }

    private static boolean ended(List<ExecutorService> pools, long seconds) throws InterruptedException {
        for (ExecutorService pool : pools) {
            if (!pool.awaitTermination(seconds, TimeUnit.SECONDS)) {
                return false;
            }
        }
        return true;
    }

    /**
     * On given executors: for simulations.
     *
     * @param finish does what was handed to {@code writing} and not done yet
     */
    static StoreThreads given(Executor writing, Executor reading, Runnable finish) {
        return new StoreThreads(writing, writing, reading, writing, writing, () -> {}, seconds -> {
            if (seconds > 0) {
                finish.run();
            }
        });
    }

    private static void end(ExecutorService pool) {
        pool.shutdown();
        boolean interrupted = false;
        while (!pool.isTerminated()) {
            try {
                pool.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static ExecutorService pool(int threads, String name) {
        ThreadFactory daemons = work -> {
            Thread thread = new Thread(work, name);
            thread.setDaemon(true);
            return thread;
        };
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons);
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    Executor writing() {
        return writing;
    }

    Executor viewWriting() {
        return viewWriting;
    }

    Executor reading() {
        return reading;
    }

    Executor compacting() {
        return compacting;
    }

    Executor scrubbing() {
        return scrubbing;
    }

    /** Waits until the threads that compact and scrub have done what they were given; they take nothing more. */
    void endBackground() {
        endBackground.run();
    }

    /** Waits for a checkpoint that is being written and for reads under way. */
    void stop() throws InterruptedException {
        stop.run(STOP_SECONDS);
    }

    /** Waits for nothing. */
    void abandon() {
        try {
            stop.run(0);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @FunctionalInterface
    private interface Stop {
        void run(long seconds) throws InterruptedException;
    }
}
