package io.mainstem.benchmarks.scale;

import io.mainstem.benchmarks.amqp.LoadPlan;
import io.mainstem.benchmarks.amqp.LoadRun;
import io.mainstem.benchmarks.amqp.QueueFiller;
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

/** {@code bench queues}. */
@Command(
        name = "queues",
        description = "Many queues: heap they take, and how long the broker needs after kill -9.",
        showDefaultValues = true)
public final class QueuesCommand implements Callable<Integer> {
    private static final String PREFIX = "bench-queue-";
    private static final double MIB = 1 << 20;
    private static final int CHECKED = 50;

    @Option(names = "--broker", description = "Which: ${COMPLETION-CANDIDATES}.")
    private BrokerKind broker = BrokerKind.MAINSTEM;

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--queues")
    private int queues = 100_000;

    @Option(names = "--messages", description = "Of each queue.")
    private int messagesEach = 10;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 100;

    @Option(names = "--restarts")
    private int restarts = 3;

    @Option(names = "--jvm", split = " ", description = "Options of the broker's JVM.")
    private List<String> jvmOptions = List.of("-Xms64m", "-Xmx1g", "-XX:+UseG1GC");

    private double heapBefore;

    @Override
    public Integer call() throws Exception {
        Table table = new Table("figure", "value", "target");
        try (Folders folders = Folders.below(directory)) {
            Path data = folders.resolve("data");
            fill(data, table);
            for (int restart = 1; restart <= restarts; restart++) {
                restart(data, restart, table);
            }
        }
        table.print(
                System.out,
                String.format(
                        "%s: %,d queues x %d durable messages of %d bytes; %s",
                        broker, queues, messagesEach, bodyBytes, Machine.describe()));
        return 0;
    }

    private void fill(Path data, Table table) throws IOException, InterruptedException {
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            QueueFiller.fill(child.endpoint(), "bench-warm-up-", 10, messagesEach, bodyBytes);
            double before = child.jvm().liveHeapBytes() / MIB;
            long begin = System.nanoTime();
            QueueFiller.fill(child.endpoint(), PREFIX, queues, messagesEach, bodyBytes);
            double seconds = (System.nanoTime() - begin) / 1e9;
            double after = child.jvm().liveHeapBytes() / MIB;
            table.row("queues filled/s", queues / seconds, "-");
            table.row("live heap before, MiB", before, "-");
            table.row("live heap with all queues and cached messages, MiB", after, "-");
            heapBefore = before;
            child.jvm().kill();
        }
    }

    private void restart(Path data, int restart, Table table) throws IOException, InterruptedException {
        try (BrokerChild child = broker.start(jvmOptions, data, 0)) {
            String start = "start " + restart + " after kill -9: ";
            table.row(start + "seconds to ready", child.jvm().readySeconds(), "< 5");
            table.row(
                    start + "CPU seconds to ready",
                    ProcessCpu.seconds(child.jvm().pid()),
                    "-");
            // No message is in memory now: what is more than in an empty broker is the queues' own state.
            table.row(start + "heap of queue state, MiB", child.jvm().liveHeapBytes() / MIB - heapBefore, "< 150");
            if (restart == restarts) {
                table.row("messages found in " + CHECKED + " of the queues", countSome(child), CHECKED * messagesEach);
            }
            child.jvm().kill();
        }
    }

    private long countSome(BrokerChild child) throws InterruptedException {
        long found = 0;
        for (int i = 0; i < CHECKED; i++) {
            String queue = QueueFiller.name(PREFIX, (int) ((long) i * (queues - 1) / (CHECKED - 1)));
            found += LoadRun.drain(child.endpoint(), LoadPlan.durable(queue), messagesEach, 0)
                    .received();
        }
        return found;
    }
}
