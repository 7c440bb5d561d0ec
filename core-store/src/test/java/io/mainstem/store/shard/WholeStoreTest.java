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
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-11] a store is whole or refuses: what is left of one, or has not become one, never starts empty")
final class WholeStoreTest {
    private static final Path FOLDER = SteppedLog.FOLDER;
    private static final int MESSAGES = 300;

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
