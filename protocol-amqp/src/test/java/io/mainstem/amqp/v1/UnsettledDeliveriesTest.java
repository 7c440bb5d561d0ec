package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which deliveries a disposition concerns. */
final class UnsettledDeliveriesTest {
    private final UnsettledDeliveries<String> unsettled = new UnsettledDeliveries<>();
    private final String one = "one";
    private final String two = "two";

    @Test
    void consecutiveDeliveriesOfALinkAreOneRun() {
        unsettled.add(0, one, 10);
        unsettled.add(1, one, 11);
        unsettled.add(2, two, 0);
        unsettled.add(3, one, 12);

        assertThat(settle(0, 3)).containsExactly("one 10-11", "two 0-0", "one 12-12");
    }

    @Test
    @DisplayName("[T-6]: a delivery is settled once; unknown ids are ignored")
    void settlingIsFinal() {
        unsettled.add(0, one, 0);
        unsettled.add(1, one, 1);
        assertThat(settle(1, 1)).containsExactly("one 1-1");
        assertThat(settle(-5, 700)).containsExactly("one 0-0");
        assertThat(settle(0, 1)).isEmpty();
    }

    @Test
    void aLinkThatIsGoneIsForgotten() {
        unsettled.add(0, one, 0);
        unsettled.add(1, two, 0);
        unsettled.forget(one);

        assertThat(settle(0, 1)).containsExactly("two 0-0");
    }

    @Test
    void oneStuckDeliveryDoesNotHoldTheOthers() {
        for (int id = 0; id < 1_000_000; id++) {
            unsettled.add(id, one, id);
            if (id > 0) {
                settle(id, id);
            }
        }
        assertThat(unsettled.size()).isEqualTo(1);
        assertThat(settle(0, 999_999)).containsExactly("one 0-0");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void behavesLikeAMap(long seed) {
        Random random = new Random(seed);
        TreeMap<Integer, String> model = new TreeMap<>();
        int next = 0;
        for (int step = 0; step < 4000; step++) {
            for (int burst = random.nextInt(6); burst > 0; burst--) {
                String link = random.nextBoolean() ? one : two;
                unsettled.add(next, link, next);
                model.put(next, link + " " + next);
                next++;
            }
            int first = Math.max(0, next - random.nextInt(900)) - 5;
            int last = first + random.nextInt(12);
            List<String> expected =
                    new ArrayList<>(model.subMap(first, true, last, true).values());
            model.subMap(first, true, last, true).clear();
            List<String> found = new ArrayList<>();
            unsettled.settle(first, last, (link, from, to) -> {
                for (long id = from; id <= to; id++) {
                    found.add(link + " " + id);
                }
            });
            assertThat(found).as("seed %d step %d", seed, step).isEqualTo(expected);
        }
        assertThat(unsettled.size()).isEqualTo(model.size());
    }

    private List<String> settle(int first, int last) {
        List<String> runs = new ArrayList<>();
        unsettled.settle(first, last, (link, from, to) -> runs.add(link + " " + from + "-" + to));
        return runs;
    }
}
