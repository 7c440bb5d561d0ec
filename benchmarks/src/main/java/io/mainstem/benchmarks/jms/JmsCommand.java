package io.mainstem.benchmarks.jms;

import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import io.mainstem.benchmarks.peers.BrokerChild;
import io.mainstem.benchmarks.peers.BrokerKind;
import io.mainstem.jms.MainstemConnectionFactory;
import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bench jms}. */
@Command(
        name = "jms",
        description = "This provider on this broker beside Artemis' own client on Artemis, in turns, in one run.",
        showDefaultValues = true)
public final class JmsCommand implements Callable<Integer> {
    /** Of Artemis' journal; what 'artemis create' finds on a disk like this one. */
    private static final long BUFFER_TIMEOUT_NANOS = 200_000;

    @Option(names = "--dir", description = "Folder on the disk to use.")
    private Path directory = Path.of("target", "bench");

    @Option(names = "--brokers", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<BrokerKind> wanted = List.of(BrokerKind.values());

    @Option(names = "--scenarios", split = ",", description = "Which: ${COMPLETION-CANDIDATES}.")
    private List<JmsScenario> scenarios = List.of(JmsScenario.values());

    @Option(names = "--rounds", description = "Turns of each broker and scenario.")
    private int rounds = 2;

    @Option(
            names = "--warm-up",
            description = "Seconds of each broker in each scenario before anything is measured; 2 before every turn.")
    private int warmUpSeconds = 8;

    @Option(names = "--seconds", description = "Measured seconds of each turn.")
    private int seconds = 5;

    @Option(names = "--jvm", split = " ", description = "Options of both brokers' JVMs.")
    private List<String> jvmOptions = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

    @Option(names = "--vm", description = "Also this broker in the JVM of its clients, over vm://.")
    private boolean vm;

    @Override
    public Integer call() throws Exception {
        List<AutoCloseable> running = new ArrayList<>();
        try (Folders folders = Folders.below(directory)) {
            try {
                List<Contestant> contestants = new ArrayList<>();
                for (BrokerKind kind : wanted) {
                    BrokerChild broker = kind.start(jvmOptions, folders.resolve(kind.toString()), BUFFER_TIMEOUT_NANOS);
                    running.add(broker);
                    contestants.add(new Contestant(
                            kind.toString(), factory(broker), broker.jvm().pid()));
                }
                if (vm) {
                    EmbeddedBroker broker = EmbeddedBroker.builder()
                            .dataDirectory(folders.resolve("vm"))
                            .start();
                    running.add(broker);
                    contestants.add(new Contestant(
                            "mainstem, vm",
                            new MainstemConnectionFactory(broker.vmUri().toString()),
                            JmsLoad.SAME_PROCESS));
                }
                for (JmsScenario scenario : scenarios) {
                    warmUp(scenario, contestants);
                }
                System.out.println("# warmed up");
                for (JmsScenario scenario : scenarios) {
                    measure(scenario, contestants);
                }
            } finally {
                for (AutoCloseable broker : running) {
                    broker.close();
                }
            }
        }
        return 0;
    }

    /**
     * A broker with its client.
     *
     * @param serverPid the broker's process
     */
    private record Contestant(String name, ConnectionFactory factory, long serverPid) {}

    /** All are warmed up before one is measured: clients share code, and what compilers still do would be in the figures. */
    private void warmUp(JmsScenario scenario, List<Contestant> contestants) throws JMSException, InterruptedException {
        for (Contestant contestant : contestants) {
            turn(scenario, contestant, warmUpSeconds, 0);
        }
    }

    /** Who comes first changes from round to round. */
    private void measure(JmsScenario scenario, List<Contestant> contestants) throws JMSException, InterruptedException {
        Map<String, List<JmsLoad.Result>> results = new LinkedHashMap<>();
        for (int round = 0; round < rounds; round++) {
            List<Contestant> order = new ArrayList<>(contestants);
            Collections.rotate(order, round);
            for (Contestant contestant : order) {
                JmsLoad.Result result = turn(scenario, contestant, 2, seconds);
                results.computeIfAbsent(contestant.name(), none -> new ArrayList<>())
                        .add(result);
                System.out.printf(
                        "# %s %s round %d: %,.0f received/s, %,.0f per CPU second%n",
                        scenario,
                        contestant.name(),
                        round,
                        result.received() / result.seconds(),
                        result.received() / (result.serverCpu() + result.clientCpu()));
            }
        }
        print(scenario, results);
    }

    private static JmsLoad.Result turn(JmsScenario scenario, Contestant contestant, double warmUp, double seconds)
            throws JMSException, InterruptedException {
        try (JmsLoad load = new JmsLoad(contestant.factory(), scenario, "bench-" + scenario)) {
            return load.run(warmUp, seconds, contestant.serverPid());
        }
    }

    private static ConnectionFactory factory(BrokerChild broker) {
        int port = broker.endpoint().port();
        return broker.kind() == BrokerKind.MAINSTEM
                ? new MainstemConnectionFactory("amqp://127.0.0.1:" + port)
                : new ActiveMQConnectionFactory("tcp://127.0.0.1:" + port);
    }

    private static void print(JmsScenario scenario, Map<String, List<JmsLoad.Result>> results) {
        Table table = new Table(
                "broker and its client",
                "received/s",
                "msgs/CPU s, client + server",
                "msgs/server CPU s",
                "msgs/client CPU s",
                "msgs/CPU s without JIT",
                "wake-ups/msg",
                "of rounds");
        results.forEach((name, rounds) -> {
            double received =
                    rounds.stream().mapToLong(JmsLoad.Result::received).sum();
            double seconds =
                    rounds.stream().mapToDouble(JmsLoad.Result::seconds).sum();
            double server =
                    rounds.stream().mapToDouble(JmsLoad.Result::serverCpu).sum();
            double client =
                    rounds.stream().mapToDouble(JmsLoad.Result::clientCpu).sum();
            double compilers =
                    rounds.stream().mapToDouble(JmsLoad.Result::compilers).sum();
            double wakeUps =
                    rounds.stream().mapToDouble(JmsLoad.Result::wakeUps).sum();
            StringBuilder each = new StringBuilder();
            rounds.forEach(
                    result -> each.append(String.format(Locale.ROOT, "%,.0f ", result.received() / result.seconds())));
            table.row(
                    name,
                    received / seconds,
                    received / (server + client),
                    received / server,
                    received / client,
                    received / (server + client - compilers),
                    String.format(Locale.ROOT, "%.2f", wakeUps / received),
                    each.toString().trim());
        });
        table.print(System.out, scenario + ": " + scenario.description() + "; " + Machine.describe());
    }
}
