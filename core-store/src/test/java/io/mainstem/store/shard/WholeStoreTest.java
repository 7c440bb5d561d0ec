package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.store.Durability;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.SimFaults.PowerCut;
import io.mainstem.store.segment.SteppedLog;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-11] a store is whole or refuses: what is left of one, or has not become one, never starts empty")
final class WholeStoreTest {
    private static final Path FOLDER = SteppedLog.FOLDER;
    private static final int MESSAGES = 300;
    private static final String SEGMENT = "00000000000000000000.log";
    private static final String CHECKPOINT = "00000001.ckpt";

    private final SimDisk disk = new SimDisk();

    private void aStore() {
        SimStore sim = new SimStore(disk);
        for (int i = 0; i < MESSAGES; i++) {
            sim.store()
                    .submit(new SimGroup(
                            0,
                            List.of(Frames.message(List.of(new Route(1, 0)), 0, 0, new byte[1000], List.of())),
                            List.of(),
                            Durability.SYNC));
            sim.settle();
        }
        sim.checkpoint();
        sim.checkpoint();
        sim.store().abandon();
        disk.processDeath();
        disk.settle();
    }

    private void loseAllBut(String... kept) {
        for (String folder : List.of("", "log", "log/pool", "ckpt", "view")) {
            for (String name : disk.list(FOLDER.resolve(folder))) {
                if (!List.of(kept).contains(name)) {
                    disk.lose(FOLDER.resolve(folder).resolve(name));
                }
            }
        }
    }

    @Test
    void onlyItsMetaFileIsLeft() {
        aStore();
        loseAllBut("store.meta");
        assertThatThrownBy(() -> new SimStore(disk))
                .hasMessageContaining("MS-0264")
                .hasMessageContaining("fix:");
    }

    @Test
    void onlyMetaFileAndNoteAreLeft() {
        aStore();
        loseAllBut("store.meta", "synced");
        assertThatThrownBy(() -> new SimStore(disk))
                .hasMessageContaining("MS-0204")
                .hasMessageContaining("fix:");
    }

    @Test
    @DisplayName("its meta file is lost: whatever else is there says that it was a store")
    void itsMetaFileIsLost() {
        aStore();
        SimDisk all = disk.copy();
        all.lose(FOLDER.resolve("store.meta"));
        assertThatThrownBy(() -> new SimStore(all)).hasMessageContaining("MS-0203");
        for (String folder : List.of("log", "ckpt", "view")) {
            SimDisk one = disk.copy();
            for (String name : List.copyOf(one.list(FOLDER.resolve(folder)))) {
                SimDisk only = disk.copy();
                for (String other : List.of("", "log", "log/pool", "ckpt", "view")) {
                    for (String lost : only.list(FOLDER.resolve(other))) {
                        if (!other.equals(folder) || !lost.equals(name)) {
                            only.lose(FOLDER.resolve(other).resolve(lost));
                        }
                    }
                }
                assertThatThrownBy(() -> new SimStore(only))
                        .as(folder + "/" + name)
                        .hasMessageContaining("MS-0203");
            }
        }
    }

    @Test
    @DisplayName(
            "a power cut at any moment while it is made: the next start makes it, and what is confirmed then stays")
    void makingIsInterrupted() {
        for (int cut = 0; cut < 40; cut++) {
            SimDisk empty = new SimDisk();
            empty.faults().powerCutIn(cut);
            try {
                new SimStore(empty).store().abandon();
            } catch (PowerCut e) {
                // as wished
            }
            empty.powerCut(cut);
            SimStore sim = new SimStore(empty);
            assertThat(sim.store().lanes()).isEmpty();
            sim.store().abandon();
            empty.processDeath();
        }
    }

    /** As older versions left it that made {@code store.meta} first: its first segment without a batch, and no note. */
    private static SimDisk begunByOlderVersion() {
        SimDisk begun = new SimDisk();
        begun.createDirectories(FOLDER);
        SimStore sim = new SimStore(begun);
        sim.settle();
        sim.store().abandon();
        begun.processDeath();
        byte[] segment = begun.contents(FOLDER.resolve("log").resolve(SEGMENT));
        Arrays.fill(segment, 512, segment.length, (byte) 0);
        SimDisk left = new SimDisk();
        left.put(FOLDER.resolve("store.meta"), begun.contents(FOLDER.resolve("store.meta")));
        left.put(FOLDER.resolve("log").resolve(SEGMENT), segment);
        return left;
    }

    private static void assertStartsEmpty(SimDisk left) {
        SimStore sim = new SimStore(left);
        assertThat(sim.store().lanes()).isEmpty();
        sim.settle();
        sim.store().abandon();
        left.processDeath();
        new SimStore(left).store().abandon();
    }

    @Test
    @DisplayName("the first start by an older version was broken off before anything was written: it is an empty store")
    void firstStartByOlderVersion() {
        assertStartsEmpty(begunByOlderVersion());
        SimDisk blankNote = begunByOlderVersion();
        blankNote.put(FOLDER.resolve("ckpt/synced"), new byte[1024]);
        assertStartsEmpty(blankNote);
        SimDisk emptyNote = begunByOlderVersion();
        emptyNote.put(FOLDER.resolve("ckpt/synced"), new byte[0]);
        assertStartsEmpty(emptyNote);
    }

