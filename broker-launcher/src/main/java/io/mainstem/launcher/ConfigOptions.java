package io.mainstem.launcher;

import io.mainstem.launcher.config.ConfigKeys;
import io.mainstem.launcher.config.ConfigSources;
import io.mainstem.launcher.config.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that every command takes that reads the configuration. */
final class ConfigOptions {
    /** Folder of the installation; set by the wrapper script. */
    private static final String HOME = "mainstem.home";

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "YAML file to read; default etc/mainstem.yaml of the installation, if it exists.")
    private @Nullable Path file;

    @Option(
            names = {"-d", "--data"},
            paramLabel = "DIR",
            description = "Data folder, created if missing; default ./data. Same as --set data.directory=DIR.")
    private @Nullable Path data;

    @Option(
            names = {"-s", "--set"},
            paramLabel = "KEY=VALUE",
            description = "Sets one configuration key; may be repeated, the last one wins.")
    private List<String> assignments = List.of();

    /** @throws io.mainstem.launcher.config.ConfigException if anything is wrong */
    Settings load() {
        List<String> all = new ArrayList<>(assignments);
        if (data != null) {
            all.add(ConfigKeys.DATA_DIRECTORY.name() + "=" + data);
        }
        return new ConfigSources(file == null ? defaultFile() : file, System.getenv(), all).load();
    }

    private static @Nullable Path defaultFile() {
        Path standard = Path.of(System.getProperty(HOME, "")).resolve("etc").resolve("mainstem.yaml");
        return Files.exists(standard) ? standard : null;
    }
}
