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
import java.util.List;
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

    @Option(names = "--broker", description = "Which: ${COMPLETION-CANDIDATES}.")
    private BrokerKind broker = BrokerKind.MAINSTEM;

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
        Table table = new Table("GiB in the queue", "GiB on disk", "start", "seconds to ready", "CPU seconds");
        try (Folders folders = Folders.below(directory)) {
            Path data = folders.resolve("data");
            double held = 0;
            for (double size : sizes) {
                fill(data, size - held);
                held = size;
                for (int start = 1; start <= restarts; start++) {
                    restart(data, held, start, table);
                }
            }
        }
        table.print(
                System.out,
                String.format(
                        "%s: start after kill -9, durable messages of %d bytes; %s",
                        broker, bodyBytes, Machine.describe()));
        return 0;
    }

    /** Dies while messages are still coming in. */
    private void fill(Path data, double gib) throws IOException, InterruptedException {
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            LoadPlan plan = LoadPlan.durable(QUEUE)
                    .by(1, 0, 2000)
                    .with(new LoadPlan.Body(true, bodyBytes))
                    .within(LoadPlan.Limits.ofMessages((long) (gib * GIB / bodyBytes)));
            LoadRun.run(child.endpoint(), plan, 0);
            child.jvm().kill();
        }
    }

    private void restart(Path data, double held, int start, Table table) throws IOException, InterruptedException {
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            table.row(
                    held,
                    DiskUse.bytes(data) / GIB,
                    start,
                    child.jvm().readySeconds(),
                    ProcessCpu.seconds(child.jvm().pid()));
            child.jvm().kill();
        }
    }
}
