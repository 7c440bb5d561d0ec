package io.mainstem.benchmarks.mqtt;

import io.mainstem.benchmarks.measure.ChildProcess;
import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Latencies;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench mqtt}. */
@Command(
        name = "mqtt",
        description = "This broker beside Mosquitto and HiveMQ CE: same client and payload, in turns, in one run.",
        showDefaultValues = true)
public final class MqttCommand implements Callable<Integer> {
    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--brokers", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<MqttBroker> wanted = List.of(MqttBroker.values());

    @Option(names = "--scenarios", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<MqttScenario> scenarios = List.of(MqttScenario.values());

    @Option(names = "--rounds", description = "Turns of each broker and scenario.")
    private int rounds = 3;

    @Option(names = "--warm-up", description = "Seconds before the first turn of a scenario; 1 before others.")
    private int warmUpSeconds = 6;

    @Option(names = "--seconds", description = "Measured seconds of each turn.")
    private int seconds = 5;

    @Option(names = "--jvm", split = " ", description = "Options of the brokers' JVMs.")
    private List<String> jvmOptions = List.of("-Xms512m", "-Xmx1g", "-XX:+UseG1GC");

    private final Map<MqttBroker, ChildProcess> running = new EnumMap<>(MqttBroker.class);
    private final Map<MqttBroker, Integer> ports = new EnumMap<>(MqttBroker.class);

    @Override
    public Integer call() throws Exception {
        try (Folders folders = Folders.below(directory)) {
            try {
                for (MqttBroker broker : wanted) {
                    int port = MqttBroker.freePort();
                    ports.put(broker, port);
                    running.put(broker, broker.start(jvmOptions, folders.resolve(broker + "-data"), port));
                }
                for (MqttScenario scenario : scenarios) {
                    measure(scenario);
                }
            } finally {
                running.values().forEach(ChildProcess::close);
            }
        }
        return 0;
    }

    private void measure(MqttScenario scenario) throws IOException {
        Map<MqttBroker, List<PublishLoad.Result>> results = new EnumMap<>(MqttBroker.class);
        for (int round = 0; round < rounds; round++) {
            for (MqttBroker broker : wanted) {
                results.computeIfAbsent(broker, none -> new ArrayList<>()).add(turn(scenario, broker, round));
            }
        }
        Table table = new Table(
                "broker",
                "delivered/s",
                "published/s",
                "msgs/server CPU s",
                "p50 us",
                "p99 us",
                "RSS MiB",
                "of rounds");
        for (MqttBroker broker : wanted) {
            row(table, broker, results.getOrDefault(broker, List.of()));
        }
        table.print(System.out, scenario + ": " + scenario.description() + "; " + Machine.describe());
    }

    private PublishLoad.Result turn(MqttScenario scenario, MqttBroker broker, int round) {
        ChildProcess process = running.get(broker);
        Integer port = ports.get(broker);
        if (process == null || port == null) {
            throw new IllegalStateException(broker + " does not run");
        }
        try (PublishLoad load = new PublishLoad(port, scenario.topology())) {
            load.connect(scenario.name().toLowerCase(Locale.ROOT));
            PublishLoad.Result result = load.run(round == 0 ? warmUpSeconds : 1, seconds, process.pid());
            System.out.printf(
                    "# %s %s round %d: %,.0f delivered/s, %,.0f per server CPU second%n",
                    scenario, broker, round, result.delivered() / result.seconds(), perCpuSecond(result));
            return result;
        }
    }

    private static double perCpuSecond(PublishLoad.Result result) {
        return result.delivered() / Math.max(0.01, result.cpuSeconds());
    }

    private void row(Table table, MqttBroker broker, List<PublishLoad.Result> rounds) throws IOException {
        double seconds = 0;
        double cpu = 0;
        long delivered = 0;
        long published = 0;
        Latencies latencies = new Latencies();
        StringBuilder each = new StringBuilder();
        for (PublishLoad.Result result : rounds) {
            seconds += result.seconds();
            cpu += result.cpuSeconds();
            delivered += result.delivered();
            published += result.published();
            latencies.add(result.deliveries());
            each.append(String.format(Locale.ROOT, "%,.0f ", perCpuSecond(result)));
        }
        ChildProcess process = running.get(broker);
        table.row(
                broker,
                delivered / seconds,
                published / seconds,
                delivered / cpu,
                latencies.percentileMicros(50),
                latencies.percentileMicros(99),
                process == null ? Double.NaN : process.residentBytes() / (double) (1 << 20),
                each.toString().trim());
    }
}
