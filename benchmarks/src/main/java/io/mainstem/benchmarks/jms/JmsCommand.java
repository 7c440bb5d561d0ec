package io.mainstem.benchmarks.jms;

import io.mainstem.benchmarks.measure.Folders;
import io.mainstem.benchmarks.measure.Machine;
import io.mainstem.benchmarks.measure.Table;
import io.mainstem.benchmarks.peers.BrokerChild;
import io.mainstem.benchmarks.peers.BrokerKind;
import io.mainstem.jms.MainstemConnectionFactory;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
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

    @Option(names = "--warm-up", description = "Seconds before the first turn of a scenario; 2 before others.")
    private int warmUpSeconds = 8;

    @Option(names = "--seconds", description = "Measured seconds of each turn.")
    private int seconds = 5;

    @Option(names = "--jvm", split = " ", description = "Options of both brokers' JVMs.")
    private List<String> jvmOptions = List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC");

    @Override
    public Integer call() throws Exception {
        Map<BrokerKind, BrokerChild> brokers = new EnumMap<>(BrokerKind.class);
        try (Folders folders = Folders.below(directory)) {
            try {
                for (BrokerKind kind : wanted) {
                    brokers.put(kind, kind.start(jvmOptions, folders.resolve(kind.toString()), BUFFER_TIMEOUT_NANOS));
                }
                for (JmsScenario scenario : scenarios) {
                    measure(scenario, brokers);
                }
            } finally {
                brokers.values().forEach(BrokerChild::close);
            }
        }
        return 0;
    }

    private void measure(JmsScenario scenario, Map<BrokerKind, BrokerChild> brokers)
            throws JMSException, InterruptedException {
        Map<BrokerKind, List<JmsLoad.Result>> results = new EnumMap<>(BrokerKind.class);
        for (int round = 0; round < rounds; round++) {
            for (BrokerChild broker : brokers.values()) {
                JmsLoad.Result result = turn(scenario, broker, round);
                results.computeIfAbsent(broker.kind(), none -> new ArrayList<>())
                        .add(result);
                System.out.printf(
                        "# %s %s round %d: %,.0f received/s, %,.0f per CPU second%n",
                        scenario,
                        broker.kind(),
                        round,
                        result.received() / result.seconds(),
                        result.received() / (result.serverCpu() + result.clientCpu()));
            }
        }
        print(scenario, results);
    }

    private JmsLoad.Result turn(JmsScenario scenario, BrokerChild broker, int round)
            throws JMSException, InterruptedException {
        try (JmsLoad load = new JmsLoad(factory(broker), scenario, "bench-" + scenario)) {
            return load.run(
                    round == 0 ? warmUpSeconds : 2, seconds, broker.jvm().pid());
        }
    }

    private static ConnectionFactory factory(BrokerChild broker) {
        int port = broker.endpoint().port();
        return broker.kind() == BrokerKind.MAINSTEM
                ? new MainstemConnectionFactory("amqp://127.0.0.1:" + port)
                : new ActiveMQConnectionFactory("tcp://127.0.0.1:" + port);
    }

    private static void print(JmsScenario scenario, Map<BrokerKind, List<JmsLoad.Result>> results) {
        Table table = new Table(
                "broker and its client",
                "received/s",
                "msgs/CPU s, client + server",
                "msgs/server CPU s",
                "msgs/client CPU s",
                "msgs/CPU s without JIT",
                "wake-ups/msg",
                "of rounds");
        results.forEach((kind, rounds) -> {
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
                    kind,
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
