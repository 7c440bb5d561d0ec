package io.mainstem.benchmarks.mqtt;

import io.mainstem.benchmarks.measure.ChildProcess;
import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.ProcessCpu;
import io.mainstem.benchmarks.measure.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench connections}. */
@Command(
        name = "connections",
        description =
                "Many idle MQTT connections: memory each, and what a storm of connects does to those that are there.",
        showDefaultValues = true)
public final class ConnectionsCommand implements Callable<Integer> {
    private static final double KIB = 1024;

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--brokers", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<MqttBroker> wanted = List.of(MqttBroker.values());

    @Option(names = "--connections", description = "Idle ones; needs as many open files ('ulimit -n').")
    private int connections = 10_000;

    @Option(names = "--rate", description = "Connects a second.")
    private int rate = 2_000;

    @Option(names = "--jvm", split = " ", description = "Options of the brokers' JVMs.")
    private List<String> jvmOptions = List.of("-Xms64m", "-Xmx1g", "-XX:+UseG1GC");

    @Override
    public Integer call() throws Exception {
        Table table = new Table(
                "broker",
                "connected",
                "connects/s",
                "CPU us a connect",
                "RSS KiB each",
                "live heap KiB each",
                "CPU ms/s idle",
                "lost",
                "ping p50 us",
                "ping max ms");
        try (Folders folders = Folders.below(directory)) {
            for (MqttBroker broker : wanted) {
                int port = MqttBroker.freePort();
                try (ChildProcess process = broker.start(jvmOptions, folders.resolve(broker + "-data"), port)) {
                    measure(broker, process, port, table);
                }
            }
        }
        table.print(
                System.out,
                String.format("%,d idle connections, %,d a second; %s", connections, rate, Machine.describe()));
        return 0;
    }

    private void measure(MqttBroker broker, ChildProcess process, int port, Table table) throws IOException {
        try (ConnectStorm warmUp = new ConnectStorm(port, "warm")) {
            warmUp.connect(1_000, rate);
        }
        // What the first thousand left behind is not the others'.
        double heapBefore = broker.isJvm() ? process.liveHeapBytes() : Double.NaN;
        long residentBefore = process.residentBytes();
        try (ConnectStorm storm = new ConnectStorm(port, "idle")) {
            double cpuBefore = ProcessCpu.seconds(process.pid());
            double seconds = storm.connect(connections, rate);
            double cpu = ProcessCpu.seconds(process.pid()) - cpuBefore;
            double heap = broker.isJvm() ? process.liveHeapBytes() - heapBefore : Double.NaN;
            double resident = process.residentBytes() - (double) residentBefore;
            double cpuIdleBefore = ProcessCpu.seconds(process.pid());
            double idle = storm.idle(5);
            table.row(
                    broker,
                    storm.connected(),
                    connections / seconds,
                    cpu * 1e6 / connections,
                    resident / connections / KIB,
                    heap / connections / KIB,
                    (ProcessCpu.seconds(process.pid()) - cpuIdleBefore) * 1000 / idle,
                    storm.lost(),
                    storm.pings().percentileMicros(50),
                    storm.pings().maxNanos() / 1e6);
        }
    }
}
