package io.mainstem.benchmarks.peers;

import io.mainstem.benchmarks.amqp.Endpoint;
import io.mainstem.benchmarks.measure.ChildProcess;

/**
 * A broker in a JVM of its own; closing it ends it. Thread: one.
 *
 * @param endpoint where it listens
 */
public record BrokerChild(BrokerKind kind, ChildProcess jvm, Endpoint endpoint) implements AutoCloseable {
    @Override
    public void close() {
        jvm.close();
    }
}
