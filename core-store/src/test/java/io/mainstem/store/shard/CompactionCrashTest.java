package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.SimFaults.PowerCut;
import io.mainstem.store.segment.SteppedLog;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compaction dies in each of its operations on the disk; whatever it leaves, nothing that is needed is gone. */
final class CompactionCrashTest {
    private static final Route ROUTE = new Route(1, 0);
    private static final int MESSAGES = 400;
    private static final int STUCK_EACH = 37;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[L-7] a power cut or a kill in any operation of a compaction loses nothing")
    void everyOperation(boolean powerCut) {
        SimDisk prepared = sparseStore();
        int operations = 0;
        boolean died = true;
        while (died) {
            SimDisk disk = prepared.copy();
            died = compactUntil(disk, operations, powerCut);
            mustHoldAllThatIsStuck(disk);
            operations++;
        }
        assertThat(operations).as("operations that a compaction takes").isGreaterThan(10);
    }

    @Test
    void aFullDiskOrAFailingOneIsTriedAgainLater() {
        SimDisk prepared = sparseStore();
        for (int write = 0; write < 4; write++) {
            SimDisk disk = prepared.copy();
            SimStore sim = new SimStore(disk);
            disk.faults().shortWriteIn(write);
            sim.compact();
            disk.faults().clear();
            mustRead(sim);
            sim.store().abandon();
            mustHoldAllThatIsStuck(disk);
        }
    }

    @Test
    @DisplayName(
            "a compaction that fails again and again is tried after 1, 2, 4, 8, then every 16 minutes, until it works")
    void retriesBackOff() {
        SimDisk disk = sparseStore();
        SimStore sim = new SimStore(disk);
        disk.faults().capacityBytes(0);
        untilTried(sim);

        List<Long> waits = new ArrayList<>();
        for (int attempt = 0; attempt < 6; attempt++) {
            waits.add(untilTried(sim));
        }

        assertThat(waits).containsExactly(60L, 120L, 240L, 480L, 960L, 960L);
        disk.faults().capacityBytes(Long.MAX_VALUE);
        untilTried(sim);
        assertThat(sim.store().compactions()).isEqualTo(1);
        mustRead(sim);
        sim.store().abandon();
    }

    /** Seconds until the next attempt. */
    private static long untilTried(SimStore sim) {
        long seconds = 10;
        while (!sim.compactAfter(10_000)) {
            seconds += 10;
            assertThat(seconds).as("seconds without an attempt").isLessThan(100_000);
        }
        return seconds;
    }

    /** True if the machine died before the compaction had ended. */
    private static boolean compactUntil(SimDisk disk, int operations, boolean powerCut) {
        SimStore sim = new SimStore(disk);
        disk.faults().powerCutIn(operations);
        try {
            sim.compact();
            assertThat(sim.store().compactions()).isPositive();
            mustRead(sim);
            disk.faults().clear();
            sim.store().abandon();
            return false;
        } catch (PowerCut e) {
            if (powerCut) {
                disk.powerCut(operations);
            } else {
                disk.processDeath();
            }
            return true;
        }
    }

    private static void mustHoldAllThatIsStuck(SimDisk disk) {
        disk.faults().clear();
        SimStore sim = new SimStore(disk);
        mustRead(sim);
        assertThat(disk.list(SteppedLog.FOLDER.resolve("log")))
                .as("left over")
                .noneMatch(name -> name.endsWith(".tmp"));
        sim.compact();
        mustRead(sim);
        sim.store().abandon();
        disk.processDeath();
    }

    private static void mustRead(SimStore sim) {
        int read = 0;
        for (long index = 0; index < MESSAGES; index++) {
            if (!sim.store().lane(ROUTE.laneId()).cursor().settled(index)) {
                Entry entry = sim.entry(sim.store().lane(ROUTE.laneId()), index);
                byte[] head =
                        sim.store().read(entry).toCompletableFuture().join().head();
                assertThat(head).containsExactly((byte) index, (byte) (index >> 8));
                read++;
            }
        }
        assertThat(read).isEqualTo((MESSAGES + STUCK_EACH - 1) / STUCK_EACH);
    }

    /** Some segments in which every 37th message waits. */
    private static SimDisk sparseStore() {
        SimDisk disk = new SimDisk();
        SimStore sim = new SimStore(disk);
        for (int i = 0; i < MESSAGES; i += 20) {
            List<Frame> frames = new ArrayList<>();
            for (int k = i; k < i + 20; k++) {
                byte[] head = {(byte) k, (byte) (k >> 8)};
                frames.add(Frames.message(List.of(ROUTE), 0, 0, head, List.of(new byte[1000])));
            }
            apply(sim, frames);
        }
        List<Settlement> settled = new ArrayList<>();
        for (long index = 0; index < MESSAGES; index++) {
            if (index % STUCK_EACH != 0) {
                Entry entry = sim.entry(sim.store().lane(ROUTE.laneId()), index);
                settled.add(new Settlement(ROUTE.laneId(), entry, Settlement.Kind.ACK));
            }
        }
        apply(sim, List.of(Frames.settle(settled)));
        sim.checkpoint();
        sim.checkpoint();
        sim.store().abandon();
        disk.processDeath();
        return disk;
    }

    private static void apply(SimStore sim, List<Frame> frames) {
        SimGroup group = new SimGroup(1, frames, List.of(), Durability.SYNC);
        sim.store().submit(group);
        sim.settle();
        assertThat(group.applied).isTrue();
    }
}
