package io.mainstem.benchmarks;

import io.mainstem.benchmarks.amqp.AmqpCommand;
import io.mainstem.benchmarks.disk.DiskCommand;
import io.mainstem.benchmarks.jms.JmsCommand;
import io.mainstem.benchmarks.mqtt.ConnectionsCommand;
import io.mainstem.benchmarks.mqtt.MqttCommand;
import io.mainstem.benchmarks.peers.PeersCommand;
import io.mainstem.benchmarks.scale.BacklogCommand;
import io.mainstem.benchmarks.scale.CatchUpCommand;
import io.mainstem.benchmarks.scale.CompactionCommand;
import io.mainstem.benchmarks.scale.DelayCommand;
import io.mainstem.benchmarks.scale.PausesCommand;
import io.mainstem.benchmarks.scale.QueuesCommand;
import io.mainstem.benchmarks.scale.RestartCommand;
import io.mainstem.benchmarks.scale.SelectorCommand;
import io.mainstem.benchmarks.scale.SpoolCommand;
import io.mainstem.benchmarks.store.JmhCommand;
import io.mainstem.benchmarks.store.StoreCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The {@code bench} command: every benchmark is a command of it that prints a table. */
@Command(
        name = "bench",
        description = "Measures this broker, its store, its disk and its peers.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DiskCommand.class,
            StoreCommand.class,
            JmhCommand.class,
            AmqpCommand.class,
            PeersCommand.class,
            QueuesCommand.class,
            BacklogCommand.class,
            SpoolCommand.class,
            SelectorCommand.class,
            DelayCommand.class,
            CompactionCommand.class,
            RestartCommand.class,
            CatchUpCommand.class,
            PausesCommand.class,
            JmsCommand.class,
            MqttCommand.class,
            ConnectionsCommand.class,
            HelpCommand.class
        })
public final class Bench {
    private Bench() {}

    public static void main(String[] arguments) {
        CommandLine command = new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setUsageHelpAutoWidth(true);
        System.exit(command.execute(arguments));
    }
}
