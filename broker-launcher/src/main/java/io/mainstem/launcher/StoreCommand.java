package io.mainstem.launcher;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mainstem.launcher.config.BrokerConfig;
import io.mainstem.launcher.lifecycle.ExitCode;
import io.mainstem.launcher.lifecycle.StoreStart;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.LogInspector;
import io.mainstem.store.segment.LogInspector.Damage;
import io.mainstem.store.segment.LogInspector.Summary;
import io.mainstem.store.shard.StateVerification;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code mainstem store}: looks at what is on disk and changes nothing. */
@Command(
        name = "store",
        synopsisSubcommandLabel = "COMMAND",
        description = "Looks at the store of a broker that does not run; changes nothing.")
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
        StoreFiles files = new NioFiles();
        List<Damage> damages = new ArrayList<>();
        Summary log = StoreStart.reading(
                config,
                () -> LogInspector.inspect(files, config.directory(), new LogInspector.Findings() {
                    @Override
                    public void damage(Damage damage) {
                        damages.add(damage);
                    }
                }));
        StateVerification.Report state = StoreStart.reading(config, () -> StateVerification.run(config, files));
        boolean sound = log.durableDamages() == 0 && state.problems().isEmpty();
        if (output == Output.JSON) {
            out().println(json(log, damages, state, sound));
        } else {
            print(log, damages, state, sound);
        }
        return (sound ? ExitCode.OK : ExitCode.REFUSED).number();
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
        Summary log =
                StoreStart.reading(config, () -> LogInspector.inspect(new NioFiles(), config.directory(), printer));
        out().flush();
        return (log.durableDamages() == 0 ? ExitCode.OK : ExitCode.REFUSED).number();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private void print(Summary log, List<Damage> damages, StateVerification.Report state, boolean sound) {
        out().println("log         " + log.startLsn() + " to " + log.tailLsn() + ", durable at least to "
                + log.vouchedLsn() + "; " + log.segments() + " segments, " + log.batches() + " batches, "
                + log.records() + " records");
        state.checked().forEach(line -> out().println("checkpoint  " + line));
        for (Damage damage : damages) {
            out().println((damage.durable() ? "DAMAGE      " : "torn tail   ") + damage.file() + " from " + damage.lsn()
                    + " to " + damage.untilLsn() + ": " + damage.what()
                    + (damage.durable() ? "" : "; was never confirmed, the next start cuts it"));
        }
        state.problems().forEach(line -> out().println("DAMAGE      " + line));
        out().println(sound ? "result      sound" : "result      damaged: restore the named files from a copy");
    }

    private static String json(Summary log, List<Damage> damages, StateVerification.Report state, boolean sound) {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        root.put("sound", sound);
        root.putObject("log")
                .put("startLsn", log.startLsn())
                .put("tailLsn", log.tailLsn())
                .put("vouchedLsn", log.vouchedLsn())
                .put("segments", log.segments())
                .put("batches", log.batches())
                .put("records", log.records());
        ArrayNode found = root.putArray("damages");
        for (Damage damage : damages) {
            found.addObject()
                    .put("file", damage.file())
                    .put("lsn", damage.lsn())
                    .put("untilLsn", damage.untilLsn())
                    .put("what", damage.what())
                    .put("durable", damage.durable());
        }
        ArrayNode checkpoints = root.putArray("checkpoints");
        state.checked().forEach(checkpoints::add);
        ArrayNode problems = root.putArray("problems");
        state.problems().forEach(problems::add);
        return root.toString();
    }
}
