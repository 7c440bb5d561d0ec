package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bitmaps by index, against a sorted set. */
final class IndexSetTest {
    @Test
    void membersMayLieAnyDistanceApart() {
        IndexSet set = new IndexSet();
        long[] members = {0, 5, 1L << 31, 1L << 32, 1L << 47, Long.MAX_VALUE - 1};
        for (long member : members) {
            set.add(member);
        }

        for (int i = 0; i + 1 < members.length; i++) {
            assertThat(set.next(members[i] + 1)).isEqualTo(members[i + 1]);
            assertThat(set.nextAbsent(members[i])).isEqualTo(members[i] + 1);
        }
        assertThat(set.count()).isEqualTo(members.length);
        assertThat(set.parts()).isEqualTo(members.length - 1);
        set.removeRange(1, 1L << 47);
        assertThat(set.next(1)).isEqualTo(1L << 47);
    }

    @Test
    void aLongRangeIsFoundFromEndToEnd() {
        IndexSet set = new IndexSet();
        set.addRange(100, 5_000_000);

        assertThat(set.nextAbsent(100)).isEqualTo(5_000_000);
        assertThat(set.count(1_000_000, 4_000_000)).isEqualTo(3_000_000);
        set.removeRange(200, 4_900_000);
        assertThat(set.next(200)).isEqualTo(4_900_000);
        assertThat(set.count()).isEqualTo(100 + 100_000);
        assertThat(set.parts()).isEqualTo(2);
    }

    @Test
    void aFrozenCopyStaysWhateverIsDoneToTheSet() {
        IndexSet set = new IndexSet();
        set.addRange(0, 10);
        set.addRange(3_000_000, 3_000_010);
        IndexSet frozen = set.freeze();

        set.removeRange(0, 3_000_005);
        set.add(7_000_000);
        set.add(5);

        assertThat(frozen.count()).isEqualTo(20);
        assertThat(frozen.contains(5)).isTrue();
        assertThat(frozen.next(3_000_001)).isEqualTo(3_000_001);
        assertThat(frozen.next(3_000_010)).isEqualTo(-1);
        assertThat(set.count()).isEqualTo(7);
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void behavesAsASortedSet(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long start = (seed << 31) - 150;
        IndexSet set = new IndexSet();
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
