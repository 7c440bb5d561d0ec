package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** [ADR 0053] Publishers that wait for a sync share the next one. */
final class ConvoyTest {
    private static final long MAX = 1_000_000;

    private long now = 7;
    private final Convoy convoy = new Convoy(() -> now, MAX);

    private void sync(long nanos, int groups, int behind) {
        long begin = now;
        now += nanos;
        convoy.synced(begin, groups, behind);
    }

    @Test
    @DisplayName("nobody waits before anything is known, nor for a lone publisher, nor for three")
    void fewDoNotWait() {
        assertThat(convoy.waitNanos(1)).isZero();
        sync(400_000, 1, 0);
        assertThat(convoy.waitNanos(1)).isZero();
        sync(400_000, 1, 2);
        assertThat(convoy.waitNanos(1)).isZero();
    }

    @Test
    @DisplayName("the first of sixteen waits as long as the last sync took, and goes as soon as all are there")
    void sixteenWait() {
        sync(400_000, 10, 6);

        assertThat(convoy.waitNanos(1)).isEqualTo(400_000);
        assertThat(convoy.awaits(15)).as("fifteen wake nobody").isTrue();
        assertThat(convoy.awaits(16)).as("sixteen do").isFalse();
        now += 100_000;
        assertThat(convoy.waitNanos(9)).as("the time goes on").isEqualTo(300_000);
        assertThat(convoy.waitNanos(16)).isZero();
        assertThat(convoy.awaits(1)).as("and from now on everybody wakes").isFalse();
    }

    @Test
    @DisplayName("who does not come is waited for once: fewer are expected after that")
    void theLateAreForgotten() {
        sync(400_000, 16, 0);
        assertThat(convoy.waitNanos(5)).isPositive();
        now += 400_000;
        assertThat(convoy.waitNanos(5)).as("time is up").isZero();

        sync(400_000, 5, 0);

        assertThat(convoy.waitNanos(5)).isZero();
    }

    @Test
    @DisplayName("after a slow sync nobody waits longer than the setting allows; with 0 not at all")
    void theWaitIsBounded() {
        sync(80_000_000, 16, 0);
        assertThat(convoy.waitNanos(1)).isEqualTo(MAX);

        Convoy off = new Convoy(() -> now, 0);
        off.synced(now - 500_000, 16, 0);
        assertThat(off.waitNanos(1)).isZero();
        assertThat(off.gathers()).isFalse();
    }

    @Test
    @DisplayName("who has many messages under way fills batches by himself")
    void manyDoNotWait() {
        sync(400_000, 50, 50);
        assertThat(convoy.waitNanos(1)).isZero();
        convoy.written(200, 0);
        assertThat(convoy.waitNanos(1)).isZero();
        assertThat(convoy.gathers()).isFalse();
    }

    @Test
    @DisplayName("what another thread syncs counts as well")
    void writtenByOthers() {
        sync(400_000, 1, 0);
        convoy.written(4, 4);
        assertThat(convoy.waitNanos(4)).isEqualTo(400_000);
    }

    @Nested
    @DisplayName("a writer that does not wait for publishers any more is woken by each")
    final class Writer {
        private final SimDisk disk = new SimDisk();
        private final SegmentedLog log = SegmentedLog.openStepped(
                new LogOpening(disk, SteppedLog.config(), InstantSource.system(), () -> now += 300_000),
                0,
                0,
                records -> {},
                LogReader.threads(1));
        private final BatchWriter writer = (BatchWriter) log.steps().get(0);
        private final Syncer syncer = (Syncer) log.steps().get(1);
        private long number;

        @BeforeEach
        void waitsForFive() {
            for (int publisher = 0; publisher < 5; publisher++) {
                submit(Durability.SYNC);
            }
            stepUntilWoken();
            submit(Durability.WRITE);
            assertThat(writer.step()).as("what needs no sync waits for nobody").isZero();
            stepUntilWoken();
            submit(Durability.SYNC);
            assertThat(writer.step()).isPositive();
            assertThat(writer.waits()).as("four more are awaited").isTrue();
        }

        @AfterEach
        void abandon() {
            log.abandon();
        }

        @Test
        @DisplayName("though the keeper has begun a sync meanwhile, with which the writer does not wait")
        void syncOfTheKeeper() {
            syncer.request();
            stepUntilWoken();

            assertThat(writer.waits()).isFalse();
        }

        @Test
        @DisplayName("though the log has failed meanwhile: they are to be told")
        void failed() {
            disk.faults().syncFailsIn(0);
            syncer.syncNow();
            stepUntilWoken();

            assertThat(log.state()).isEqualTo(StoreState.FAILED);
            assertThat(writer.waits()).isFalse();
        }

        private void submit(Durability durability) {
            log.submit(TestGroup.message(number++, 100, durability));
        }

        private void stepUntilWoken() {
            long left = 0;
            while (left != LogWorker.UNTIL_WOKEN) {
                left = writer.step();
            }
        }
    }
}
