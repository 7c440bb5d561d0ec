package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The log on a disk that tears, reorders, fails and fills up, driven by seeds. */
@Tag("simulation")
final class LogSimulationTest {
    private static final int SEEDS = Integer.getInteger("mainstem.seeds", 2_500);

    @Test
    @DisplayName("[L-11] nothing acknowledged is lost, nothing is invented, order is kept, whatever the disk does")
    void everySeedKeepsThePromise() {
        Long only = Long.getLong("mainstem.seed");
        List<String> failures = new ArrayList<>();
        long from = only != null ? only : 0;
        long to = only != null ? only + 1 : SEEDS;
        for (long seed = from; seed < to && failures.size() < 5; seed++) {
            try {
                new LogSimulation(seed).run();
            } catch (Exception | AssertionError e) {
                e.addSuppressed(new AssertionError("seed " + seed));
                failures.add(
                        "seed " + seed + ", replay with -Dmainstem.seed=" + seed + " -Dtest=LogSimulationTest: " + e);
                if (only != null) {
                    throw new AssertionError("seed " + seed, e);
                }
            }
        }
        assertThat(failures).isEmpty();
    }
}
