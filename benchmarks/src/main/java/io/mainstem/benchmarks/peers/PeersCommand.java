package io.mainstem.benchmarks.peers;

import io.mainstem.benchmarks.amqp.LoadPlan;
import io.mainstem.benchmarks.amqp.LoadResult;
import io.mainstem.benchmarks.amqp.LoadRun;
import io.mainstem.benchmarks.disk.DiskLoop;
import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench peers}. */
@Command(
        name = "peers",
        description = "This broker beside ActiveMQ Artemis: same client, disk and heap, in turns, in one run.",
        showDefaultValues = true)
public final class PeersCommand implements Callable<Integer> {
    private static final int LOOP_WARM_UP = 300;

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--brokers", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<BrokerKind> wanted = List.of(BrokerKind.values());

    @Option(names = "--scenarios", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<Scenario> scenarios = List.of(Scenario.values());

    @Option(names = "--rounds", description = "Turns of each broker and scenario.")
    private int rounds = 3;

    @Option(names = "--warm-up", description = "Seconds of each broker at the start; then 3 a scenario, 1 a turn.")
    private int warmUpSeconds = 30;

    @Option(names = "--seconds", description = "Measured seconds of each turn.")
    private int seconds = 6;

    @Option(names = "--appends", description = "Of the bare loop, before each turn.")
    private int appends = 300;

    @Option(names = "--jvm", split = " ", description = "Options of both brokers' JVMs.")
    private List<String> jvmOptions = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:+AlwaysPreTouch");

    @Option(
            names = "--artemis-buffer-timeout",
            description =
                    "Artemis' journal buffer timeout in us: 0 = its default, -1 = p50 of the bare loop, as 'artemis create' does.")
    private int bufferTimeoutMicros = -1;

    @Override
    public Integer call() throws Exception {
        List<BrokerChild> brokers = new ArrayList<>();
        try (Folders folders = Folders.below(directory);
                DiskLoop loop = DiskLoop.growing(folders.resolve("loop"))) {
            loop.warmUp(LOOP_WARM_UP);
            loop.run(appends);
            try {
                for (BrokerKind kind : wanted) {
                    brokers.add(kind.start(jvmOptions, folders.resolve(kind.toString()), bufferTimeoutNanos(loop)));
                }
                for (BrokerChild broker : brokers) {
                    warmUp(broker);
                }
                measure(brokers, loop);
            } finally {
                brokers.forEach(BrokerChild::close);
            }
        }
        return 0;
    }

    private long bufferTimeoutNanos(DiskLoop loop) {
        return bufferTimeoutMicros < 0 ? loop.latencies().percentileNanos(50) : bufferTimeoutMicros * 1000L;
    }

    private void measure(List<BrokerChild> brokers, DiskLoop loop) throws InterruptedException, IOException {
        for (Scenario scenario : scenarios) {
            List<Totals> totals = new ArrayList<>();
            brokers.forEach(broker -> totals.add(new Totals(broker.kind().toString())));
            loop.latencies().clear();
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < brokers.size(); i++) {
                    loop.run(appends);
                    totals.get(i).add(turn(scenario, brokers.get(i), round));
                }
            }
            print(scenario, totals, loop);
        }
    }

    private void warmUp(BrokerChild broker) throws InterruptedException {
        for (Scenario scenario : List.of(Scenario.WINDOW_500, Scenario.ONE_IN_FLIGHT)) {
            LoadPlan plan = scenario.plan().within(LoadPlan.Limits.ofSeconds(0, Math.max(1, warmUpSeconds / 2)));
            LoadResult result =
                    LoadRun.run(broker.endpoint(), plan, broker.jvm().pid());
            System.out.printf("# warm-up of %s by %s: %,d messages%n", broker.kind(), scenario, result.confirmed());
        }
    }

    private LoadResult turn(Scenario scenario, BrokerChild broker, int round) throws InterruptedException {
        LoadPlan plan = scenario.plan().within(LoadPlan.Limits.ofSeconds(round == 0 ? 3 : 1, seconds));
        LoadResult result = LoadRun.run(broker.endpoint(), plan, broker.jvm().pid());
        System.out.printf(
                "# %s %s round %d: %,d messages, confirm p50 %.0f us, %,.0f/s, %,.0f per server CPU second%n",
                scenario,
                broker.kind().toString(),
                round,
                result.confirmed(),
                result.confirms().percentileMicros(50),
                result.sendRate(),
                result.perCpuSecond());
        return result;
    }

    private static void print(Scenario scenario, List<Totals> all, DiskLoop loop) {
        Table table = new Table(
                "broker",
                "messages",
                "confirmed/s",
                "received/s",
                "confirm p50 us",
                "p90 us",
                "p99 us",
                "p50 / bare loop",
                "delivery p50 us",
                "server CPU us/msg",
                "of it JIT",
                "msgs/server CPU s",
                "of rounds");
        for (Totals totals : all) {
            totals.addTo(table, loop.latencies().percentileMicros(50));
        }
        table.row(
                "bare loop",
                loop.latencies().count(),
                "-",
                "-",
                loop.latencies().percentileMicros(50),
                loop.latencies().percentileMicros(90),
                loop.latencies().percentileMicros(99),
                1.0,
                "-",
                "-",
                "-",
                "-",
                "-");
        table.print(System.out, scenario + ": " + scenario.description() + "; " + Machine.describe());
    }
}
