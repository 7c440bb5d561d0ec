package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random operations, crashes and restarts against a model; a failing seed prints itself. */
@Tag("simulation")
final class StoreSimulationTest {
    private static final long SEEDS = Long.getLong("mainstem.seeds", 2000);
    private static final long FIRST_SEED = Long.getLong("mainstem.seed", 1);

    @Test
    void theStoreHoldsWhatTheModelHoldsAfterAnyCrash() {
        SeedsReached reached = new SeedsReached();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            try {
                new StoreSimulation(seed, reached).run();
            } catch (Throwable e) {
                throw new AssertionError(
                        "seed=" + seed + " (replay: -Dmainstem.seed=" + seed + " -Dmainstem.seeds=1)", e);
            }
        }
        if (SEEDS >= 500) {
            assertThat(reached.everything()).as(reached.toString()).isTrue();
        }
    }
}
