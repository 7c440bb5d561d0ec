package io.mainstem.benchmarks.amqp;

import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench amqp}. */
@Command(name = "amqp", description = "Load over AMQP 1.0 on a broker of this machine.", showDefaultValues = true)
public final class AmqpCommand implements Callable<Integer> {
    @Option(names = "--host", description = "An address of the loopback.")
    private String host = "127.0.0.1";

    @Option(names = "--port")
    private int port = 5672;

    @Option(names = "--user", description = "For SASL PLAIN; ANONYMOUS without.")
    private @Nullable String user;

    @Option(names = "--password")
    private @Nullable String password;

    @Option(names = "--address", description = "Queue or topic.")
    private String address = "bench";

    @Option(names = "--topic", description = "The address is a topic: every consumer gets every message.")
    private boolean topic;

    @Option(names = "--producers")
    private int producers = 1;

    @Option(names = "--consumers")
    private int consumers = 1;

    @Option(names = "--in-flight", description = "Unconfirmed messages of each producer.")
    private int inFlight = 500;

    @Option(names = "--credit", description = "Of each consumer.")
    private int credit = 1000;

    @Option(names = "--transient", description = "Messages are not durable.")
    private boolean notDurable;

    @Option(names = "--bytes", description = "Of each body.")
    private int bodyBytes = 1024;

    @Option(names = "--warm-up", description = "Seconds.")
    private int warmUpSeconds = 5;

    @Option(names = "--seconds", description = "Longest time of sending.")
    private int seconds = 10;

    @Option(names = "--count", description = "Most messages to send.")
    private long countMax = 1_000_000_000;

    @Option(names = "--timeout", description = "Seconds to wait for a missing answer.")
    private int timeoutSeconds = 60;

    @Option(names = "--pid", description = "Process of the broker, for its CPU time; 0 = not known.")
    private long pid;

    @Override
    public Integer call() throws Exception {
        LoadPlan plan = new LoadPlan(
                address,
                topic,
                new LoadPlan.Clients(producers, consumers, inFlight, credit),
                new LoadPlan.Body(!notDurable, bodyBytes),
                new LoadPlan.Limits(
                        Duration.ofSeconds(warmUpSeconds),
                        Duration.ofSeconds(seconds),
                        countMax,
                        Duration.ofSeconds(timeoutSeconds)));
        LoadResult result = LoadRun.run(new Endpoint(host, port, user, password), plan, pid);
        Table table = new Table("figure", "value");
        table.row("confirmed", result.confirmed()).row("received", result.received());
        table.row("seconds", result.seconds());
        table.row("confirmed/s", result.sendRate()).row("received/s", result.receiveRate());
        for (double percent : new double[] {50, 90, 99, 99.9}) {
            table.row("confirm p" + percent + " us", result.confirms().percentileMicros(percent));
        }
        table.row("delivery p50 us", result.deliveries().percentileMicros(50));
        table.row("delivery p99 us", result.deliveries().percentileMicros(99));
        table.row("server CPU us/message", result.cpuMicrosPerMessage());
        table.row("messages/server CPU second", result.perCpuSecond());
        table.print(System.out, "AMQP 1.0 load on " + host + ":" + port + "; " + Machine.describe());
        return 0;
    }
}
