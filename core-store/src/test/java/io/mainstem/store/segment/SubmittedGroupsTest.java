package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.files.SimDisk;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** [ADR 0051] Groups that are deferred are no reason to write, and keep their place. */
final class SubmittedGroupsTest {
    private final SubmittedGroups groups = new SubmittedGroups();

    private void add(long number, Durability durability) {
        groups.add(TestGroup.settle(number, durability));
    }

    private long pollUrgent() {
        return numberOf(groups.pollUrgent());
    }

    private static long numberOf(RecordGroup group) {
        return group == null ? -1 : ((TestGroup) group).number;
    }

    @Test
    @DisplayName("deferred groups alone are no reason to write")
    void deferredAloneWait() {
        add(1, Durability.DEFERRED);
        add(2, Durability.DEFERRED);

        assertThat(pollUrgent()).isEqualTo(-1);
        assertThat(groups.isEmpty()).as("they are still there").isFalse();
    }

    @Test
    @DisplayName("a group that is not deferred takes those before it along, in order, and no later one")
    void orderIsKept() {
        add(1, Durability.DEFERRED);
        assertThat(pollUrgent()).isEqualTo(-1);
        add(2, Durability.DEFERRED);
        add(3, Durability.WRITE);
        add(4, Durability.DEFERRED);

        assertThat(pollUrgent()).isEqualTo(1);
        assertThat(pollUrgent()).isEqualTo(2);
        assertThat(pollUrgent()).isEqualTo(3);
        assertThat(pollUrgent()).isEqualTo(-1);
    }

    @Test
    @DisplayName("what was asked for goes too where it lies behind a group that goes alone, as a refused one does")
    void askedForBehindAnother() {
        add(1, Durability.SYNC);
        add(2, Durability.DEFERRED);

        groups.askForDeferred();

        assertThat(pollUrgent()).isEqualTo(1);
        assertThat(pollUrgent()).isEqualTo(2);
        assertThat(pollUrgent()).isEqualTo(-1);
        add(3, Durability.DEFERRED);
        assertThat(pollUrgent()).as("the request is done with").isEqualTo(-1);
    }

    @Test
    @DisplayName("a batch that is being filled takes deferred groups behind it as well")
    void ridingTakesAll() {
        add(1, Durability.DEFERRED);
        add(2, Durability.SYNC);
        add(3, Durability.DEFERRED);

        assertThat(pollUrgent()).isEqualTo(1);
        assertThat(numberOf(groups.poll())).isEqualTo(2);
        assertThat(numberOf(groups.poll())).isEqualTo(3);
        assertThat(groups.poll()).isNull();
        assertThat(groups.isEmpty()).isTrue();
        add(4, Durability.DEFERRED);
        assertThat(pollUrgent()).as("the next one waits again").isEqualTo(-1);
    }

    @Test
    @DisplayName("what was there when it was asked for goes, what comes later waits")
    void askedForOnce() {
        add(1, Durability.DEFERRED);
        assertThat(pollUrgent()).isEqualTo(-1);
        add(2, Durability.DEFERRED);
        groups.askForDeferred();

        assertThat(pollUrgent()).isEqualTo(1);
        add(3, Durability.DEFERRED);
        assertThat(pollUrgent()).isEqualTo(2);
        assertThat(pollUrgent()).isEqualTo(-1);
    }

    @Test
    @DisplayName("the log writes deferred groups and the next message in one batch, however long that takes to come")
    void oneBatch() {
        SteppedLog stepped = SteppedLog.open(new SimDisk(), SteppedLog.config(), 0, 0, group -> {});
        SegmentedLog log = stepped.log();
        stepped.settle();
        long before = log.writtenLsn();
        TestGroup settled = TestGroup.settle(1, Durability.DEFERRED);
        log.submit(settled);
        stepped.settle();
        assertThat(log.writtenLsn()).as("nothing was written").isEqualTo(before);

        TestGroup message = TestGroup.message(2, 100, Durability.SYNC);
        log.submit(message);
        stepped.settle();

        DrainedList drained = new DrainedList();
        log.drain(drained, 10);
        assertThat(drained.durable).containsExactly(settled, message);
        long between = message.frames().get(0).lsn() - settled.frames().get(0).lsn();
        assertThat(between).as("one record, no batch header").isEqualTo(RecordHeader.BYTES + 40);
        log.abandon();
    }
}
