package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("SortedKeys: a sorted set whose versions share what did not change")
final class SortedKeysTest {
    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void pagesAreThoseOfASortedSet(long seed) {
        Random random = new Random(seed);
        TreeSet<Integer> model = new TreeSet<>();
        SortedKeys<Integer> keys = SortedKeys.empty();
        for (int step = 0; step < 5_000; step++) {
            // Runs of neighbours, too: they are what makes a tree lean.
            int key = step % 1_000 < 300 ? step : random.nextInt(2_000);
            if (random.nextInt(5) < 2) {
                model.remove(key);
                keys = keys.without(key);
            } else {
                model.add(key);
                keys = keys.with(key);
            }
            if (step % 20 == 0) {
                int after = random.nextInt(2_100) - 50;
                int limit = 1 + random.nextInt(30);
                assertThat(keys.page(each -> each > after, limit))
                        .isEqualTo(model.tailSet(after, false).stream()
                                .limit(limit)
                                .toList());
            }
        }
        SortedKeys<Integer> rest = keys;
        for (int key : List.copyOf(model)) {
            rest = rest.without(key);
        }
        assertThat(rest.page(each -> true, 1)).isEmpty();
        assertThat(keys.page(each -> true, Integer.MAX_VALUE)).isEqualTo(List.copyOf(model));
    }

    @Test
    @DisplayName("issue 12 line 10: a page looks at what is on it and one way down, not at all there is")
    void aPageIsCheap() {
        SortedKeys<Integer> keys = SortedKeys.empty();
        for (int i = 0; i < 100_000; i++) {
            keys = keys.with(i);
        }
        List<Integer> looked = new ArrayList<>();
        List<Integer> page = keys.page(
                each -> {
                    looked.add(each);
                    return each > 70_000;
                },
                100);
        assertThat(page).hasSize(100).startsWith(70_001).endsWith(70_100);
        assertThat(looked).hasSizeLessThan(60);
    }
}
