package io.mainstem.launcher;

import io.mainstem.launcher.config.ConfigKey;
import io.mainstem.launcher.config.ConfigKeys;
import io.mainstem.launcher.config.ConfigSchema;
import io.mainstem.launcher.config.Settings;
import io.mainstem.launcher.lifecycle.ExitCode;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code mainstem config}: what can be set, what is set, and by whom. */
@Command(name = "config", synopsisSubcommandLabel = "COMMAND", description = "Explains and shows the configuration.")
final class ConfigCommand {
    @Spec
    @SuppressWarnings("NullAway.Init") // Set by picocli.
    private CommandSpec spec;

    @Command(
            description = "Prints type, default, range, meaning and environment name of one key.",
            footer = {"%nExample:", "  mainstem config explain store.segment-bytes"})
    int explain(@Parameters(paramLabel = "KEY", description = "Such as amqp.port.") String name) {
        Optional<ConfigKey<?>> known = ConfigKeys.find(name);
        if (known.isEmpty()) {
            String meant = ConfigKeys.nearest(name)
                    .map(near -> " Nearest: " + near + ".")
                    .orElse("");
            throw new ParameterException(
                    spec.commandLine(),
                    "unknown key '" + name + "'." + meant + " 'mainstem config show' lists all keys.");
        }
        ConfigKey<?> key = known.get();
        PrintWriter out = spec.commandLine().getOut();
        out.println(key.name());
        out.println("  type         " + key.type().noun());
        out.println("  default      " + key.defaultText());
        out.println("  allowed      " + key.type().expected());
        out.println("  environment  " + key.environmentName());
        out.println("  meaning      " + key.meaning());
        return ExitCode.OK.number();
    }

    @Command(
            description = "Prints every key with the value it has for the given file, environment and options.",
            footer = {"%nExample:", "  mainstem config show --origin --set amqp.port=0"})
    int show(
            @Mixin ConfigOptions options,
            @Option(names = "--origin", description = "Adds where each value came from.") boolean origin) {
        Settings settings = options.load();
        int width = ConfigKeys.all().stream()
                .map(settings::setting)
                .mapToInt(setting -> line(setting).length())
                .max()
                .orElse(1);
        for (ConfigKey<?> key : ConfigKeys.all()) {
            Settings.Setting setting = settings.setting(key);
            String line = line(setting);
            String shown = origin
                    ? String.format(
                            Locale.ROOT,
                            "%-" + width + "s  # %s",
                            line,
                            setting.origin().place())
                    : line;
            spec.commandLine().getOut().println(shown);
        }
        return ExitCode.OK.number();
    }

    @Command(
            description = "Prints the JSON schema of the configuration file.",
            footer = {"%nExample:", "  mainstem config schema > etc/mainstem.schema.json"})
    int schema() {
        spec.commandLine().getOut().print(ConfigSchema.text());
        spec.commandLine().getOut().flush();
        return ExitCode.OK.number();
    }

    private static String line(Settings.Setting setting) {
        return setting.key().name() + ": " + setting.text();
    }
}
