package io.mainstem.benchmarks.store;

import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.shard.LocalShardStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Durable groups of 1 KiB at a real store, on the disk that {@code -Dbench.dir} names (default: target/bench). */
@State(Scope.Thread)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class GroupBenchmark {
    private static final int MANY = 10_000;

    private @Nullable Folders folders;
    private @Nullable ShardStore store;
    private @Nullable GroupLoad load;

    /** Opens a store, on the thread that measures: it becomes the store's shard thread. */
    @Setup
    public void open() throws IOException {
        folders = Folders.below(Path.of(System.getProperty("bench.dir", "target/bench")));
        store = LocalShardStore.open(
                StoreConfig.defaults(folders.resolve("store")), new NioFiles(), InstantSource.system());
        load = new GroupLoad(store, 1024, 1);
    }

    /** Closes the store and removes it. */
    @TearDown
    public void close() throws IOException {
        if (store != null && folders != null) {
            store.close();
            folders.close();
        }
    }

    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    public double oneInFlight() {
        return load().run(1, 1);
    }

    @Benchmark
    @BenchmarkMode(Mode.AverageTime)
    @OperationsPerInvocation(MANY)
    public double manyInFlight() {
        return load().run(MANY, 256);
    }

    private GroupLoad load() {
        if (load == null) {
            throw new IllegalStateException("not opened");
        }
        return load;
    }
}
