package io.mainstem.benchmarks.scale;

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

/** {@code bench backlog}. */
@Command(
        name = "backlog",
        description = "A deep queue: heap while it fills, and the publish rate on top of it beside an empty broker's.",
        showDefaultValues = true)
public final class BacklogCommand implements Callable<Integer> {
    private static final double MIB = 1 << 20;
    private static final String QUEUE = "bench-backlog";

    @Option(names = "--broker", description = "Which: ${COMPLETION-CANDIDATES}.")
    private BrokerKind broker = BrokerKind.MAINSTEM;

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--messages")
    private long messages = 10_000_000;

    @Option(names = "--steps", description = "Samples of heap and rate while the queue fills.")
    private int steps = 10;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 100;

    @Option(names = "--in-flight", description = "Unconfirmed messages.")
    private int inFlight = 2_000;

    @Option(names = "--rounds", description = "Turns of the full and of the empty broker.")
    private int rounds = 6;

    @Option(names = "--seconds", description = "Of each turn.")
    private int seconds = 3;

    @Option(names = "--warm-up", description = "Messages through each broker first, so that both are compiled alike.")
    private long warmUpMessages = 1_500_000;

    @Option(names = "--drain", description = "Receive the whole backlog at the end.")
    private boolean drain;

    @Option(names = "--jvm", split = " ", description = "Options of the brokers' JVMs.")
    private List<String> jvmOptions = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

    @Override
    public Integer call() throws Exception {
        try (Folders folders = Folders.below(directory);
                BrokerChild full = broker.start(jvmOptions, folders.resolve("full"), 0)) {
            warmUp(full);
            long held = fill(full);
            try (BrokerChild empty = broker.start(jvmOptions, folders.resolve("empty"), 0)) {
                warmUp(empty);
                held += compare(full, empty);
            }
            if (drain) {
                drain(full, held);
            }
        }
        return 0;
    }

    private LoadPlan plan() {
        return LoadPlan.durable(QUEUE).by(1, 0, inFlight).with(new LoadPlan.Body(true, bodyBytes));
    }

    private void warmUp(BrokerChild child) throws InterruptedException {
        LoadPlan plan =
                plan().by(1, 1, inFlight).at("bench-warm-up").within(LoadPlan.Limits.ofMessages(warmUpMessages));
        LoadRun.run(child.endpoint(), plan, child.jvm().pid());
    }

    private long fill(BrokerChild child) throws InterruptedException, IOException {
        Table table = new Table("messages in the queue", "live heap MiB", "confirmed/s", "confirm p50 us", "p99 us");
        table.row(0L, child.jvm().liveHeapBytes() / MIB, "-", "-", "-");
        long held = 0;
        for (int step = 0; step < steps; step++) {
            LoadPlan plan = plan().within(LoadPlan.Limits.ofMessages(messages / steps));
            LoadResult result = LoadRun.run(child.endpoint(), plan, child.jvm().pid());
            held += result.confirmed();
            table.row(
                    held,
                    child.jvm().liveHeapBytes() / MIB,
                    result.sendRate(),
                    result.confirms().percentileMicros(50),
                    result.confirms().percentileMicros(99));
        }
        table.print(System.out, title("Backlog", Machine.describe()));
        return held;
    }

    private long compare(BrokerChild full, BrokerChild empty) throws InterruptedException {
        double[] rates = new double[2];
        long added = 0;
        Table table = new Table("round", "full broker confirmed/s", "empty broker confirmed/s");
        for (int round = 0; round < rounds; round++) {
            LoadResult onFull = turn(full, plan());
            // The empty one gets a new queue each round and a consumer afterwards, so that it stays empty.
            LoadResult onEmpty = turn(empty, plan().at(QUEUE + round));
            LoadRun.drain(empty.endpoint(), plan().at(QUEUE + round), onEmpty.confirmed(), 0);
            table.row(round, onFull.sendRate(), onEmpty.sendRate());
            rates[0] += onFull.sendRate() / rounds;
            rates[1] += onEmpty.sendRate() / rounds;
            added += onFull.confirmed();
        }
        table.row("mean", rates[0], rates[1]);
        table.print(
                System.out,
                title(
                        String.format(
                                Locale.ROOT, "Publish rate full/empty = %.2f (target >= 0.80)", rates[0] / rates[1]),
                        Machine.describe()));
        return added;
    }

    private LoadResult turn(BrokerChild child, LoadPlan plan) throws InterruptedException {
        return LoadRun.run(
                child.endpoint(),
                plan.within(LoadPlan.Limits.ofSeconds(0, seconds)),
                child.jvm().pid());
    }

    private void drain(BrokerChild child, long held) throws InterruptedException, IOException {
        LoadResult drained = LoadRun.drain(
                child.endpoint(),
                plan().within(LoadPlan.Limits.ofMessages(held).waiting(Duration.ofMinutes(20))),
                held,
                child.jvm().pid());
        Table table = new Table("received", "received/s", "server CPU us/msg", "live heap MiB");
        table.row(
                drained.received(),
                drained.receiveRate(),
                drained.cpuMicrosPerMessage(),
                child.jvm().liveHeapBytes() / MIB);
        table.print(System.out, title("Backlog received", Machine.describe()));
    }

    private String title(String what, String machine) {
        return String.format(
                Locale.ROOT,
                "%s, %s; durable messages of %d bytes, %d unconfirmed; %s",
                broker,
                what,
                bodyBytes,
                inFlight,
                machine);
    }
}
