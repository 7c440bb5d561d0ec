package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.measure.Latencies;

/**
 * What came out of the measured part of a run.
 *
 * @param confirmed messages the broker accepted
 * @param received deliveries that consumers accepted
 * @param sendSeconds from the first send to the last confirm
 * @param seconds from the first send to the last confirm and the last delivery
 * @param confirms time from sending a message to its confirm
 * @param deliveries time from sending a message to its delivery
 * @param serverCpuSeconds CPU time the server took meanwhile, NaN if its process is not known
 */
public record LoadResult(
        long confirmed,
        long received,
        double sendSeconds,
        double seconds,
        Latencies confirms,
        Latencies deliveries,
        double serverCpuSeconds) {
    /** Confirmed messages a second. */
    public double sendRate() {
        return confirmed / sendSeconds;
    }

    /** Deliveries a second. */
    public double receiveRate() {
        return received / seconds;
    }

    /** Messages that were sent, confirmed and (with consumers) received for one second of the server's CPU time. */
    public double perCpuSecond() {
        return Math.max(confirmed, received) / serverCpuSeconds;
    }

    /** Microseconds of the server's CPU time for each message. */
    public double cpuMicrosPerMessage() {
        return serverCpuSeconds * 1e6 / Math.max(confirmed, received);
    }
}
