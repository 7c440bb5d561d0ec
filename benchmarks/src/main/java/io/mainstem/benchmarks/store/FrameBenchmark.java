package io.mainstem.benchmarks.store;

import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Route;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What a publishing thread does for the log before it hands a message over: the MSG frame with its checksum. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class FrameBenchmark {
    private static final byte[] HEAD = new byte[64];

    @Param({"1", "100"})
    int routes;

    @Param({"100", "1024", "65536"})
    int payloadBytes;

    private List<Route> to = List.of();
    private List<byte[]> payload = List.of();

    /** Makes what a head and the routing would hand over. */
    @Setup
    public void prepare() {
        to = IntStream.rangeClosed(1, routes)
                .mapToObj(queueId -> new Route(queueId, 4))
                .toList();
        payload = List.of(new byte[payloadBytes]);
    }

    @Benchmark
    public Frame messageFrame() {
        return Frames.message(to, 0, 0, HEAD, payload);
    }
}
