package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.queue.SimCopy.Fate;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a crash leaves whole or not at all: all copies of one publish, all that one transaction sends and settles.
 *
 * @param transaction null = a publish
 */
record SimUnit(
        List<SimCopy> sends,
        List<SimCopy> settles,
        @Nullable SimTransaction transaction) {
    static SimUnit of(List<SimCopy> published) {
        return new SimUnit(published, List.of(), null);
    }

    static SimUnit of(SimTransaction transaction) {
        return new SimUnit(transaction.sends, transaction.settles, transaction);
    }

    void check(Set<SimCopy> found, long nowMs, SimReached reached) {
        List<SimCopy> arrived =
                sends.stream().filter(copy -> untouched(copy, nowMs)).toList();
        List<SimCopy> left = settles.stream()
                .filter(copy -> copy.settledIn == transaction && copy.durable && !copy.over(nowMs))
                .toList();
        boolean all = found.containsAll(arrived) && left.stream().noneMatch(found::contains);
        boolean nothing = arrived.stream().noneMatch(found::contains) && found.containsAll(left);
        assertThat(all || nothing)
                .as("half of %s and %s, of which are there: %s", arrived, left, found)
                .isTrue();
        if (transaction != null && transaction.commitAsked && arrived.size() + left.size() > 1) {
            reached.add(all ? "unanswered commit and there" : "unanswered commit and lost");
        }
        if (transaction == null && arrived.size() > 1) {
            reached.add(all ? "unanswered fan-out and there" : "unanswered fan-out and lost");
        }
        if (transaction != null && !transaction.commitAsked) {
            assertThat(arrived).as("never committed").noneMatch(found::contains);
        }
    }

    private static boolean untouched(SimCopy copy, long nowMs) {
        return copy.fate == Fate.ASKED && copy.before.isEmpty() && copy.durable && !copy.murky && !copy.over(nowMs);
    }
}
