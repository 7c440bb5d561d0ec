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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench catchup}. */
@Command(
        name = "catchup",
        description = "A slow subscriber catches up from disk while another queue runs at full rate.",
        showDefaultValues = true)
public final class CatchUpCommand implements Callable<Integer> {
    private static final double GIB = 1 << 30;
    private static final String DEEP = "bench-deep";
    private static final String FLOW = "bench-flow";

    @Option(names = "--brokers", split = ",", description = "Which, one after the other: ${COMPLETION-CANDIDATES}.")
    private List<BrokerKind> brokers = List.of(BrokerKind.values());

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--gib", description = "That the slow subscriber has to read.")
    private double gib = 5;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 1024;

    @Option(names = "--rounds", description = "Turns of the full-rate queue alone and beside the reader.")
    private int rounds = 10;

    @Option(names = "--seconds", description = "Of each turn alone; beside, as long as a part of the reading takes.")
    private int seconds = 5;

    @Option(names = "--in-flight", description = "Unconfirmed messages.")
    private int inFlight = 500;

    @Option(names = "--jvm", split = " ", description = "Options of the broker's JVM.")
    private List<String> jvmOptions = List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC");

    private final ExecutorService reader = Executors.newSingleThreadExecutor();

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
        } finally {
            reader.shutdownNow();
        }
        return all ? 0 : 1;
    }

    private void measure(BrokerKind broker, Path data) throws IOException, InterruptedException, ExecutionException {
        Latencies alone = new Latencies();
        Latencies beside = new Latencies();
        Table table = new Table("turn", "alone/s", "alone p99 us", "beside/s", "beside p99 us", "read/s meanwhile");
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            flow(child, new Latencies());
            fill(child);
            for (int round = 1; round <= rounds; round++) {
                LoadResult first = flow(child, alone);
                Future<LoadResult> reading = reader.submit(() -> read(child));
                Latencies meanwhile = new Latencies();
                double rate = 0;
                int turns = 0;
                do {
                    rate += flow(child, meanwhile).sendRate();
                    turns++;
                } while (!reading.isDone());
                beside.add(meanwhile);
                table.row(
                        round,
                        first.sendRate(),
                        first.confirms().percentileMicros(99),
                        rate / turns,
                        meanwhile.percentileMicros(99),
                        reading.get().receiveRate());
            }
        }
        table.row("all", "-", alone.percentileMicros(99), "-", beside.percentileMicros(99), "-");
        table.print(
                System.out,
                String.format(
                        Locale.ROOT,
                        "%s: catching up %.1f GiB; p99 of the others beside/alone = %.2f (target <= 2); %s",
                        broker,
                        gib,
                        beside.percentileMicros(99) / alone.percentileMicros(99),
                        Machine.describe()));
    }

    private long messages() {
        return (long) (gib * GIB / bodyBytes);
    }

    private LoadPlan plan(String queue) {
        return LoadPlan.durable(queue).with(new LoadPlan.Body(true, bodyBytes));
    }

    private void fill(BrokerChild child) throws InterruptedException {
        LoadPlan plan = plan(DEEP).by(1, 0, 2000).within(LoadPlan.Limits.ofMessages(messages()));
        LoadRun.run(child.endpoint(), plan, 0);
    }

    private LoadResult flow(BrokerChild child, Latencies into) throws InterruptedException {
        LoadPlan plan = plan(FLOW).by(1, 1, inFlight).within(LoadPlan.Limits.ofSeconds(0, seconds));
        LoadResult result = LoadRun.run(child.endpoint(), plan, 0);
        into.add(result.confirms());
        return result;
    }

    private LoadResult read(BrokerChild child) throws InterruptedException {
        LoadPlan plan = plan(DEEP).within(LoadPlan.Limits.ofMessages(1).waiting(Duration.ofHours(1)));
        // A little less than a share each time: what is on its way at the end of a part comes again.
        return LoadRun.drain(child.endpoint(), plan, messages() / rounds * 95 / 100, 0);
    }
}
