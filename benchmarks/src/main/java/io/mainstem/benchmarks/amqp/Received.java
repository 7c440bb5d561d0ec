package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.measure.Latencies;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What all consumers of a run have received. Thread: any. */
final class Received {
    private final Latencies latencies = new Latencies();
    private long count;
    private @Nullable RuntimeException failure;

    /** Adds what one read brought: {@code deliveries} times from sending to delivery. */
    synchronized void add(long[] latencyNanos, int deliveries) {
        for (int i = 0; i < deliveries; i++) {
            latencies.record(latencyNanos[i]);
        }
        count += deliveries;
        notifyAll();
    }

    /** A consumer cannot go on. */
    synchronized void fail(RuntimeException why) {
        failure = why;
        notifyAll();
    }

    synchronized long count() {
        return count;
    }

    /** Waits until so many have come since the start. */
    synchronized void await(long total, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (count < total) {
            if (failure != null) {
                throw failure;
            }
            long leftMs = (end - System.nanoTime()) / 1_000_000;
            if (leftMs <= 0) {
                throw new LoadException("consumers got " + count + " of " + total + " messages in time");
            }
            wait(leftMs);
        }
    }

    /** What was received since the last call. */
    synchronized Latencies takeLatencies() {
        Latencies taken = new Latencies();
        taken.add(latencies);
        latencies.clear();
        return taken;
    }
}
