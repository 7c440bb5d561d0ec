package io.mainstem.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ack state of a lane, against a list that says of each entry what it is. */
final class LaneCursorTest {
    private enum State {
        READY,
        TAKEN,
        SETTLED
    }

    @Test
    void entriesComeInOrderAndTheFloorFollowsTheirSettlement() {
        LaneCursor cursor = with(3);

        cursor.take(0);
        cursor.take(1);
        cursor.settle(0, 2);

        assertThat(cursor.floor()).isEqualTo(2);
        assertThat(cursor.next()).isEqualTo(2);
        assertThat(cursor.unsettled()).isEqualTo(1);
        assertThat(cursor.waiting().behind()).isNull();
    }

    @Test
    void whatIsGivenBackComesFirstAndIsFlaggedRedelivered() {
        LaneCursor cursor = with(3);

        cursor.take(0);
        cursor.take(1);
        cursor.giveBack(0);

        assertThat(cursor.next()).isZero();
        assertThat(cursor.redelivered(0)).isTrue();
        assertThat(cursor.redelivered(1)).isFalse();
        assertThat(cursor.ready()).isEqualTo(2);
    }

    @Test
    void whatIsGivenBackUnseenIsUnseenUntilSomebodyMayHaveSeenIt() {
        LaneCursor cursor = with(3);

        cursor.take(0);
        cursor.giveBackUnseen(0);
        assertThat(cursor.redelivered(0)).isTrue();
        assertThat(cursor.unseen(0)).isTrue();
        assertThat(cursor.unseen(1)).isFalse();

        cursor.take(0);
        cursor.giveBack(0);
        cursor.take(0);
        cursor.giveBackUnseen(0);
        assertThat(cursor.unseen(0)).isFalse();

        cursor.take(1);
        cursor.giveBackUnseen(1);
        cursor.markAllRedelivered();
        assertThat(cursor.unseen(1)).isFalse();
    }

    @Test
    void entriesThatAreJumpedOverStayReadyAndUnflagged() {
        LaneCursor cursor = with(5);

        cursor.take(3);

        assertThat(cursor.next()).isZero();
        assertThat(cursor.nextFrom(1)).isEqualTo(1);
        assertThat(cursor.nextFrom(3)).isEqualTo(4);
        assertThat(cursor.redelivered(0)).isFalse();
    }

    @Test
    void aStuckHeadCostsTheSameAfterAMillionAcknowledgementsAsAfterOne() {
        LaneCursor cursor = with(1);
        cursor.take(0);
        for (int i = 1; i <= 1_000_000; i++) {
            cursor.append();
            cursor.take(i);
            cursor.settle(i, i + 1);
        }

        IndexSet behind = cursor.waiting().behind();
        assertThat(behind).isNotNull();
        assertThat(behind.count()).isEqualTo(1);
        assertThat(behind.parts()).isEqualTo(1);
        cursor.settle(0, 1);
        assertThat(cursor.floor()).isEqualTo(1_000_001);
        assertThat(cursor.waiting().behind()).isNull();
    }

    @ParameterizedTest(name = "{0} entries")
    @ValueSource(longs = {1L << 31, 1L << 32, 1L << 47})
    void aStuckHeadStandsBehindAnyNumberOfEntries(long passed) {
        LaneCursor cursor = new LaneCursor(new Waiting(0), passed + 10, null);
        cursor.take(0);
        cursor.settle(1, passed);

        cursor.settle(passed, passed + 1);
        cursor.take(passed + 3);
        cursor.giveBack(passed + 3);

        assertThat(cursor.floor()).isZero();
        assertThat(cursor.unsettled()).isEqualTo(10);
        assertThat(cursor.next()).isEqualTo(passed + 1);
        assertThat(cursor.nextFrom(passed + 3)).isEqualTo(passed + 3);
        cursor.settle(0, 1);
        assertThat(cursor.floor()).isEqualTo(passed + 1);
    }

