package io.mainstem.launcher.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("[L-10] the disk watermark is absolute and percent")
final class DiskShareTest {
    @TempDir
    Path folder;

    @Test
    void withoutPercentTheBytesCount() {
        assertThat(DiskShare.atLeast(folder, 1234, 0)).isEqualTo(1234);
    }

    @Test
    void aDiskThatCannotBeAskedIsNamedWithTheKeyAndAWayOut() {
        DiskShare.DiskSize fails = there -> {
            throw new IOException("Input/output error");
        };

        assertThatThrownBy(() -> DiskShare.atLeast(folder, 1, 5, fails))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("store.disk-high-percent: 5, but the size of the disk of " + folder)
                .hasMessageContaining("Input/output error");
    }

    @Test
    @DisplayName("the larger of the two counts, for a data folder that is still to be made, too")
    void theLargerOfTheTwoCounts() throws IOException {
        long total = Files.getFileStore(folder).getTotalSpace();
        Path data = folder.resolve("not/yet/there");

        assertThat(DiskShare.atLeast(data, 1, 50)).isEqualTo(total / 100 * 50);
        assertThat(DiskShare.atLeast(data, total, 50)).isEqualTo(total);
    }
}
