package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.measure.Latencies;

/** One connection that sends. Thread: one at a time. */
sealed interface Sending extends AutoCloseable permits Producer, TransactionalProducer {
    /**
     * Sends until the time or the messages are over, then waits for the last confirm.
     *
     * @return messages that were confirmed
     */
    long produce(long endNanos, long countMax);

    /** Of the last call of {@link #produce}. */
    Latencies latencies();

    /** Leaves properly. */
    void leave();

    /** Breaks the connection; from any thread. */
    @Override
    void close();
}
