package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.amqp.LoadException;
import io.mainstem.benchmarks.amqp.LoadPlan;
import io.mainstem.benchmarks.amqp.LoadResult;
import io.mainstem.benchmarks.amqp.LoadRun;
import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import io.mainstem.benchmarks.peers.BrokerChild;
import io.mainstem.benchmarks.peers.BrokerKind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench spool}. */
@Command(
        name = "spool",
        description =
                "Non-durable messages for a consumer that does not read: heap and spool while they pile up, what another"
                        + " queue notices of it, and whether all of them come at the end.",
        showDefaultValues = true)
public final class SpoolCommand implements Callable<Integer> {
    private static final double MIB = 1 << 20;
    private static final String SLOW = "bench-slow";
    private static final String FLOW = "bench-flow";

    @Option(names = "--brokers", split = ",", description = "Which, one after the other: ${COMPLETION-CANDIDATES}.")
    private List<BrokerKind> brokers = List.of(BrokerKind.values());

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--mib", description = "That pile up, in all.")
    private long mib = 3 * 1024;

    @Option(names = "--steps", description = "Samples while they do.")
    private int steps = 6;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 1024;

    @Option(names = "--seconds", description = "Of each turn of the other queue, alone and beside.")
    private int seconds = 5;

    @Option(names = "--jvm", split = " ", description = "Options of the broker's JVM.")
    private List<String> jvmOptions = List.of("-Xms256m", "-Xmx256m", "-XX:+UseG1GC");

    @Override
    public Integer call() throws Exception {
        boolean all = true;
        try (Folders folders = Folders.below(directory)) {
            for (BrokerKind broker : brokers) {
                try {
                    all &= measure(broker, folders.resolve(broker.toString()));
                } catch (LoadException | IOException e) {
                    System.out.println(broker + " did not get to the end: " + e.getMessage());
                    all = false;
                }
            }
        }
        return all ? 0 : 1;
    }

    /** True if everything has come. */
    private boolean measure(BrokerKind broker, Path data) throws IOException, InterruptedException {
        try (BrokerChild child = start(broker, data)) {
            Latencies alone = new Latencies();
            flow(child, new Latencies());
            flow(child, alone);
            return drain(child, fill(child, data, alone));
        }
    }

    private BrokerChild start(BrokerKind broker, Path data) throws IOException {
        return broker == BrokerKind.MAINSTEM
                ? BrokerKind.mainstem(jvmOptions, data, List.of("shard.spool-bytes-max=16GiB"))
                : broker.start(jvmOptions, data, 0);
    }

    private LoadPlan slow() {
        return LoadPlan.durable(SLOW).by(1, 0, 500).with(new LoadPlan.Body(false, bodyBytes));
    }

    private void flow(BrokerChild child, Latencies into) throws InterruptedException {
        LoadPlan plan = LoadPlan.durable(FLOW).by(1, 1, 100).within(LoadPlan.Limits.ofSeconds(0, seconds));
        into.add(LoadRun.run(child.endpoint(), plan, 0).confirms());
    }

    private long fill(BrokerChild child, Path data, Latencies alone) throws InterruptedException, IOException {
        Latencies beside = new Latencies();
        double before = DiskUse.bytes(data) / MIB;
        Table table = new Table("non-durable messages wait", "live heap MiB", "MiB more on disk", "sent/s", "p99 us");
        table.row(0L, child.jvm().liveHeapBytes() / MIB, 0.0, "-", "-");
        long sent = 0;
        for (int step = 0; step < steps; step++) {
            long count = mib * (1 << 20) / bodyBytes / steps;
            LoadResult result = LoadRun.run(child.endpoint(), slow().within(LoadPlan.Limits.ofMessages(count)), 0);
            sent += result.confirmed();
            flow(child, beside);
            table.row(
                    sent,
                    child.jvm().liveHeapBytes() / MIB,
                    DiskUse.bytes(data) / MIB - before,
                    result.sendRate(),
                    result.confirms().percentileMicros(99));
        }
        table.print(
                System.out,
                String.format(
                        Locale.ROOT,
                        "%s: nobody reads %d MiB of non-durable messages of %d bytes; another queue's confirm p99 beside/alone ="
                                + " %.2f; %s",
                        child.kind(),
                        mib,
                        bodyBytes,
                        beside.percentileMicros(99) / alone.percentileMicros(99),
                        Machine.describe()));
        return sent;
    }

    /** True if everything has come. */
    private boolean drain(BrokerChild child, long sent) throws InterruptedException, IOException {
        LoadPlan plan = slow().within(LoadPlan.Limits.ofMessages(sent).waiting(Duration.ofMinutes(20)));
        LoadResult drained = LoadRun.drain(child.endpoint(), plan, sent, 0);
        Table table = new Table("sent", "received", "received/s", "live heap MiB");
        table.row(sent, drained.received(), drained.receiveRate(), child.jvm().liveHeapBytes() / MIB);
        table.print(System.out, child.kind() + ": then they are read; " + Machine.describe());
        return drained.received() >= sent;
    }
}
