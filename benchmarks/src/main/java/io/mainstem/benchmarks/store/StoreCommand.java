package io.mainstem.benchmarks.store;

import io.mainstem.benchmarks.disk.DiskLoop;
import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.shard.LocalShardStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench store}. */
@Command(
        name = "store",
        description = "The store alone: durable groups, one and many in flight, beside the bare loop.",
        showDefaultValues = true)
public final class StoreCommand implements Callable<Integer> {
    private static final int ONE_A_SLICE = 100;

    @Option(names = "--dir", description = "Folder on the disk to measure.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--bytes", description = "Payload of each group.")
    private int bodyBytes = 1024;

    @Option(names = "--in-flight", description = "Of the second part.")
    private int inFlight = 256;

    @Option(names = "--slices", description = "Turns of loop, one in flight and many in flight.")
    private int slices = 40;

    @Option(
            names = "--warm-up",
            description =
                    "Groups before anything is counted: so many that the log has begun to use its segments again.")
    private int warmUpGroups = 1_500_000;

    @Option(names = "--groups", description = "Of many in flight, each turn.")
    private int groups = 10_000;

    @Override
    public Integer call() throws IOException {
        try (Folders folders = Folders.below(directory);
                DiskLoop loop = DiskLoop.growing(folders.resolve("growing"));
                DiskLoop filled = DiskLoop.preallocated(folders.resolve("preallocated"), 5_000);
                ShardStore store = LocalShardStore.open(
                        StoreConfig.defaults(folders.resolve("store")), new NioFiles(), InstantSource.system())) {
            GroupLoad one = new GroupLoad(store, bodyBytes, 1);
            loop.warmUp(ONE_A_SLICE);
            one.run(2_000, 1);
            for (int written = 0; written < warmUpGroups; written += groups) {
                one.run(groups, inFlight);
                one.purge();
            }
            one.latencies().clear();
            measure(one, loop, filled);
        }
        return 0;
    }

    private void measure(GroupLoad load, DiskLoop loop, DiskLoop filled) throws IOException {
        Latencies one = new Latencies();
        Latencies many = new Latencies();
        double oneSeconds = 0;
        double manySeconds = 0;
        for (int slice = 0; slice < slices; slice++) {
            loop.run(ONE_A_SLICE);
            filled.run(ONE_A_SLICE);
            oneSeconds += load.run(ONE_A_SLICE, 1);
            one.add(load.latencies());
            load.latencies().clear();
            manySeconds += load.run(groups, inFlight);
            load.purge();
            many.add(load.latencies());
            load.latencies().clear();
        }
        Table table = new Table("what", "groups", "groups/s", "p50 us", "p90 us", "p99 us", "compared");
        double loopMicros = loop.latencies().percentileMicros(50);
        addRow(table, "bare loop, growing file", loop.latencies(), Double.NaN, "1");
        addRow(table, "bare loop, preallocated", filled.latencies(), Double.NaN, "-");
        addRow(
                table,
                "store, 1 in flight",
                one,
                one.count() / oneSeconds,
                String.format(
                        Locale.ROOT, "p50 = %.2f x bare loop (target 1.3)", one.percentileMicros(50) / loopMicros));
        double rates = many.count() / manySeconds / (one.count() / oneSeconds);
        addRow(
                table,
                "store, " + inFlight + " in flight",
                many,
                many.count() / manySeconds,
                String.format(Locale.ROOT, "rate = %.1f x 1 in flight (target 60)", rates));
        table.print(System.out, "Store alone, " + bodyBytes + " byte payload, durable; " + Machine.describe());
    }

    private static void addRow(Table table, String what, Latencies latencies, double rate, String compared) {
        table.row(
                what,
                latencies.count(),
                rate,
                latencies.percentileMicros(50),
                latencies.percentileMicros(90),
                latencies.percentileMicros(99),
                compared);
    }
}
