package io.mainstem.launcher.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DataFolderTest {
    @TempDir
    Path parent;

    @Test
    void aMissingFolderIsCreatedWithItsParents() {
        DataFolder folder = new DataFolder(parent.resolve("a/b"));

        folder.prepare();

        assertThat(parent.resolve("a/b")).isEmptyDirectory();
    }

    @Test
    void aFileInThePlaceOfTheFolderIsRefusedWithTheFix() throws IOException {
        Path file = Files.writeString(parent.resolve("data"), "");

        assertThatThrownBy(() -> new DataFolder(file).prepare())
                .isInstanceOf(StartFailure.class)
                .hasMessageContainingAll("MS-0111", file.toString(), "fix:", "--data");
    }

    @Test
    void theEndpointsFileHasOneLineAListenerAndReplacesAStaleOne() throws IOException {
        DataFolder folder = new DataFolder(parent);
        Files.writeString(folder.endpointsFile(), "amqp=127.0.0.1:1\nstale=127.0.0.1:2\n");

        folder.publish(List.of(new Endpoint("amqp", "127.0.0.1", 5672, ""), new Endpoint("mqtt", "::1", 1883, "")));

        assertThat(folder.endpointsFile()).hasContent("amqp=127.0.0.1:5672\nmqtt=[::1]:1883\n");
        assertThat(parent.toFile().list()).containsExactly("endpoints");
    }

    @Test
    void withdrawingTwiceIsHarmless() {
        DataFolder folder = new DataFolder(parent);
        folder.publish(List.of());

        folder.withdraw();
        folder.withdraw();

        assertThat(folder.endpointsFile()).doesNotExist();
    }
}
