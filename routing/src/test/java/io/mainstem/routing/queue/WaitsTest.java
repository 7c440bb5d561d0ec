package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.queue.Waits.Kind;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("issue 12 line 10: what waits for its time in one queue does not use up the delays of all others")
final class WaitsTest {
    private final Waits waits = new Waits();

    private int fill(Kind kind, String queue, int wanted) {
        int entered = 0;
        while (entered < wanted && waits.enter(kind, queue, 1000, () -> {})) {
            entered++;
        }
        return entered;
    }

    @Test
    void oneQueueGetsHalf() {
        assertThat(fill(Kind.DELAY, "greedy", 300_000)).isEqualTo(100_000);
        assertThat(fill(Kind.DELAY, "next", 300_000)).isEqualTo(50_000);
        for (int i = 0; i < 100; i++) {
            assertThat(fill(Kind.DELAY, "small " + i, 100)).isEqualTo(100);
        }
    }

    @Test
    @DisplayName("messages that a consumer has excluded take no room of messages that failed")
    void exclusionsHaveTheirOwnRoom() {
        for (int i = 0; i < 20; i++) {
            fill(Kind.EXCLUSION, "q" + i, 100_000);
        }

        assertThat(fill(Kind.DELAY, "q0", 10_000)).isEqualTo(10_000);
    }

    @Test
    void whatIsOverMakesRoomAgain() {
        fill(Kind.DELAY, "q", 300_000);
        TurnBudget budget = new TurnBudget(40_000);
        assertThat(waits.run(1000, budget)).isTrue();
        budget.renew(1_000_000);
        assertThat(waits.run(1000, budget)).isFalse();

        assertThat(waits.nextMs()).isEqualTo(Long.MAX_VALUE);
        assertThat(fill(Kind.DELAY, "q", 300_000)).isEqualTo(100_000);
    }
}
