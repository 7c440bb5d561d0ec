package io.mainstem.benchmarks.disk;

import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench disk}. */
@Command(
        name = "disk",
        description = "The bare loop: 4 KiB append + fdatasync, of a growing and of a preallocated file.")
public final class DiskCommand implements Callable<Integer> {
    private static final int SLICES = 10;

    @Option(names = "--dir", description = "Folder on the disk to measure (default: ${DEFAULT-VALUE}).")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--appends", description = "Appends of each kind (default: ${DEFAULT-VALUE}).")
    private int appends = 5_000;

    @Override
    public Integer call() throws Exception {
        try (Folders folders = Folders.below(directory);
                DiskLoop growing = DiskLoop.growing(folders.resolve("growing"));
                DiskLoop filled = DiskLoop.preallocated(folders.resolve("preallocated"), appends)) {
            growing.warmUp(200);
            filled.warmUp(200);
            for (int slice = 0; slice < SLICES; slice++) {
                growing.run(appends / SLICES);
                filled.run(appends / SLICES);
            }
            Table table = new Table("file", "appends", "p50 us", "p90 us", "p99 us", "max us");
            addRow(table, "growing", growing.latencies());
            addRow(table, "preallocated", filled.latencies());
            table.print(System.out, "4 KiB append + fdatasync; " + Machine.describe());
        }
        return 0;
    }

    private static void addRow(Table table, String file, Latencies latencies) {
        table.row(
                file,
                latencies.count(),
                latencies.percentileMicros(50),
                latencies.percentileMicros(90),
                latencies.percentileMicros(99),
                latencies.maxNanos() / 1000.0);
    }
}
