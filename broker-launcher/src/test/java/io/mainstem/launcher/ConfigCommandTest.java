package io.mainstem.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.launcher.config.ConfigKey;
import io.mainstem.launcher.config.ConfigKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigCommandTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void explainTellsEverythingAboutAKey() {
        assertThat(run("config", "explain", "store.segment-bytes")).isZero();

        assertThat(out.toString())
                .contains("store.segment-bytes", "size", "256MiB", "4MiB to 1GiB", "MAINSTEM_STORE_SEGMENT_BYTES")
                .contains("Size of one log segment file");
    }

    @Test
    void explainOfAnUnknownKeyNamesTheNearest() {
        assertThat(run("config", "explain", "store.segmentbytes")).isEqualTo(64);

        assertThat(err.toString()).contains("unknown key 'store.segmentbytes'", "store.segment-bytes");
    }

    @Test
    void showListsEveryKeyWithItsValueAndWhoSetIt() throws IOException {
        Path file = Files.writeString(folder.resolve("mainstem.yaml"), "# ours\namqp:\n  port: 7000\n");

        assertThat(run("config", "show", "--origin", "--config", file.toString(), "--set", "log.level=warn"))
                .as(err.toString())
                .isZero();

        assertThat(out.toString())
                .contains(ConfigKeys.all().stream().map(ConfigKey::name).toList());
        assertThat(out.toString().lines().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        "amqp.port: 7000 # " + file + ":3",
                        "log.level: warn # --set",
                        "amqp.host: 127.0.0.1 # default");
    }

    @Test
    void withoutACommandTheUsageIsShown() {
        assertThat(run()).isEqualTo(64);
        assertThat(err.toString()).contains("mainstem");
    }

    @ParameterizedTest
    @ValueSource(strings = {"start", "config explain", "config show", "config schema", "store verify", "store dump"})
    void helpOfEveryCommandHasAnExample(String command) {
        assertThat(run((command + " --help").split(" ", -1))).as(err.toString()).isZero();
        assertThat(out.toString()).contains("Example", "  mainstem " + command);
    }

    @Test
    void theVersionIsThatOfTheBuild() {
        assertThat(run("version")).isZero();
        assertThat(out.toString()).startsWith("Mainstem ").doesNotContain("${");
    }

    private int run(String... arguments) {
        return Main.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }
}
