package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.ProcessCpu;

/**
 * What came out of the measured part of a run.
 *
 * @param confirmed messages the broker accepted
 * @param received deliveries that consumers accepted
 * @param sendSeconds from the first send to the last confirm
 * @param seconds from the first send to the last confirm and the last delivery
 * @param confirms time from sending a message to its confirm
 * @param deliveries time from sending a message to its delivery
 * @param serverCpu CPU time the server took meanwhile
 */
public record LoadResult(
        long confirmed,
        long received,
        double sendSeconds,
        double seconds,
        Latencies confirms,
        Latencies deliveries,
        ServerCpu serverCpu) {
    /** Confirmed messages a second. */
    public double sendRate() {
        return confirmed / sendSeconds;
    }

    /** Deliveries a second. */
    public double receiveRate() {
        return received / seconds;
    }

    /**
     * CPU time of a server in seconds; NaN if its process is not known.
     *
     * @param total user and system time of all threads
     * @param compilers the part of it that the JVM's compiler threads took
     */
    public record ServerCpu(double total, double compilers) {
        /** What process {@code pid} has taken since it began; 0 = not known. */
        static ServerCpu of(long pid) {
            return pid == 0
                    ? new ServerCpu(Double.NaN, Double.NaN)
                    : new ServerCpu(ProcessCpu.seconds(pid), ProcessCpu.compilerSeconds(pid));
        }

        /** What was taken since {@code earlier}. */
        ServerCpu since(ServerCpu earlier) {
            return new ServerCpu(total - earlier.total, compilers - earlier.compilers);
        }
    }

    /** Messages that were sent, confirmed and (with consumers) received for one second of the server's CPU time. */
    public double perCpuSecond() {
        return Math.max(confirmed, received) / serverCpu.total();
    }

    /** Microseconds of the server's CPU time for each message. */
    public double cpuMicrosPerMessage() {
        return serverCpu.total() * 1e6 / Math.max(confirmed, received);
    }
}
