package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.SegmentRefs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Live counters of segments are compared with the entries in each pass of the scrub. */
@DisplayName("[L-7] counters of what is live in a segment are audited and mended")
final class CounterAuditTest {
    private static final int MESSAGES = 1000;
    private static final long DAY_MS = 86_400_000;
    private static final long LANE = StoreRig.QUEUE.laneId();

    @TempDir
    private Path folder;

    private StoreRig rig;

    @BeforeEach
    void openWithEntriesInBlocksAndInMemory() {
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, DAY_MS, 1L << 30));
        rig.publish(MESSAGES, 2000);
        rig.settle(3, 400);
        rig.checkpoint();
        rig.checkpoint();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void aLaneThatCountsTooLittleIsMendedBeforeASegmentGoesThatIsNeeded() {
        SegmentRefs nothing = new SegmentRefs();
        corrupt(nothing);
        assertThat(lanes().totals().size()).isZero();

        audit();

        everythingIsCounted();
        rig.checkpoint();
        rig.checkpoint();
        rig.crash();
        assertThat(rig.read(0)).isNotNull();
        assertThat(rig.read(MESSAGES - 1)).isNotNull();
        everythingIsCounted();
    }

    @Test
    void aLaneThatCountsTooMuchIsMendedSoThatItPinsNothing() {
        SegmentRefs more = counted();
        more.add(1, 7, 700);
        more.add(500, 1, 10);
        corrupt(more);

        audit();

        everythingIsCounted();
    }

    @Test
    void bytesAloneAreCountedToo() {
        SegmentRefs more = counted();
        more.add(0, 0, 12_345);
        corrupt(more);

        audit();

        everythingIsCounted();
    }

    @Test
    void sumsOverAllLanesAreMended() {
        lanes().totals().add(1, 5, 500);

        audit();

        everythingIsCounted();
    }

    @Test
    void whatIsSettledAndPublishedWhileTheAuditLooksIsCountedOnce() {
        corrupt(new SegmentRefs());
        CounterAudit audit = new CounterAudit(lanes(), new QueueNames());
        LaneSnapshot before = lanes().snapshot(LANE);
        before.forEachUnsettled(
                rig.store().parts().view(),
                entry -> audit.entry(entry, LANE),
                unread -> assertThat(unread).isNull());
        audit.laneEnd(before, true);
        rig.settle(500, 600);
        rig.publish(10, 2000);

        audit.correct();

        everythingIsCounted();
    }

    @Test
    void aQueuePurgedWhileTheAuditLooksIsLeftAlone() {
        SegmentRefs more = counted();
        more.add(1, 7, 700);
        corrupt(more);
        CounterAudit audit = new CounterAudit(lanes(), new QueueNames());
        LaneSnapshot before = lanes().snapshot(LANE);
        before.forEachUnsettled(
                rig.store().parts().view(),
                entry -> audit.entry(entry, LANE),
                unread -> assertThat(unread).isNull());
        audit.laneEnd(before, true);
        rig.apply(Frames.purge(1, false));

        audit.correct();

        assertThat(lanes().totals().size()).isZero();
        everythingIsCounted();
    }

    @Test
    @DisplayName("also where store.scrub-rate is 0")
    void withoutScrub() {
        rig.close();
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, DAY_MS, 0));
        corrupt(new SegmentRefs());

        audit();

        everythingIsCounted();
        assertThat(rig.store().scrubs()).isZero();
    }

    @Test
    @DisplayName("at the rate of the scrub")
    void throttled() {
        rig.close();
        rig = new StoreRig(folder, 512, new StoreUpkeep(0, DAY_MS, 32 << 10));
        // The log is read at the pace of the clock that background work sees, blocks at that of the disk.
        long before = rig.store().audits();
        rig.background();
        rig.advance(700_000);
        long blocks = rig.store().parts().view().liveBlocks().values().stream()
                .mapToLong(Integer::longValue)
                .sum();
        assertThat(blocks).isGreaterThanOrEqualTo(4);
        long begun = System.nanoTime();
        rig.await(() -> {
            rig.advance(20_000);
            return rig.store().audits() > before;
        });

        long tenthOfASecondFree = (blocks * 4096 - (32 << 10) / 10) * 1_000_000_000L / (32 << 10);
        assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(tenthOfASecondFree);
    }

    @Test
    @DisplayName("a surplus that the settling of a queue's last message finds is forgotten, and the store goes on")
    void surplusFoundBySettling() {
        SegmentRefs more = counted();
        more.add(1, 7, 700);
        more.add(500, 1, 10);
        corrupt(more);

        rig.settle(0, 3);
        rig.settle(400, MESSAGES);

        assertThat(rig.store().state()).isEqualTo(StoreState.RUNNING);
        assertThat(lanes().totals().size()).isZero();
        everythingIsCounted();
    }

    @Test
    @DisplayName("a settlement that has to read a damaged block, of messages purged on the way, is not the end")
    void settlementNeedsADamagedBlock() throws IOException {
        Frame settlement = Frames.settle(List.of(
                new Settlement(LANE, rig.entry(2), Settlement.Kind.ACK),
                new Settlement(LANE, rig.entry(400), Settlement.Kind.ACK)));
        rig.settle(2, 3);
        rig.checkpoint();
        rig.checkpoint();
        rig.crash();
        try (Stream<Path> files = Files.list(folder.resolve("view"))) {
            for (Path path : files.toList()) {
                byte[] bytes = Files.readAllBytes(path);
                for (int at = 500; at < bytes.length; at += 4096) {
                    bytes[at] ^= 1;
                }
                Files.write(path, bytes);
            }
        }

        rig.apply(settlement);

        assertThat(rig.store().state()).isEqualTo(StoreState.RUNNING);
        assertThat(rig.lane().cursor().settled(400)).isTrue();
        rig.await(() -> rig.store().audits() == 2);
        everythingIsCounted();
        // Nor is it at the start, when it is replayed.
        rig.crash();
        assertThat(rig.lane().cursor().settled(400)).isTrue();
        rig.await(() -> rig.store().audits() == 2);
        everythingIsCounted();
        // Those before point at the damaged blocks still.
        rig.checkpoint();
        rig.checkpoint();
    }

    private Lanes lanes() {
        return rig.store().parts().lanes();
    }

    private SegmentRefs counted() {
        return lanes().recount();
    }

    /** As a defect would leave it: entries hold something else than their lane says. */
    private void corrupt(SegmentRefs says) {
        assertThat(lanes().correct(lanes().snapshot(LANE), says)).isTrue();
    }

    /** A whole pass of the scrub, with what follows it. */
    private void audit() {
        long before = rig.store().audits();
        rig.background();
        // The first pass is due, and no checkpoint: what is wrong must not have been written meanwhile.
        rig.advance(700_000);
        rig.await(() -> {
            rig.advance(50);
            return rig.store().audits() > before;
        });
    }

    private void everythingIsCounted() {
        List<String> problems = new ArrayList<>();
        lanes().audit(problems::add);
        assertThat(problems).isEmpty();
        assertThat(lanes().totals().toTriples()).isEqualTo(lanes().recount().toTriples());
    }
}
