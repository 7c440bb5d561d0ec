package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.Route;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[issue 12 line 5] a group of more records than one turn takes")
final class GroupInTurnsTest {
    private static final Route QUEUE = new Route(1, 0);
    private static final int RECORDS = 3000;

    private final SimStore sim = new SimStore(new SimDisk(), SteppedStore.config(1 << 20));

    private static List<Frame> records() {
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < RECORDS; i++) {
            frames.add(Frames.message(List.of(QUEUE), 0, 0, new byte[8], List.of()));
        }
        return frames;
    }

    private long entries() {
        Lane lane = sim.store().lane(QUEUE.laneId());
        return lane == null ? 0 : lane.nextIndex();
    }

    /** Does something for each record as it is folded, some at a time. */
    private static final class EachInTurn extends RecordGroup {
        private int done;
        private boolean applied;

        EachInTurn() {
            super(records(), Durability.WRITE);
        }

        @Override
        public boolean applySome(Folding records) {
            for (int left = 700; done < RECORDS; left--) {
                if (left == 0) {
                    return false;
                }
                records.next();
                done++;
            }
            return super.applySome(records);
        }

        @Override
        public void onApplied() {
            applied = true;
        }

        @Override
        public void onFailed(StoreState why) {
            throw new AssertionError(why);
        }
    }

    @Test
    @DisplayName("between turns there is of it what its submitter has seen, not a record more")
    void inStep() {
        EachInTurn group = new EachInTurn();
        sim.store().submit(group);
        sim.settleLog();
        int turns = 0;
        while (!group.applied) {
            sim.store().poll(1024);
            assertThat(entries()).isEqualTo(group.done);
            turns++;
        }
        assertThat(turns).isEqualTo(5);
        assertThat(entries()).isEqualTo(RECORDS);
    }

    @Test
    @DisplayName("what is behind it in the log comes after all of it")
    void inOrder() {
        SimGroup large = new SimGroup(1, records(), List.of(), Durability.WRITE);
        SimGroup behind = new SimGroup(
                2, List.of(Frames.message(List.of(QUEUE), 0, 0, new byte[8], List.of())), List.of(), Durability.WRITE);
        sim.store().submit(large);
        sim.store().submit(behind);
        sim.settleLog();
        int turns = 0;
        while (!behind.applied) {
            sim.store().poll(1024);
            turns++;
            assertThat(behind.applied && !large.applied).isFalse();
            assertThat(large.applied).isEqualTo(entries() >= RECORDS);
        }
        assertThat(turns).isGreaterThanOrEqualTo(3);
        assertThat(entries()).isEqualTo(RECORDS + 1);
    }
}
