package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A bitmap with a base, against a sorted set. */
final class IndexSetTest {
    @Test
    void theBaseFollowsWhenIndexesRunAway() {
        IndexSet set = new IndexSet(0);
        set.add(2_000_000_000L);
        set.add(4_000_000_000L);

        assertThat(set.contains(2_000_000_000L)).isTrue();
        assertThat(set.next(2_000_000_001L)).isEqualTo(4_000_000_000L);
        assertThat(set.base()).isPositive();
        assertThat(set.contains(5)).isFalse();
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void behavesAsASortedSet(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long start = 5_000_000_000L;
        IndexSet set = new IndexSet(start);
        TreeSet<Long> model = new TreeSet<>();
        for (int step = 0; step < 5000; step++) {
            long from = start + random.nextInt(300);
            long to = from + random.nextInt(20);
            switch (random.nextInt(4)) {
                case 0 -> {
                    set.add(from);
                    model.add(from);
                }
                case 1 -> {
                    set.addRange(from, to);
                    for (long i = from; i < to; i++) {
                        model.add(i);
                    }
                }
                case 2 -> assertThat(set.remove(from)).isEqualTo(model.remove(from));
                default -> {
                    set.removeRange(from, to);
                    model.subSet(from, to).clear();
                }
            }
            Long next = model.ceiling(from);
            assertThat(set.next(from)).isEqualTo(next == null ? -1 : next);
            assertThat(set.count(from, to)).isEqualTo(model.subSet(from, to).size());
            assertThat(set.contains(to)).isEqualTo(model.contains(to));
            assertThat(set.isEmpty()).isEqualTo(model.isEmpty());
            long absent = from;
            while (model.contains(absent)) {
                absent++;
            }
            assertThat(set.nextAbsent(from)).isEqualTo(absent);
        }
    }
}
