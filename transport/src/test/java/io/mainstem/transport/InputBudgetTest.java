package io.mainstem.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.MockTicker;
import io.netty.util.concurrent.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Room for what is not complete, and who has to give it up. */
final class InputBudgetTest {
    private final MockTicker clock = Ticker.newMockTicker();
    private final InputBudget budget = new InputBudget(100, clock);
    private final List<String> lapsed = new ArrayList<>();

    private InputBudget.Hold hold(InputBudget.Share share, String name) {
        return share.hold(() -> lapsed.add(name));
    }

    @Test
    @DisplayName("one connection gets its share, in however many things; the others have the rest")
    void aShareForEachConnection() {
        InputBudget.Share greedy = budget.share(40);
        InputBudget.Hold first = hold(greedy, "first");
        InputBudget.Hold second = hold(greedy, "second");
        assertThat(first.add(30)).isTrue();
        assertThat(second.add(20)).isFalse();
        assertThat(second.add(10)).isTrue();
        assertThat(hold(budget.share(40), "other").add(40)).isTrue();
        first.clear();
        first.clear();
        assertThat(second.add(30)).isTrue();
        assertThat(budget.used()).isEqualTo(80);
    }

    @Test
    @DisplayName("when there is no room, the largest that is incomplete for too long goes; nobody does while there is")
    void theLargestThatWaitsGoes() {
        InputBudget.Hold small = hold(budget.share(100), "small");
        InputBudget.Hold large = hold(budget.share(100), "large");
        small.add(10);
        large.add(60);
        clock.advance(InputBudget.PATIENCE_SECONDS + 1, TimeUnit.SECONDS);
        InputBudget.Hold fresh = hold(budget.share(100), "fresh");
        assertThat(fresh.add(30)).isTrue();
        assertThat(lapsed).isEmpty();
        assertThat(fresh.add(30)).isFalse();
        assertThat(lapsed).containsExactly("large");
        large.clear();
        assertThat(fresh.add(30)).isTrue();
    }

    @Test
    @DisplayName("who completes one thing after the other is not late, and a flood of refusals is one look")
    void progressCounts() {
        InputBudget.Hold busy = hold(budget.share(100), "busy");
        InputBudget.Hold stuck = hold(budget.share(100), "stuck");
        busy.add(60);
        stuck.add(40);
        clock.advance(InputBudget.PATIENCE_SECONDS + 1, TimeUnit.SECONDS);
        busy.next();
        for (int i = 0; i < 10; i++) {
            assertThat(hold(budget.share(100), "late").add(1)).isFalse();
        }
        assertThat(lapsed).containsExactly("stuck");
    }
}
