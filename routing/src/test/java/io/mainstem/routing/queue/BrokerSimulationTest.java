package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random operations of clients, crashes and restarts against plain maps; a failing seed prints itself. */
@Tag("simulation")
final class BrokerSimulationTest {
    private static final long SEEDS = Long.getLong("mainstem.seeds", 2000);
    private static final long FIRST_SEED = Long.getLong("mainstem.seed", 1);

    @Test
    @DisplayName("[L-11] whatever happens, the broker has what it has promised")
    void theBrokerHoldsWhatTheModelHoldsAfterAnyCrash() {
        SimReached reached = new SimReached();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                new BrokerSimulation(seed, reached).run();
            } catch (Throwable e) {
                throw new AssertionError(
                        "seed=" + seed + " (replay: -Dmainstem.seed=" + seed + " -Dmainstem.seeds=1)", e);
            }
        }
        if (SEEDS >= 500) {
            assertThat(reached.missing()).as(reached.toString()).isEmpty();
        }
    }
}