    @Test
    void failuresAreCountedUntilTheEntryIsSettled() {
        LaneCursor cursor = with(2);

        cursor.countFailure(1);
        cursor.countFailure(1);
        assertThat(cursor.failedCount(1)).isEqualTo(2);
        cursor.settle(1, 2);

        assertThat(cursor.failedCount(1)).isZero();
        assertThat(cursor.failed()).isNull();
    }

    @Test
    void givingBackWhatWasPurgedMeanwhileDoesNothing() {
        LaneCursor cursor = with(2);
        cursor.take(0);
        cursor.settle(0, 2);

        cursor.giveBack(0);

        assertThat(cursor.ready()).isZero();
        assertThat(cursor.next()).isEqualTo(-1);
    }

    @Test
    void whatIsNotReadyCannotBeTaken() {
        LaneCursor cursor = with(2);
        cursor.take(0);

        assertThatThrownBy(() -> cursor.take(0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> cursor.take(2)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> cursor.giveBack(1)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest(name = "seed={0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void anySequenceOfStepsLeavesWhatAListWouldHave(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        long first = random.nextInt(2) == 0 ? 0 : (1L << (31 + random.nextInt(17))) - random.nextInt(400);
        LaneCursor cursor = new LaneCursor(first);
        List<State> model = new ArrayList<>();
        List<Boolean> flagged = new ArrayList<>();
        for (int step = 0; step < 600; step++) {
            int index = model.isEmpty() ? 0 : random.nextInt(model.size());
            switch (random.nextInt(6)) {
                case 0, 1 -> {
                    cursor.append();
                    model.add(State.READY);
                    flagged.add(false);
                }
                case 2 -> {
                    long next = random.nextInt(4) > 0 ? cursor.next() : cursor.nextFrom(first + index);
                    if (next >= 0) {
                        cursor.take(next);
                        model.set((int) (next - first), State.TAKEN);
                    }
                }
                case 3 -> {
                    if (!model.isEmpty() && model.get(index) == State.TAKEN) {
                        cursor.giveBack(first + index);
                        model.set(index, State.READY);
                        flagged.set(index, true);
                    }
                }
                default -> {
                    int to = Math.min(model.size(), index + 1 + random.nextInt(random.nextInt(10) == 0 ? 40 : 2));
                    cursor.settle(first + index, first + to);
                    for (int i = index; i < to; i++) {
                        model.set(i, State.SETTLED);
                        flagged.set(i, false);
                    }
                }
            }
            compare(cursor, first, model, flagged, random);
        }
    }

    private static void compare(
            LaneCursor cursor, long first, List<State> model, List<Boolean> flagged, SplittableRandom random) {
        int from = model.isEmpty() ? 0 : random.nextInt(model.size());
        long floor = model.stream().takeWhile(state -> state == State.SETTLED).count();
        assertThat(cursor.floor()).isEqualTo(first + floor);
        int ready = model.indexOf(State.READY);
        assertThat(cursor.next()).isEqualTo(ready < 0 ? -1 : first + ready);
        int relative = model.subList(from, model.size()).indexOf(State.READY);
        assertThat(cursor.nextFrom(first + from)).isEqualTo(relative < 0 ? -1 : first + from + relative);
        assertThat(cursor.ready()).isEqualTo(count(model, State.READY));
        assertThat(cursor.unsettled()).isEqualTo(model.size() - count(model, State.SETTLED));
        if (!model.isEmpty()) {
            assertThat(cursor.settled(first + from)).isEqualTo(model.get(from) == State.SETTLED);
            assertThat(cursor.redelivered(first + from)).isEqualTo(flagged.get(from));
        }
    }

    private static long count(List<State> model, State wanted) {
        return model.stream().filter(state -> state == wanted).count();
    }

    private static LaneCursor with(int entries) {
        LaneCursor cursor = new LaneCursor(0);
        for (int i = 0; i < entries; i++) {
            cursor.append();
        }
        return cursor;
    }
}
