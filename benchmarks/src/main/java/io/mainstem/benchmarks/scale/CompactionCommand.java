package io.mainstem.benchmarks.scale;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench compaction}. */
@Command(
        name = "compaction",
        description = "Stuck messages in much traffic: disk use, and publishers' latency with and without compaction.",
        showDefaultValues = true)
public final class CompactionCommand implements Callable<Integer> {
    private static final double MIB = 1 << 20;
    private static final double GIB = 1 << 30;
    private static final String STUCK = "bench-stuck";
    private static final String FLOW = "bench-flow";

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--gib", description = "Traffic of each broker.")
    private double gib = 20;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 1024;

    @Option(names = "--turns", description = "Each broker gets a part of its traffic, and one stuck message, in turn.")
    private int turns = 80;

    @Option(names = "--segment", description = "store.segment-bytes.")
    private String segment = "64MiB";

    @Option(names = "--in-flight", description = "Unconfirmed messages.")
    private int inFlight = 500;

    @Option(
            names = "--peer",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "ActiveMQ Artemis beside.")
    private boolean peer;

    @Option(names = "--jvm", split = " ", description = "Options of the brokers' JVMs.")
    private List<String> jvmOptions = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

    /** A broker and what it has shown so far. */
    private static final class Contestant {
        private final String name;
        private final BrokerChild child;
        private final Path data;
        private final Latencies confirms = new Latencies();
        private double seconds;
        private long sent;
        private long mostBytes;

        private Contestant(String name, BrokerChild child, Path data) {
            this.name = name;
            this.child = child;
            this.data = data;
        }
    }

    @Override
    public Integer call() throws Exception {
        List<Contestant> all = new ArrayList<>();
        try (Folders folders = Folders.below(directory)) {
            try {
                all.add(mainstem("with compaction", folders.resolve("with"), "1s"));
                all.add(mainstem("without", folders.resolve("without"), "24h"));
                if (peer) {
                    Path data = folders.resolve("artemis");
                    all.add(new Contestant("artemis", BrokerKind.ARTEMIS.start(jvmOptions, data, 0), data));
                }
                for (Contestant each : all) {
                    load(each, Math.max(10_000, messages() / turns), new Latencies());
                }
                for (int turn = 0; turn < turns; turn++) {
                    for (Contestant each : all) {
                        turn(each);
                    }
                }
                print(all);
            } finally {
                all.forEach(each -> each.child.close());
            }
        }
        return 0;
    }

    private Contestant mainstem(String name, Path data, String quiet) throws IOException {
        List<String> settings = List.of("store.segment-bytes=" + segment, "store.compaction-quiet=" + quiet);
        return new Contestant(name, BrokerKind.mainstem(jvmOptions, data, settings), data);
    }

    private long messages() {
        return (long) (gib * GIB / bodyBytes);
    }

    private void turn(Contestant each) throws IOException, InterruptedException {
        LoadPlan stuck = plan().at(STUCK).by(1, 0, 1).within(LoadPlan.Limits.ofMessages(1));
        LoadRun.run(each.child.endpoint(), stuck, 0);
        LoadResult result = load(each, messages() / turns, each.confirms);
        each.sent += result.confirmed();
        each.seconds += result.sendSeconds();
        each.mostBytes = Math.max(each.mostBytes, DiskUse.bytes(each.data));
    }

    private LoadPlan plan() {
        return LoadPlan.durable(FLOW).with(new LoadPlan.Body(true, bodyBytes));
    }

    private LoadResult load(Contestant each, long messages, Latencies into) throws InterruptedException {
        LoadPlan plan = plan().by(1, 1, inFlight).within(LoadPlan.Limits.ofMessages(messages));
        LoadResult result = LoadRun.run(each.child.endpoint(), plan, 0);
        into.add(result.confirms());
        return result;
    }

    private void print(List<Contestant> all) throws IOException {
        Table table = new Table(
                "broker",
                "GiB passed",
                "stuck",
                "most MiB on disk",
                "MiB at the end",
                "messages/s",
                "p50 us",
                "p99 us");
        for (Contestant each : all) {
            table.row(
                    each.name,
                    each.sent * (double) bodyBytes / GIB,
                    turns,
                    each.mostBytes / MIB,
                    DiskUse.bytes(each.data) / MIB,
                    each.sent / each.seconds,
                    each.confirms.percentileMicros(50),
                    each.confirms.percentileMicros(99));
        }
        double ratio =
                all.get(0).confirms.percentileMicros(99) / all.get(1).confirms.percentileMicros(99);
        table.print(
                System.out,
                String.format(
                        Locale.ROOT,
                        "Stuck messages, segments of %s: p99 with/without compaction = %.2f (target <= 2); %s",
                        segment,
                        ratio,
                        Machine.describe()));
    }
}
