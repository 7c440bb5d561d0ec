package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.queue.ShardBroker;
import java.util.concurrent.locks.LockSupport;

/**
 * Publishes a message when the one before has come back, and measures how long each takes. Thread: its own; the latencies
 * are taken by another.
 */
final class HonestPair implements AutoCloseable {
    private static final String QUEUE = "honest";
    private static final long LOOK_NANOS = 20_000;

    private final LocalClient publisher;
    private final LocalClient consumer;
    private final Thread thread;
    private final Object lock = new Object();
    private Latencies latencies = new Latencies();
    private volatile long done;
    private volatile boolean closed;

    HonestPair(ShardBroker broker) {
        this.publisher = new LocalClient(broker, "honest-publisher");
        this.consumer = new LocalClient(broker, "honest-consumer");
        publisher.ask(open -> open.declareQueue(QueueSpec.durable(QUEUE)));
        LocalClient.Counting counting = consumer.consume(QUEUE, Long.MAX_VALUE);
        this.thread = new Thread(() -> run(counting), "honest-pair");
        thread.start();
    }

    private void run(LocalClient.Counting counting) {
        for (long sent = 1; !closed; sent++) {
            long begin = System.nanoTime();
            publisher.publish("", QUEUE, 1);
            counting.await(sent);
            long nanos = System.nanoTime() - begin;
            synchronized (lock) {
                latencies.record(nanos);
            }
            done = sent;
        }
    }

    /** Waits until the message that is under way now, and the one after it, have been measured. */
    void awaitNext() {
        long until = done + 2;
        while (done < until) {
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** What was measured since the last call. */
    Latencies takeLatencies() {
        synchronized (lock) {
            Latencies taken = latencies;
            latencies = new Latencies();
            return taken;
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        publisher.close();
        consumer.close();
    }
}
