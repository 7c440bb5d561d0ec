package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoredMessage;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole store on a real disk. */
final class LocalShardStoreTest {
    @TempDir
    Path folder;

    @Test
    void aMessageIsThereAfterACrashOnceItsGroupIsApplied() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.apply(StoreRig.message("first", new byte[] {1, 2}, new byte[] {3}));

            rig.crash();

            StoredMessage message = rig.read(0);
            assertThat(message.head()).isEqualTo("first".getBytes(StandardCharsets.UTF_8));
            assertThat(message.payload()).containsExactly(new byte[] {1, 2, 3});
            assertThat(rig.lane().cursor().redelivered(0)).isTrue();
        }
    }

    @Test
    void aStoreMadeWithoutAlignmentOpensAgain() {
        try (StoreRig rig = new StoreRig(folder, 0)) {
            rig.apply(StoreRig.message("first", new byte[] {1}));
            rig.apply(StoreRig.message("second", new byte[] {2}));

            rig.restart();

            assertThat(rig.read(1).head()).isEqualTo("second".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void aLargeMessageIsReadBackFromItsParts() {
        byte[] half = new byte[1_500_000];
        half[7] = 7;
        try (StoreRig rig = new StoreRig(folder)) {
            rig.apply(StoreRig.message("large", half, half));

            rig.crash();

            StoredMessage message = rig.read(0);
            assertThat(rig.entry(0).isLarge()).isTrue();
            assertThat(message.payload().stream()
                            .mapToInt(piece -> piece.length)
                            .sum())
                    .isEqualTo(3_000_000);
            assertThat(message.payload().get(0)[7]).isEqualTo((byte) 7);
        }
    }

    @Test
    void aReferenceKeepsTheMessageAndAddsItsOverrides() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.apply(StoreRig.message("dead", new byte[10]));
            Entry entry = rig.entry(0);
            Route deadLetters = new Route(2, 0);

            rig.apply(
                    Frames.messageRef(
                            List.of(deadLetters), entry, ExpiryTimes.NEVER, "why".getBytes(StandardCharsets.UTF_8)),
                    Frames.settle(List.of(new Settlement(StoreRig.QUEUE.laneId(), entry, Settlement.Kind.MOVED))));
            rig.crash();

            Entry moved = rig.store().lane(deadLetters.laneId()).entry(0);
            StoredMessage message =
                    rig.store().read(moved).toCompletableFuture().join();
            assertThat(message.head()).isEqualTo("dead".getBytes(StandardCharsets.UTF_8));
            assertThat(message.overrides()).isEqualTo("why".getBytes(StandardCharsets.UTF_8));
            assertThat(rig.lane().cursor().unsettled()).isZero();
        }
    }

    @Test
    void afterAnOrderlyStopOnlyWhatWasTakenIsFlaggedRedelivered() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(3, 10);
            rig.lane().cursor().take(0);

            stopAndStart(rig);

            assertThat(rig.lane().cursor().next()).isZero();
            assertThat(rig.lane().cursor().redelivered(0)).isTrue();
            assertThat(rig.lane().cursor().redelivered(1)).isFalse();
        }
    }

    @Test
    void whatARunMayHaveDeliveredThatWasKilledIsFlaggedAlsoAfterAnOrderlyStop() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(3, 10);
            stopAndStart(rig);
            rig.lane().cursor().take(0); // and nothing is written

            rig.crash();

            assertThat(rig.lane().cursor().redelivered(0)).isTrue();
            stopAndStart(rig);
            assertThat(rig.lane().cursor().redelivered(0)).isTrue();
        }
    }

    /** As {@link StoreRig#restart} without its comparison, which opens the store and leaves it as a kill would. */
    private static void stopAndStart(StoreRig rig) {
        rig.store().close();
        rig.open();
    }

    @Test
    void failedDeliveriesAreCountedAcrossRestarts() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(2, 10);
            rig.apply(Frames.release(StoreRig.QUEUE.laneId(), new long[] {1}));
            rig.restart();
            rig.apply(Frames.release(StoreRig.QUEUE.laneId(), new long[] {1}));

            rig.crash();

            assertThat(rig.lane().cursor().failedCount(1)).isEqualTo(2);
        }
    }

    @Test
    void aDroppedQueueDoesNotComeBackByALateMessage() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(2, 10);
            rig.apply(Frames.purge(1, true), StoreRig.message("late", new byte[1]));
            assertThat(rig.lane()).isNull();

            rig.restart();
            rig.apply(StoreRig.message("later", new byte[1]));
            rig.crash();

            assertThat(rig.lane()).isNull();
        }
    }

    @Test
    void metadataIsThereAfterARestart() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.apply(
                    Frames.meta(List.of(new MetaChange("queue/a", new byte[] {1}), new MetaChange("b", new byte[0]))));
            rig.restart();
            rig.apply(Frames.meta(List.of(new MetaChange("b", null))));

            rig.crash();

            assertThat(rig.store().meta()).containsOnlyKeys("queue/a");
            assertThat(rig.store().meta().get("queue/a")).containsExactly(1);
        }
    }

    @Test
    void entriesThatLeftMemoryAreFetchedFromTheViewFiles() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(1000, 10);

            rig.restart();

            assertThat(rig.lane().entry(5)).isNull();
            assertThat(rig.entry(5).index()).isEqualTo(5);
            assertThat(rig.read(500).head()).isEqualTo("m500".getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void segmentsGoOnceNothingInThemIsNeededAndBothCheckpointsArePastThem() {
        try (StoreRig rig = new StoreRig(folder)) {
            for (int i = 0; i < 8; i++) {
                rig.publish(10, 50_000);
            }
            rig.settle(0, 79);
            assertThat(rig.store().parts().log().startLsn()).isZero();

            rig.checkpoint();
            rig.checkpoint();
            rig.apply(Frames.meta(List.of(new MetaChange("more", new byte[1]))));
            rig.checkpoint();

            List<SegmentInfo> left = rig.store().parts().log().segments();
            assertThat(left.get(0).baseLsn()).isGreaterThan(2 << 20);
            rig.crash();
            assertThat(rig.read(79).payload().get(0)).hasSize(50_000);
        }
    }

    @Test
    void viewFilesGoOnceNoLaneAndNoKeptCheckpointNeedsThem() throws IOException {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(4000, 10);
            rig.settle(0, 4000);
            for (int i = 0; i < 4; i++) {
                rig.publish(1, 1);
                rig.checkpoint();
            }
            try (var files = Files.list(folder.resolve("view"))) {
                assertThat(files.count()).isLessThanOrEqualTo(1);
            }
        }
    }

    @Test
    void aSettlementThatNamesAnotherRecordEndsTheStoreInsteadOfAcknowledgingTheWrongMessage() {
        StoreRig rig = new StoreRig(folder);
        rig.publish(2, 10);
        Entry right = rig.entry(0);
        Entry wrong = new Entry(0, right.lsn() + 8, right.size(), 0, 1, 0, 0);

        SimGroup group =
                rig.apply(Frames.settle(List.of(new Settlement(StoreRig.QUEUE.laneId(), wrong, Settlement.Kind.ACK))));

        assertThat(group.failed).isEqualTo(StoreState.FAILED);
        assertThat(rig.store().state()).isEqualTo(StoreState.FAILED);
        assertThat(rig.store().stateReason()).contains("MS-0230").contains("fix:");
        assertThat(rig.apply(StoreRig.message("after")).failed).isEqualTo(StoreState.FAILED);
        rig.close();
    }

    @Test
    void aSettlementThatRacedWithAPurgeSettlesTheRest() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(300, 10);
            Entry before = rig.entry(299);
            rig.apply(Frames.purge(1, false));
            rig.publish(2, 10);
            long lane = StoreRig.QUEUE.laneId();

            rig.apply(Frames.settle(List.of(
                    new Settlement(lane, before, Settlement.Kind.ACK),
                    new Settlement(lane, rig.entry(300), Settlement.Kind.ACK))));

            assertThat(rig.lane().cursor().floor()).isEqualTo(301);
            assertThat(rig.lane().cursor().unsettled()).isEqualTo(1);
            assertThat(rig.store().parts().lanes().totals().toTriples())
                    .isEqualTo(rig.store().parts().lanes().recount().toTriples());
        }
    }

    @Test
    void aStoreMadeWithOtherSegmentsKeepsThemAndItsCounters() {
        try (StoreRig rig = new StoreRig(folder)) {
            rig.publish(60, 50_000);
            rig.store().abandon();
            LocalShardStore store =
                    LocalShardStore.open(StoreConfig.defaults(folder), new NioFiles(), InstantSource.system());

            List<SegmentInfo> segments = store.parts().log().segments();

            assertThat(segments.get(0).endLsn()).isEqualTo(1 << 20);
            assertThat(store.parts().lanes().totals().refs(2)).isPositive();
            assertThat(store.parts()
                            .lanes()
                            .audit(problem -> assertThat(problem).isNull()))
                    .isEqualTo(60);
            store.close();
        }
    }

    @Test
    void groupsGivenBeforeAStopAreDoneAndThoseAfterFail() {
        StoreRig rig = new StoreRig(folder);
        SimGroup before = new SimGroup(1, List.of(StoreRig.message("x")), List.of(), Durability.SYNC);
        rig.store().submit(before);

        rig.store().close();

        assertThat(before.applied).isTrue();
        assertThatThrownBy(() -> rig.store().checkpoint().toCompletableFuture().getNow(null))
                .hasMessageContaining("closed");
    }

    @Test
    void aFileWhereTheFolderShouldBeIsToldWithTheFix() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));

        assertThatThrownBy(() -> new StoreRig(file))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining("fix:");
    }

    @Test
    void theOfflineCheckFindsASoundStoreSoundAndNamesADamagedBlock() throws IOException {
        StoreRig rig = new StoreRig(folder);
        rig.publish(1000, 10);
        rig.close();
        StateVerification.Report sound = StateVerification.run(rig.config(), new NioFiles());
        assertThat(sound.problems()).isEmpty();
        assertThat(sound.checked()).singleElement().asString().contains("1 lanes, 1000 unsettled entries");

        Path view = folder.resolve("view").resolve("00000000000000000001.view");
        byte[] bytes = Files.readAllBytes(view);
        bytes[5000] ^= 1;
        Files.write(view, bytes);

        StateVerification.Report damaged = StateVerification.run(rig.config(), new NioFiles());
        assertThat(damaged.problems())
                .singleElement()
                .asString()
                .contains("lane 1/0")
                .contains("checksum");
    }
}
