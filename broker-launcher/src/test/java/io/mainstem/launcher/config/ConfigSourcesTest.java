package io.mainstem.launcher.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigSourcesTest {
    @TempDir
    Path folder;

    @Test
    void everyKeyHasItsDefaultWhenNobodySetsIt() {
        Settings settings = load(null, Map.of());

        assertThat(settings.get(ConfigKeys.AMQP_PORT)).isEqualTo(5672);
        assertThat(settings.get(ConfigKeys.STORE_SEGMENT_BYTES)).isEqualTo(256L << 20);
        assertThat(settings.get(ConfigKeys.STORE_CHECKPOINT_INTERVAL)).isEqualTo(30_000);
        assertThat(settings.setting(ConfigKeys.AMQP_PORT).origin().layer()).isEqualTo(Origin.Layer.DEFAULT);
    }

    @Test
    void laterLayersWinAndEachValueKnowsWhereItCameFrom() throws IOException {
        Path file = file("amqp:\n  port: 1\n  host: localhost\nstore.read-threads: 3\nlog:\n  level: warn\n");
        Map<String, String> environment = Map.of("MAINSTEM_AMQP_PORT", "2", "MAINSTEM_STORE_READ_THREADS", "4");

        Settings settings = load(file, environment, "amqp.port=3", "amqp.port=4");

        assertThat(settings.get(ConfigKeys.AMQP_PORT)).isEqualTo(4);
        assertThat(settings.setting(ConfigKeys.AMQP_PORT).origin().place()).isEqualTo("--set");
        assertThat(settings.get(ConfigKeys.STORE_READ_THREADS)).isEqualTo(4);
        assertThat(settings.setting(ConfigKeys.STORE_READ_THREADS).origin().place())
                .isEqualTo("MAINSTEM_STORE_READ_THREADS");
        assertThat(settings.get(ConfigKeys.AMQP_HOST)).isEqualTo("localhost");
        assertThat(settings.setting(ConfigKeys.LOG_LEVEL).origin().place()).isEqualTo(file + ":6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# only a comment\n", "---\n", "amqp:\n", "~\n"})
    void aFileMayHoldNothing(String text) throws IOException {
        if (text.startsWith("amqp")) {
            assertThat(refused(file(text))).containsExactly("MS-0101");
        } else {
            assertThat(load(file(text), Map.of()).get(ConfigKeys.AMQP_PORT)).isEqualTo(5672);
        }
    }

    @Test
    void anUnknownKeyIsRefusedWithFileLineAndTheNearestKey() throws IOException {
        Path file = file("amqp:\n  port: 5672\n  prot: 5673\n");

        assertThat(problems(file, Map.of()).get(0))
                .hasToString("MS-0101 " + file + ":3: unknown key 'amqp.prot'. Nearest: amqp.port."
                        + " fix: write amqp.port, or remove it; 'mainstem config show' lists all keys.");
    }

    @ParameterizedTest
    @CsvSource({
        "store.segment-bytes, 3MiB, too small, 4MiB to 1GiB",
        "store.segment-bytes, 2GiB, too large, 4MiB to 1GiB",
        "store.segment-bytes, 64MB, unknown unit 'MB', 4MiB to 1GiB",
        "store.segment-bytes, 64.5MiB, not a whole number, 4MiB to 1GiB",
        "store.segment-bytes, 99999999999999999TiB, too large, 4MiB to 1GiB",
        "store.checkpoint-interval, 30, unit missing, 10ms to 1h",
        "store.checkpoint-interval, 2h, too large, 10ms to 1h",
        "amqp.port, 65536, too large, 0 to 65535",
        "amqp.port, -1, too small, 0 to 65535",
        "amqp.port, five, not a whole number, 0 to 65535",
        "amqp.host, 'a b', not a host name, a host name or address",
        "log.level, loud, not one of the choices, 'error, warn, info, debug, trace'",
        "data.directory, '', empty, a path",
    })
    void aWrongUnitTypeOrRangeIsRefusedWithWhatIsAllowed(String key, String text, String problem, String allowed) {
        String told = problems(null, Map.of(), key + "=" + text).get(0).toString();

        assertThat(told)
                .startsWith("MS-0102 --set: " + key + ": '" + text + "'")
                .contains(problem, allowed, "fix:");
    }

    @Test
    void allProblemsAreToldAtOnce() throws IOException {
        Path file = file("amqp:\n  port: x\nnope: 1\n");

        assertThat(refused(file, Map.of("MAINSTEM_AMQP_HOTS", "::1"), "novalue"))
                .containsExactly("MS-0101", "MS-0105", "MS-0102", "MS-0101");
    }

    @Test
    void aKeyIsSetOnceInTheFileHoweverItIsWritten() throws IOException {
        Path file = file("amqp:\n  port: 1\namqp.port: 2\n");

        assertThat(problems(file, Map.of()).get(0).toString())
                .contains("MS-0104", file + ":3", "set twice", file + ":2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"- a\n", "amqp: [1, 2]\n", "amqp: {port: 1\n", "just words\n", "a: b: c\n", "\tx: 1\n"})
    void aFileOfAnotherShapeIsRefusedWithTheLine(String text) throws IOException {
        Path file = file(text);

        ConfigProblem problem = problems(file, Map.of()).get(0);

        assertThat(problem.code()).isEqualTo("MS-0103");
        assertThat(problem.place()).matches(Pattern.quote(file.toString()) + ":\\d+");
    }

    @Test
    void aMissingFileIsRefused() {
        assertThat(refused(folder.resolve("none.yaml"))).containsExactly("MS-0103");
    }

    @ParameterizedTest
    @CsvSource({"MAINSTEM_AMQP_PROT, MAINSTEM_AMQP_PORT", "MAINSTEM_AQMP_PORT, MAINSTEM_AMQP_PORT"})
    void aMisspeltVariableIsRefusedWithTheNearestOne(String variable, String nearest) {
        assertThat(problems(null, Map.of(variable, "1")).get(0).toString()).contains(variable, "Nearest: " + nearest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MAINSTEM_JAVA_OPTS",
                "MAINSTEM_REQUIRE_CLIENTS",
                "MAINSTEM_PORT",
                "MAINSTEM_PORT_5672_TCP_ADDR",
                "MAINSTEM_SERVICE_HOST",
                "MAINSTEM_AMQP_SERVICE_HOST",
                "MAINSTEM_SERVICE_PORT_AMQP"
            })
    void variablesOfScriptsAndOrchestratorsAreNotOurs(String variable) {
        assertThat(load(null, Map.of(variable, "x")).get(ConfigKeys.AMQP_PORT)).isEqualTo(5672);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("mainstem.yaml"), text);
    }

    private static Settings load(Path file, Map<String, String> environment, String... assignments) {
        return new ConfigSources(file, environment, List.of(assignments)).load();
    }

    private static List<ConfigProblem> problems(Path file, Map<String, String> environment, String... assignments) {
        return catchThrowableOfType(ConfigException.class, () -> load(file, environment, assignments))
                .problems();
    }

    private static List<String> refused(Path file) {
        return refused(file, Map.of());
    }

    private static List<String> refused(Path file, Map<String, String> environment, String... assignments) {
        return problems(file, environment, assignments).stream()
                .map(ConfigProblem::code)
                .toList();
    }
}
