package io.mainstem.launcher;

import io.mainstem.launcher.config.BrokerConfig;
import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.lifecycle.StoreStart;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.LogInspector;
import io.mainstem.store.segment.LogInspector.Summary;
import io.mainstem.store.shard.Salvage;
import io.mainstem.store.shard.StoreStats;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mainstem store}: looks at what is on disk and changes nothing there. */
@Command(
        name = "store",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at the store of a broker that does not run; changes nothing in it.")
final class StoreCommand {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    /** How results are printed. */
    enum Output {
        TABLE,
        JSON
    }

    @Command(
            description = "Reads the log, the checkpoints and the consume queues, and checks every checksum.",
            footer = {
                "%nExit code 0 if all that was ever promised is sound, 78 if not.",
                "%nExample:",
                "  mainstem store verify --data /var/lib/mainstem"
            })
    int verify(
            @Mixin ConfigOptions options,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "table",
                            description = "table or json")
                    Output output) {
        StoreConfig config = BrokerConfig.of(options.load()).store();
        StoreCheck check = StoreStart.exclusively(
                config, () -> StoreCheck.of(config, spec.commandLine().getErr()));
        if (output == Output.JSON) {
            out().println(check.json());
        } else {
            check.print(out());
        }
        return (check.sound() ? ExitCode.OK : ExitCode.REFUSED).number();
    }

    @Command(
            description = "Tells how much of what is in the store, as its newest checkpoint has it.",
            footer = {"%nExample:", "  mainstem store stats --data /var/lib/mainstem --lanes 5"})
    int stats(
            @Mixin ConfigOptions options,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "table",
                            description = "table or json")
                    Output output,
            @Option(
                            names = "--lanes",
                            paramLabel = "N",
                            defaultValue = "10",
                            description = "Names so many of the lanes with most bytes.")
                    int lanes) {
        StoreConfig config = BrokerConfig.of(options.load()).store();
        StoreStats stats = StoreStart.exclusively(
                config, () -> StoreStart.reading(config, () -> StoreStats.of(config, new NioFiles(), lanes)));
        StatsPrinter printer = new StatsPrinter(stats);
        if (output == Output.JSON) {
            out().println(printer.json());
        } else {
            printer.print(out());
        }
        return ExitCode.OK.number();
    }

    @Command(
            description = "Prints the records of the log, one a line.",
            footer = {
                "%nExamples:",
                "  mainstem store dump --data /var/lib/mainstem",
                "  mainstem store dump --from 1048576 --limit 20 -o json"
            })
    int dump(
            @Mixin ConfigOptions options,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "table",
                            description = "table, or json: one object a line")
                    Output output,
            @Option(
                            names = "--from",
                            paramLabel = "LSN",
                            defaultValue = "0",
                            description = "Leaves out records before it.")
                    long from,
            @Option(
                            names = "--limit",
                            paramLabel = "N",
                            defaultValue = "9223372036854775807",
                            description = "Prints at most so many.")
                    long limit) {
        StoreConfig config = BrokerConfig.of(options.load()).store();
        RecordPrinter printer = new RecordPrinter(out(), output == Output.JSON, from, limit);
        StoreFiles files = new NioFiles();
        Summary log = StoreStart.reading(
                config,
                () -> LogInspector.inspect(files, config.directory(), Checkpoints.replayLsn(config, files), printer));
        out().flush();
        return (log.durableDamages() == 0 ? ExitCode.OK : ExitCode.REFUSED).number();
    }

    @Command(
            description = "Makes a new store, in another folder, of what can be read of a damaged one.",
            footer = {
                "%nNothing in the old folder is changed. Files beside the store, such as users.yaml, are to be copied.",
                "%nExit code 0 if nothing is missing, 65 if the new store is there and something is lost, 78 if there is"
                        + " no new store.",
                "%nExample:",
                "  mainstem store salvage --data /var/lib/mainstem --to /var/lib/mainstem-new"
            })
    int salvage(
            @Mixin ConfigOptions options,
            @Option(
                            names = "--to",
                            paramLabel = "DIR",
                            required = true,
                            description = "The new data folder; new or empty.")
                    Path to,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "table",
                            description = "table or json")
                    Output output) {
        StoreConfig config = BrokerConfig.of(options.load()).store();
        Path target = to.resolve("store");
        PrintWriter err = spec.commandLine().getErr();
        SalvageReport made = new SalvageReport(
                target,
                StoreStart.exclusively(
                        config,
                        () -> StoreStart.reading(
                                config, () -> Salvage.run(config, target, new NioFiles(), err::println))));
        if (output == Output.JSON) {
            out().println(made.json());
        } else {
            made.print(out());
        }
        return (made.complete() ? ExitCode.OK : ExitCode.REQUEST_REFUSED).number();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
