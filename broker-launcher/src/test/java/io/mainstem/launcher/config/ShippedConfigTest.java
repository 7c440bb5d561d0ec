package io.mainstem.launcher.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.launcher.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lies in {@code etc/} agrees with the registry of keys. */
final class ShippedConfigTest {
    @TempDir
    Path folder;

    @Test
    void theSchemaIsTheOneThatTheRegistryMakes() {
        assertThat(Repository.read("etc/mainstem.schema.json"))
                .as("regenerate it: ./mainstem config schema > etc/mainstem.schema.json")
                .isEqualTo(ConfigSchema.text());
    }

    @Test
    void theFileItselfSetsNothing() {
        List<RawSetting> settings = ConfigFile.read(Repository.ROOT.resolve("etc/mainstem.yaml"));

        assertThat(settings).isEmpty();
    }

    @Test
    void everyLineThatIsCommentedOutShowsAKeyWithItsDefault() throws IOException {
        String uncommented = Repository.read("etc/mainstem.yaml")
                .lines()
                .map(line -> line.matches("# (  )?[a-z-]+:.*") ? line.substring(2) : line)
                .reduce("", (text, line) -> text + line + "\n");
        Path file = Files.writeString(folder.resolve("mainstem.yaml"), uncommented);

        Settings settings = new ConfigSources(file, Map.of(), List.of()).load();

        List<Settings.Setting> shown = ConfigKeys.all().stream()
                .map(settings::setting)
                .filter(setting -> setting.origin().layer() == Origin.Layer.FILE)
                .toList();
        assertThat(shown)
                .hasSizeGreaterThan(4)
                .allSatisfy(setting ->
                        assertThat(setting.text()).isEqualTo(setting.key().defaultText()));
    }
}
