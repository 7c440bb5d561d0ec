package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.DiskSpace;
import io.mainstem.store.files.SimDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-10] a disk that fails is not reported as a full one")
final class DiskReportTest {
    private final List<StoreState> states = new ArrayList<>();
    private final LogHealth health = new LogHealth(() -> {});

    @Test
    void aFullDiskIsToldFromABrokenOne() {
        assertThat(DiskSpace.fix(new IOException("No space left on device"))).contains("free disk space");
        assertThat(DiskSpace.fix(new IOException("x", new IOException("Disk quota exceeded"))))
                .contains("free disk space");
        assertThat(DiskSpace.fix(new DiskSpace.KeptException("4096 bytes free")))
                .contains("free disk space");
        assertThat(DiskSpace.fix(new IOException("Input/output error"))).contains("check the disk");
        assertThat(DiskSpace.fix(new IOException("Too many open files"))).contains("check the disk");
    }

    @Test
    void theReasonThatPublishersAreToldSaysWhichItIs() {
        health.noSpace(new IOException("No space left on device"));
        assertThat(health.reason()).isEqualTo("no space for log segments: No space left on device");
        health.noSpace(new IOException("Input/output error"));
        assertThat(health.reason()).startsWith("log segments cannot be made: ").contains("Input/output error");
        states.add(health.state());
        health.spaceAgain();
        states.add(health.state());
        assertThat(states).containsExactly(StoreState.DISK_HIGH, StoreState.RUNNING);
    }

    @Test
    @DisplayName("a store whose segments cannot hold the largest group is refused, and says with what it was made")
    void smallSegments() {
        SimDisk disk = new SimDisk();
        SteppedLog log = SteppedLog.open(disk, SteppedLog.config(), 0, 0, group -> {});
        log.log().submit(TestGroup.message(1, 100, Durability.SYNC));
        log.settle();
        log.log().close();
        StoreConfig wanted = StoreConfig.defaults(SteppedLog.FOLDER);

        assertThatThrownBy(() -> StoreFolder.requireSegments(disk, wanted, StoreConfig.SEGMENT_BYTES_SERVED))
                .hasMessageContaining("MS-0267")
                .hasMessageContaining("65536")
                .hasMessageContaining("fix:");
        StoreFolder.requireSegments(new SimDisk(), wanted, StoreConfig.SEGMENT_BYTES_SERVED);
    }
}
