package io.mainstem.launcher.config;

import io.mainstem.routing.Spelling;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts the layers together: default, file, environment, {@code --set}, in that order of strength.
 *
 * @param file the YAML file, or null for none
 * @param environment variables; those that begin with {@code MAINSTEM_} count
 * @param assignments {@code key=value} texts, later ones override earlier ones
 */
public record ConfigSources(@Nullable Path file, Map<String, String> environment, List<String> assignments) {
    private static final String PREFIX = "MAINSTEM_";

    /** A variable so few edits away from one of ours was meant to be it. */
    private static final int TYPO_EDITS_MAX = 3;

    /** What Kubernetes puts into every container next to a service named mainstem; nobody meant them for us. */
    private static final Pattern SERVICE_LINK = Pattern.compile("MAINSTEM_(.*_)?(SERVICE_(HOST|PORT)|PORT_\\d+_).*");

    public ConfigSources {
        environment = Map.copyOf(environment);
        assignments = List.copyOf(assignments);
    }

    /**
     * Checks everything and hands it over.
     *
     * @throws ConfigException with all problems if there is any
     */
    public Settings load() {
        List<ConfigProblem> problems = new ArrayList<>();
        List<RawSetting> given = new ArrayList<>(file == null ? List.of() : ConfigFile.read(file));
        refuseRepeated(given, problems);
        given.addAll(fromEnvironment(problems));
        given.addAll(fromAssignments(problems));

        Map<String, Settings.Setting> byKey = new LinkedHashMap<>();
        for (ConfigKey<?> key : ConfigKeys.all()) {
            byKey.put(key.name(), defaultOf(key));
        }
        for (RawSetting raw : given) {
            check(raw, problems).ifPresent(setting -> byKey.put(raw.key(), setting));
        }
        if (!problems.isEmpty()) {
            throw new ConfigException(problems);
        }
        return new Settings(byKey);
    }

    private static Settings.Setting defaultOf(ConfigKey<?> key) {
        return new Settings.Setting(key, key.defaultText(), key.type().parse(key.defaultText()), Origin.DEFAULT);
    }

    private static void refuseRepeated(List<RawSetting> fromFile, List<ConfigProblem> problems) {
        Map<String, String> places = new LinkedHashMap<>();
        for (RawSetting raw : fromFile) {
            String before = places.putIfAbsent(raw.key(), raw.origin().place());
            if (before != null) {
                problems.add(new ConfigProblem(
                        "MS-0104",
                        raw.origin().place(),
                        raw.key() + " is set twice, first at " + before + ".",
                        "remove one of the two."));
            }
        }
    }

    private List<RawSetting> fromEnvironment(List<ConfigProblem> problems) {
        Map<String, ConfigKey<?>> byVariable = new TreeMap<>();
        ConfigKeys.all().forEach(key -> byVariable.put(key.environmentName(), key));
        List<RawSetting> settings = new ArrayList<>();
        new TreeMap<>(environment).forEach((variable, text) -> {
            ConfigKey<?> key = byVariable.get(variable);
            if (key != null) {
                settings.add(new RawSetting(key.name(), text, new Origin(Origin.Layer.ENVIRONMENT, variable)));
            } else if (meantForUs(variable, byVariable.keySet())) {
                problems.add(unknown(variable, "environment", Spelling.nearest(variable, byVariable.keySet())));
            }
        });
        return settings;
    }

    /**
     * The prefix alone proves nothing: scripts, tests and orchestrators have variables of their own that begin with it. A
     * variable in one of our sections, or a near miss of one of ours, is an error.
     */
    private static boolean meantForUs(String variable, Set<String> ours) {
        if (!variable.startsWith(PREFIX) || SERVICE_LINK.matcher(variable).matches()) {
            return false;
        }
        return ConfigKeys.all().stream()
                        .map(ConfigKey::section)
                        .anyMatch(section -> variable.startsWith(PREFIX + section.toUpperCase(Locale.ROOT) + "_"))
                || Spelling.nearest(variable, ours)
                        .filter(near -> Spelling.edits(variable, near) <= TYPO_EDITS_MAX)
                        .isPresent();
    }

    private List<RawSetting> fromAssignments(List<ConfigProblem> problems) {
        List<RawSetting> settings = new ArrayList<>();
        for (String assignment : assignments) {
            int equals = assignment.indexOf('=');
            if (equals <= 0) {
                problems.add(new ConfigProblem(
                        "MS-0105",
                        "--set",
                        "'" + assignment + "' is not key=value.",
                        "write it as --set amqp.port=5672, without spaces around the equals sign."));
            } else {
                settings.add(new RawSetting(
                        assignment.substring(0, equals).strip(),
                        assignment.substring(equals + 1),
                        new Origin(Origin.Layer.COMMAND_LINE, "--set")));
            }
        }
        return settings;
    }

    private static Optional<Settings.Setting> check(RawSetting raw, List<ConfigProblem> problems) {
        ConfigKey<?> key = ConfigKeys.find(raw.key()).orElse(null);
        if (key == null) {
            problems.add(unknown(raw.key(), raw.origin().place(), ConfigKeys.nearest(raw.key())));
            return Optional.empty();
        }
        try {
            Object value = key.type().parse(raw.text());
            return Optional.of(new Settings.Setting(key, raw.text(), value, raw.origin()));
        } catch (IllegalArgumentException e) {
            problems.add(new ConfigProblem(
                    "MS-0102",
                    raw.origin().place(),
                    key.name() + ": '" + raw.text() + "': " + e.getMessage() + "; expected "
                            + key.type().expected() + ".",
                    "'mainstem config explain " + key.name() + "' tells what it means; the default is "
                            + key.defaultText() + "."));
            return Optional.empty();
        }
    }

    private static ConfigProblem unknown(String name, String place, Optional<String> nearest) {
        String meant = nearest.map(word -> " Nearest: " + word + ".").orElse("");
        return new ConfigProblem(
                "MS-0101",
                place,
                "unknown key '" + name + "'." + meant,
                nearest.map(word -> "write " + word + ", or remove it;").orElse("remove it;")
                        + " 'mainstem config show' lists all keys.");
    }
}