    @Test
    @DisplayName("what an older version began and what has lost its note is not the same: any trace of use refuses")
    void tracesOfUse() {
        SimDisk damagedNote = begunByOlderVersion();
        byte[] note = new byte[1024];
        note[100] = 1;
        damagedNote.put(FOLDER.resolve("ckpt/synced"), note);
        assertRefused(damagedNote);
        for (String trace : List.of("ckpt/" + CHECKPOINT, "view/00000001.view", "log/attic/" + SEGMENT)) {
            SimDisk left = begunByOlderVersion();
            left.put(FOLDER.resolve(trace), new byte[4096]);
            assertRefused(left);
        }
        SimDisk otherSegment = begunByOlderVersion();
        byte[] segment = otherSegment.contents(FOLDER.resolve("log").resolve(SEGMENT));
        otherSegment.lose(FOLDER.resolve("log").resolve(SEGMENT));
        otherSegment.put(FOLDER.resolve("log/00000000000000065536.log"), segment);
        assertRefused(otherSegment);
        aStore();
        loseAllBut("store.meta", SEGMENT);
        assertRefused(disk);
    }

    @Test
    @DisplayName("a batch anywhere in the first segment says that it was in use, though its beginning is gone")
    void aBatchBehindDamage() {
        SimStore sim = new SimStore(disk);
        for (int i = 0; i < 20; i++) {
            sim.store()
                    .submit(new SimGroup(
                            0,
                            List.of(Frames.message(List.of(new Route(1, 0)), 0, 0, new byte[1000], List.of())),
                            List.of(),
                            Durability.SYNC));
            sim.settle();
        }
        sim.store().abandon();
        disk.processDeath();
        disk.settle();
        loseAllBut("store.meta", SEGMENT);
        byte[] segment = disk.contents(FOLDER.resolve("log").resolve(SEGMENT));
        Arrays.fill(segment, 512, 16_384, (byte) 0);
        disk.put(FOLDER.resolve("log").resolve(SEGMENT), segment);
        assertRefused(disk);
    }

    @Test
    @DisplayName("a salvage that is broken off while the first segment is copied is not taken for a store never begun")
    void salvageOfAYoungStore() throws IOException {
        SimDisk young = begunByOlderVersion();
        SimStore sim = new SimStore(young);
        sim.store()
                .submit(new SimGroup(
                        0,
                        List.of(Frames.message(List.of(new Route(1, 0)), 0, 0, new byte[1000], List.of())),
                        List.of(),
                        Durability.SYNC));
        sim.settle();
        sim.store().abandon();
        young.processDeath();
        young.settle();
        Path target = Path.of("/salvaged");
        int refused = 0;
        for (int cut = 1; cut < 40; cut++) {
            SimDisk machine = young.copy();
            machine.faults().powerCutIn(cut);
            try {
                Salvage.run(SimStore.config(), target, machine, line -> {});
            } catch (PowerCut | IllegalStateException e) {
                // as wished
            }
            machine.powerCut(cut);
            if (machine.list(target.resolve("ckpt")).isEmpty()
                    && machine.list(target.resolve("log")).isEmpty()) {
                continue;
            }
            try {
                assertThat(waiting(machine, SimStore.config().in(target)))
                        .as("cut " + cut)
                        .isEqualTo(1);
            } catch (StoreException e) {
                assertThat(e.code()).isIn("MS-0203", "MS-0264");
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(5);
    }

    private static void assertRefused(SimDisk left) {
        assertThatThrownBy(() -> new SimStore(left))
                .hasMessageContaining("MS-0264")
                .hasMessageContaining("fix:");
        left.processDeath();
    }

    @Test
    @DisplayName("a restore that was broken off leaves no store: an empty one is not begun beside it")
    void aRestoreIsBrokenOff() {
        aStore();
        SimDisk broken = new SimDisk();
        for (String name : disk.list(FOLDER.resolve("log"))) {
            broken.put(
                    Path.of("/store.restoring/log").resolve(name),
                    disk.contents(FOLDER.resolve("log").resolve(name)));
        }
        assertThatThrownBy(() -> new SimStore(broken))
                .hasMessageContaining("MS-0265")
                .hasMessageContaining("fix:");
    }

    @Test
    @DisplayName("a salvage that is broken off at any moment leaves a store that refuses, or one that has all there is")
    void salvageIsInterrupted() throws IOException {
        aStore();
        int refused = 0;
        int whole = 0;
        for (int cut = 1; whole < 3; cut += 1 + cut / 8) {
            SimDisk machine = disk.copy();
            Path target = Path.of("/salvaged");
            boolean ended = false;
            try {
                machine.faults().powerCutIn(cut);
                Salvage.run(SimStore.config(), target, machine, line -> {});
                ended = true;
            } catch (PowerCut e) {
                machine.powerCut(cut);
            } catch (IllegalStateException e) {
                // The power went on a thread of the store.
                machine.powerCut(cut);
            }
            machine.processDeath();
            if (machine.list(target).isEmpty()
                    && machine.list(target.resolve("log")).isEmpty()) {
                continue; // nothing of it has been begun
            }
            try {
                assertThat(waiting(machine, SimStore.config().in(target)))
                        .as("cut " + cut)
                        .isEqualTo(MESSAGES);
                whole += ended ? 1 : 0;
            } catch (StoreException e) {
                assertThat(ended).as(e.getMessage()).isFalse();
                assertThat(e.code()).as(e.getMessage()).isIn("MS-0203", "MS-0264");
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(10);
    }

    private static long waiting(SimDisk machine, StoreConfig config) {
        List<Long> waiting = new ArrayList<>();
        SimStore sim = new SimStore(machine, config);
        sim.store().lanes().forEach((Lane lane) -> waiting.add(lane.cursor().unsettled()));
        sim.store().abandon();
        machine.processDeath();
        return waiting.stream().mapToLong(Long::longValue).sum();
    }
}
