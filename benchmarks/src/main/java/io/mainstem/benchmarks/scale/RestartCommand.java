package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.amqp.LoadPlan;
import io.mainstem.benchmarks.amqp.LoadRun;
import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.ProcessCpu;
import io.mainstem.benchmarks.measure.Table;
import io.mainstem.benchmarks.peers.BrokerChild;
import io.mainstem.benchmarks.peers.BrokerKind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench restart}. */
@Command(
        name = "restart",
        description = "How long a broker needs after kill -9, by the size of its log.",
        showDefaultValues = true)
public final class RestartCommand implements Callable<Integer> {
    private static final double GIB = 1 << 30;
    private static final String QUEUE = "bench-restart";

    @Option(names = "--brokers", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<BrokerKind> brokers = List.of(BrokerKind.values());

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--gib", split = ",", description = "Sizes, ascending; the same broker grows from one to the next.")
    private List<Double> sizes = List.of(1.0, 4.0, 16.0);

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 4096;

    @Option(names = "--restarts", description = "Of each size.")
    private int restarts = 3;

    @Option(names = "--jvm", split = " ", description = "Options of the broker's JVM.")
    private List<String> jvmOptions = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

    @Override
    public Integer call() throws Exception {
        Table table =
                new Table("broker", "GiB in the queue", "GiB on disk", "start", "seconds to ready", "CPU seconds");
        try (Folders folders = Folders.below(directory)) {
            Map<BrokerKind, Double> held = new EnumMap<>(BrokerKind.class);
            for (double size : sizes) {
                for (BrokerKind broker : brokers) {
                    Path data = folders.resolve(broker.toString());
                    fill(broker, data, size - held.getOrDefault(broker, 0.0));
                    held.put(broker, size);
                    for (int start = 1; start <= restarts; start++) {
                        restart(broker, data, size, start, table);
                    }
                }
            }
        }
        table.print(
                System.out,
                String.format("Start after kill -9, durable messages of %d bytes; %s", bodyBytes, Machine.describe()));
        return 0;
    }

    /** Dies while messages are still coming in. */
    private void fill(BrokerKind broker, Path data, double gib) throws IOException, InterruptedException {
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            LoadPlan plan = LoadPlan.durable(QUEUE)
                    .by(1, 0, 2000)
                    .with(new LoadPlan.Body(true, bodyBytes))
                    .within(LoadPlan.Limits.ofMessages((long) (gib * GIB / bodyBytes)));
            LoadRun.run(child.endpoint(), plan, 0);
            child.jvm().kill();
        }
    }

    private void restart(BrokerKind broker, Path data, double held, int start, Table table)
            throws IOException, InterruptedException {
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            table.row(
                    broker,
                    held,
                    DiskUse.bytes(data) / GIB,
                    start,
                    child.jvm().readySeconds(),
                    ProcessCpu.seconds(child.jvm().pid()));
            child.jvm().kill();
        }
    }
}
