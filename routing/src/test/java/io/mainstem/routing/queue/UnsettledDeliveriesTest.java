package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[T-6] what a consumer has not settled")
final class UnsettledDeliveriesTest {
    private final UnsettledDeliveries unsettled = new UnsettledDeliveries();

    /** Only its identity matters here. */
    private static Held held(long id) {
        return new Held.Stored(null, 0, new Entry(id, id, 0, 0, 1, 0, 0));
    }

    private List<Held> removeRange(long first, long last) {
        return unsettled.takeRange(first, last, Integer.MAX_VALUE).stream()
                .map(UnsettledDeliveries.Numbered::held)
                .toList();
    }

    private static List<Long> ids(List<Held> removed) {
        return removed.stream().map(Held::key).toList();
    }

    @Test
    void aRangeIsTakenOutOnceAndInOrder() {
        for (long id = 0; id < 10; id++) {
            unsettled.add(id, held(id));
        }

        assertThat(ids(removeRange(2, 4))).containsExactly(2L, 3L, 4L);
        assertThat(ids(removeRange(0, Long.MAX_VALUE))).containsExactly(0L, 1L, 5L, 6L, 7L, 8L, 9L);
        assertThat(unsettled.size()).isZero();
    }

    @Test
    void aRangeIsTakenOutPieceByPiece() {
        for (long id = 0; id < 10; id++) {
            unsettled.add(id, held(id));
        }
        assertThat(removeRange(3, 3)).hasSize(1);

        TakenDeliveries range = new TakenDeliveries(unsettled, 1, 8);
        List<Long> taken = new ArrayList<>();
        for (int steps = 1; !range.done(); steps++) {
            range.next(new TurnBudget(steps)).forEach(each -> taken.add(each.deliveryId()));
        }

        assertThat(taken).containsExactly(1L, 2L, 4L, 5L, 6L, 7L, 8L);
        assertThat(ids(removeRange(0, Long.MAX_VALUE))).containsExactly(0L, 9L);
    }

    @Test
    void oneStuckDeliveryDoesNotKeepMemoryForAllThatFollow() {
        unsettled.add(0, held(0));
        for (long id = 1; id < 100_000; id++) {
            unsettled.add(id, held(id));
            assertThat(removeRange(id, id)).hasSize(1);
        }

        assertThat(unsettled.slots()).isLessThan(100);
        assertThat(ids(removeRange(0, Long.MAX_VALUE))).containsExactly(0L);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void agreesWithASortedMap(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        TreeMap<Long, Held> expected = new TreeMap<>();
        long next = 0;
        for (int step = 0; step < 5000; step++) {
            int kind = random.nextInt(10);
            if (kind < 6) {
                Held held = held(next);
                expected.put(next, held);
                unsettled.add(next++, held);
            } else {
                long first = next == 0 ? 0 : random.nextLong(next);
                long last = first + random.nextInt(kind == 9 ? 200 : 3);
                List<Held> inRange =
                        new ArrayList<>(expected.subMap(first, true, last, true).values());
                expected.subMap(first, true, last, true).clear();
                assertThat(removeRange(first, last)).isEqualTo(inRange);
            }
            assertThat(unsettled.size()).isEqualTo(expected.size());
        }
        assertThat(removeRange(0, Long.MAX_VALUE)).isEqualTo(List.copyOf(expected.values()));
    }
}
