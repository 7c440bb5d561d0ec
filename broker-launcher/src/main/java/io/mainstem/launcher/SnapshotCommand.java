package io.mainstem.launcher;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.mainstem.launcher.config.BrokerConfig;
import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.lifecycle.StartFailure;
import io.mainstem.launcher.lifecycle.StoreStart;
import io.mainstem.store.StoreConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstem snapshot}. */
@Command(
        name = "snapshot",
        synopsisSubcommandLabel = "COMMAND",
        description = "Makes, checks and restores copies of a broker's data, also while it runs.",
        footer = {
            "%nExamples:",
            "  mainstem snapshot create /backup/monday --data /var/lib/mainstem",
            "  mainstem snapshot verify /backup/monday",
            "  mainstem snapshot restore /backup/monday --data /var/lib/mainstem-2"
        })
final class SnapshotCommand {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Command(
            description = {
                "Makes a snapshot: of a running broker by asking it, which goes on working meanwhile; else by copying.",
                "Sealed files are shared with a running broker's data where snapshot and data are on one file system, so"
                        + " copy the snapshot elsewhere to be safe from the disk."
            },
            footer =
                    "%nExit code 0 if it is whole, 73 if the folder cannot be used, 74 if the broker could not make it.")
    int create(
            @Mixin ConfigOptions options,
            @Parameters(paramLabel = "FOLDER", description = "New or empty.") Path folder,
            @Option(
                            names = "--timeout",
                            paramLabel = "SECONDS",
                            defaultValue = "3600",
                            description = "Waits so long for a running broker.")
                    long timeout,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "table",
                            description = "table or json")
                    StoreCommand.Output output) {
        BrokerConfig config = BrokerConfig.of(options.load());
        Path data = Objects.requireNonNull(
                config.store().directory().toAbsolutePath().getParent());
        SnapshotFolder snapshot = new SnapshotFolder(folder.toAbsolutePath().normalize());
        snapshot.requireEmpty();
        try {
            StoreStart.exclusively(config.store(), () -> {
                snapshot.copyStore(config.store().directory());
                return true;
            });
        } catch (StartFailure e) {
            if (e.exitCode() != ExitCode.IN_USE) {
                throw e;
            }
            new RunningBrokerSnapshot(data, config.store(), spec.commandLine().getErr()).make(snapshot.path(), timeout);
        }
        snapshot.complete(data);
        print(output, "snapshot", snapshot.path(), " is whole");
        return ExitCode.OK.number();
    }

    private static StartFailure failed(String reason) {
        return RunningBrokerSnapshot.failed(reason);
    }

    @Command(
            description = "Reads a whole snapshot and checks every checksum.",
            footer = "%nExit code 0 if it is whole and sound, 78 if not.")
    int verify(
            @Mixin ConfigOptions options,
            @Parameters(paramLabel = "FOLDER") Path folder,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "table",
                            description = "table or json")
                    StoreCommand.Output output) {
        SnapshotFolder snapshot = new SnapshotFolder(folder.toAbsolutePath().normalize());
        List<String> problems = snapshot.problems();
        StoreConfig store = BrokerConfig.of(options.load()).store().in(snapshot.store());
        StoreCheck check = StoreCheck.of(store, spec.commandLine().getErr()).with(problems);
        if (output == StoreCommand.Output.JSON) {
            spec.commandLine().getOut().println(check.json());
        } else {
            check.print(spec.commandLine().getOut());
        }
        return (check.sound() ? ExitCode.OK : ExitCode.REFUSED).number();
    }

    @Command(
            description =
                    "Copies a snapshot into a data folder without a store; users.yaml, too, if there is none yet.",
            footer = "%nExit code 0 if it is done, 73 if a store is there already, 78 if the snapshot is not whole.")
    int restore(
            @Mixin ConfigOptions options,
            @Parameters(paramLabel = "FOLDER") Path folder,
            @Option(
                            names = {"-o", "--output"},
                            defaultValue = "table",
                            description = "table or json")
                    StoreCommand.Output output) {
        BrokerConfig config = BrokerConfig.of(options.load());
        Path data = Objects.requireNonNull(
                config.store().directory().toAbsolutePath().getParent());
        SnapshotFolder snapshot = new SnapshotFolder(folder.toAbsolutePath().normalize());
        List<String> problems = snapshot.problems();
        if (!problems.isEmpty()) {
            problems.forEach(line -> spec.commandLine().getErr().println("DAMAGE      " + line));
            return ExitCode.REFUSED.number();
        }
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw failed("the data folder " + data + " cannot be made: " + e);
        }
        snapshot.restoreTo(data);
        print(output, "restored to", data, "");
        return ExitCode.OK.number();
    }

    /** What has been done: one object with the folder, or a line for people. */
    private void print(StoreCommand.Output output, String done, Path folder, String more) {
        String line = output == StoreCommand.Output.JSON
                ? JsonNodeFactory.instance
                        .objectNode()
                        .put("folder", folder.toString())
                        .toString()
                : done + " " + folder + more;
        spec.commandLine().getOut().println(line);
    }
}
