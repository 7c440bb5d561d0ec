package io.mainstem.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The CPU time in /proc is that of the process. */
final class ProcessCpuTest {
    @Test
    @EnabledOnOs(OS.LINUX)
    void agreesWithWhatTheProcessIsTold() {
        ProcessHandle self = ProcessHandle.current();

        double seconds = ProcessCpu.seconds(self.pid());

        Duration told = self.info().totalCpuDuration().orElseThrow();
        assertThat(seconds).isCloseTo(told.toMillis() / 1000.0, within(0.5));
    }
}
