package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.amqp.LoadException;
import io.mainstem.benchmarks.amqp.LoadPlan;
import io.mainstem.benchmarks.amqp.LoadResult;
import io.mainstem.benchmarks.amqp.LoadRun;
import io.mainstem.benchmarks.measure.Folders;
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

/** {@code bench delay}. */
@Command(
        name = "delay",
        description = "Delayed messages: heap while they wait, and how late those come that are due.",
        showDefaultValues = true)
public final class DelayCommand implements Callable<Integer> {
    private static final double MIB = 1 << 20;
    private static final double MS = 1e6;
    private static final String QUEUE = "bench-delay";
    private static final long HOUR_MS = 3_600_000;
    /** For which it is watched whether more comes than was sent. */
    private static final Duration SURPLUS = Duration.ofSeconds(5);

    @Option(names = "--brokers", split = ",", description = "Which, one after the other: ${COMPLETION-CANDIDATES}.")
    private List<BrokerKind> brokers = List.of(BrokerKind.values());

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--messages", description = "Due in an hour or later.")
    private long messages = 900_000;

    @Option(names = "--days", description = "Due within so many days.")
    private int days = 30;

    @Option(names = "--soon", description = "Messages due within the next seconds.")
    private long soon = 100_000;

    @Option(names = "--soon-seconds", description = "Due between one second and so many after they are sent.")
    private int soonSeconds = 60;

    @Option(names = "--steps", description = "Samples of the heap.")
    private int steps = 5;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 100;

    @Option(names = "--in-flight", description = "Unconfirmed messages.")
    private int inFlight = 2_000;

    @Option(names = "--kills", description = "kill -9 of the broker while as many again become due.")
    private int kills = 10;

    @Option(names = "--jvm", split = " ", description = "Options of the broker's JVM.")
    private List<String> jvmOptions = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

    @Override
    public Integer call() throws Exception {
        boolean all = true;
        try (Folders folders = Folders.below(directory)) {
            for (BrokerKind broker : brokers) {
                try {
                    measure(broker, folders.resolve(broker.toString()));
                } catch (LoadException | IOException e) {
                    System.out.println(broker + " did not get to the end: " + e.getMessage());
                    all = false;
                }
            }
        }
        return all ? 0 : 1;
    }

    private void measure(BrokerKind broker, Path data) throws IOException, InterruptedException {
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            fill(child);
            becomeDue(child);
            publishSoon(child);
            child.jvm().kill();
        }
        if (kills > 0) {
            survive(broker, data);
        }
    }

    private void fill(BrokerChild child) throws IOException, InterruptedException {
        Table table = new Table("messages waiting", "live heap MiB", "confirmed/s");
        table.row(0L, child.jvm().liveHeapBytes() / MIB, "-");
        LoadPlan far = plan(new LoadPlan.Delay(HOUR_MS, days * 24L * HOUR_MS))
                .by(1, 0, inFlight)
                .within(LoadPlan.Limits.ofMessages(messages / steps));
        long waiting = 0;
        for (int step = 0; step < steps; step++) {
            LoadResult result = LoadRun.run(child.endpoint(), far, child.jvm().pid());
            waiting += result.confirmed();
            table.row(waiting, child.jvm().liveHeapBytes() / MIB, result.sendRate());
        }
        table.print(System.out, title(child.kind(), "waiting"));
    }

    private void becomeDue(BrokerChild child) throws IOException, InterruptedException {
        LoadResult result = LoadRun.run(child.endpoint(), soonDue(), child.jvm().pid());
        Table table = new Table("due and received", "late by p50 ms", "p99 ms", "max ms", "live heap MiB");
        table.row(
                result.received(),
                result.deliveries().percentileNanos(50) / MS,
                result.deliveries().percentileNanos(99) / MS,
                result.deliveries().maxNanos() / MS,
                child.jvm().liveHeapBytes() / MIB);
        table.print(System.out, title(child.kind(), "due within " + soonSeconds + " s (target: p99 <= 1000 ms)"));
    }

    private LoadPlan soonDue() {
        return plan(new LoadPlan.Delay(1000, soonSeconds * 1000L))
                .within(LoadPlan.Limits.ofMessages(soon)
                        .waiting(Duration.ofSeconds(soonSeconds).plusMinutes(2)));
    }

    private void publishSoon(BrokerChild child) throws IOException, InterruptedException {
        LoadRun.run(child.endpoint(), soonDue().by(1, 0, inFlight), child.jvm().pid());
    }

    /** Killed again and again until all are due; nobody consumes until then, so what comes twice was put there twice. */
    private void survive(BrokerKind broker, Path data) throws IOException, InterruptedException {
        long allDue = System.nanoTime() + Duration.ofSeconds(soonSeconds).toNanos();
        for (int kill = 1; kill < kills; kill++) {
            try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
                Thread.sleep(Duration.ofNanos(Math.max(0, allDue - System.nanoTime()))
                                .toMillis()
                        / (kills - kill + 1));
                child.jvm().kill();
            }
        }
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            long received = LoadRun.drainAll(child.endpoint(), soonDue(), soon, SURPLUS);
            Table table = new Table("became due", "kills", "received");
            table.row(soon, kills, received);
            table.print(System.out, title(broker, "that became due while the broker was killed"));
        }
    }

    private LoadPlan plan(LoadPlan.Delay delay) {
        return LoadPlan.durable(QUEUE).by(1, 1, inFlight).with(new LoadPlan.Body(true, bodyBytes, delay));
    }

    private String title(BrokerKind broker, String what) {
        return String.format(
                Locale.ROOT,
                "%s, delayed messages %s; durable, %d bytes, up to %d days; %s",
                broker,
                what,
                bodyBytes,
                days,
                Machine.describe());
    }
}
