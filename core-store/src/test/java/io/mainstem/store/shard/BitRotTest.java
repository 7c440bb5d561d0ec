package io.mainstem.store.shard;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Delay;
import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.MetaChange;
import io.mainstem.store.MetaMark;
import io.mainstem.store.Route;
import io.mainstem.store.ScheduleLane;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.SteppedLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * One flipped bit anywhere in any kind of file. Whatever it hits, the store refuses to start, stops, repairs it, or serves
 * every message but those hit, which are refused by name and then settled as lost: never served wrong, never just gone.
 */
final class BitRotTest {
    private static final Route ROUTE = new Route(1, 0);
    private static final int MESSAGES = 700;
    private static final int SAMPLES = 60;
    private static final int SAMPLES_RUNNING = 12;
    /** Queue with a message that failed once, a large one and a reference; then one that was purged. */
    private static final Route OTHER = new Route(2, 0);

    private static final Route PURGED = new Route(3, 0);
    private static final long DUE_MS = 1_900_000_000_000L;

    private final SimDisk healthy = new SimDisk();
    private final TreeSet<Integer> waiting = new TreeSet<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private Map<String, String> meta;

    @BeforeEach
    void aStoreWithFilesOfEveryKind() {
        SimStore sim = new SimStore(healthy);
        records(sim, "a");
        publish(sim, 0, 500);
        settleAllBut(sim, 0, 300, 37);
        sim.checkpoint();
        sim.checkpoint();
        sim.compact();
        // In the checkpoints, in sealed files, and in what a restart replays.
        records(sim, "b");
        publish(sim, 500, MESSAGES);
        records(sim, "c");
        meta = meta(sim);
        sim.store().abandon();
        healthy.processDeath();
        for (int i = 0; i < MESSAGES; i++) {
            if (i >= 300 || i % 37 == 0) {
                waiting.add(i);
            }
        }
    }

    @Test
    @DisplayName("[L-11] detected, reported, never served, never silently dropped: every kind of file")
    void everyKindOfFile() {
        TreeSet<String> kinds = new TreeSet<>();
        for (String folder : List.of("", "log", "log/pool", "ckpt", "view")) {
            Path path = folder.isEmpty() ? SteppedLog.FOLDER : SteppedLog.FOLDER.resolve(folder);
            for (String name : healthy.list(path)) {
                kinds.add(name.replaceAll("\\d+", "N"));
                flipBitsOf(path.resolve(name));
            }
        }
        assertThat(kinds)
                .as("kinds of files")
                .contains("store.meta", "N.log", "N.free", "N.gN", "synced", "ckpt-N-N.ckp", "N.view");
        assertThat(outcomes.keySet())
                .as("outcomes " + outcomes)
                .contains("refused MS-0203", "refused MS-0205", "unharmed", "lost")
                .doesNotContain("stopped");
    }

    @Test
    @DisplayName("[L-6] ADR 0050: the entries of every block of a missing view file are found in the log again")
    void aMissingViewFile() throws IOException {
        SimDisk disk = healthy.copy();
        Path folder = SteppedLog.FOLDER.resolve("view");
        for (String name : disk.list(folder)) {
            disk.delete(folder.resolve(name));
        }
        disk.syncDirectory(folder);

        assertThat(outcome(disk)).isEqualTo("unharmed");
        disk.processDeath();
        assertThat(outcome(disk)).as("after a crash").isEqualTo("unharmed");
    }

    @Test
    @DisplayName("[L-11] ... and while the store runs: sealed files and the active one, blocks, checkpoints")
    void everyKindOfFileOfARunningStore() {
        for (String folder : List.of("log", "log/pool", "ckpt", "view")) {
            Path path = SteppedLog.FOLDER.resolve(folder);
            for (String name : healthy.list(path)) {
                int size = healthy.contents(path.resolve(name)).length;
                for (int i = 0; i < SAMPLES_RUNNING; i++) {
                    long position = (long) size * i / SAMPLES_RUNNING + 40;
                    SimDisk disk = healthy.copy();
                    SimStore sim = new SimStore(disk);
                    if (position < size && disk.exists(path.resolve(name))) {
                        disk.flipBit(path.resolve(name), position, i % 8);
                    }
                    try {
                        outcomes.merge(outcome(sim), 1, Integer::sum);
                    } catch (AssertionError e) {
                        throw new AssertionError(name + " byte " + position + ": " + e.getMessage(), e);
                    }
                }
            }
        }
        assertThat(outcomes.keySet())
                .as("outcomes " + outcomes)
                .contains("unharmed", "lost", "refused when asked for")
                .doesNotContain("stopped");
    }

    private void flipBitsOf(Path file) {
        int size = healthy.contents(file).length;
        TreeSet<Integer> positions = new TreeSet<>();
        for (int i = 0; i < SAMPLES; i++) {
            positions.add((int) ((long) size * i / SAMPLES));
        }
        for (int i = 0; i < Math.min(64, size); i += 7) {
            positions.add(i);
            positions.add(size - 1 - i);
        }
        for (int position : positions) {
            SimDisk disk = healthy.copy();
            disk.flipBit(file, position, position % 8);
            String outcome;
            try {
                outcome = outcome(disk);
            } catch (AssertionError e) {
                throw new AssertionError(file + " byte " + position + ": " + e.getMessage(), e);
            }
            outcomes.merge(outcome, 1, Integer::sum);
        }
    }

    private String outcome(SimDisk disk) {
        SimStore sim;
        try {
            sim = new SimStore(disk);
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("fix:").hasMessageContaining("/store");
            return "refused " + e.code();
        }
        return outcome(sim);
    }

    private String outcome(SimStore sim) {
        assertThat(meta(sim)).as("metadata").isEqualTo(meta);
        int unserved = unservedOfOthers(sim);
        for (int index : waiting) {
            Lane lane = sim.store().lane(ROUTE.laneId());
            assertThat(lane).isNotNull();
            assertThat(lane.cursor().settled(index))
                    .as("entry " + index + " is dropped")
                    .isFalse();
            Entry entry = sim.entryIfSound(lane, index);
            if (entry == null) {
                assertThat(sim.store().state()).isEqualTo(StoreState.FAILED);
                assertThat(sim.store().stateReason()).contains("MS-0243").contains("fix:");
                sim.store().abandon();
                return "stopped";
            }
            unserved += served(sim, entry, index) ? 0 : 1;
        }
        sim.settle();
        sim.compact();
        sim.store().abandon();
        if (unserved == 0) {
            return "unharmed";
        }
        return sim.store().lost() == unserved ? "lost" : "refused when asked for";
    }

    /** One record of each further kind. */
    private static void records(SimStore sim, String name) {
        byte[] head = ByteBuffer.allocate(4).putInt(1).array();
        apply(sim, List.of(Frames.meta(List.of(new MetaChange("queue/" + name, head)))));
        apply(sim, List.of(Frames.mark(List.of(new MetaMark("dedup/" + name, 5, DUE_MS)))));
        apply(sim, List.of(Frames.message(List.of(OTHER, PURGED), 0, 0, head, List.of(new byte[70_000]))));
        Delay delay = new Delay(DUE_MS, List.of(OTHER), List.of(), List.of());
        apply(sim, List.of(Frames.delayedMessage(delay, ExpiryTimes.NEVER, head, List.of())));
        Lane lane = sim.store().lane(OTHER.laneId());
        long last = lane.nextIndex() - 1;
        apply(sim, List.of(Frames.messageRef(List.of(OTHER), sim.entry(lane, last), ExpiryTimes.NEVER, new byte[0])));
        apply(sim, List.of(Frames.release(OTHER.laneId(), new long[] {last})));
        apply(sim, List.of(Frames.purge(PURGED.queueId(), false)));
    }

    /** Large messages, references and delayed messages wait as they did; those that were purged do not. */
    private static int unservedOfOthers(SimStore sim) {
        int unserved = 0;
        Lane purged = sim.store().lane(PURGED.laneId());
        assertThat(purged == null ? 0 : purged.cursor().unsettled()).isZero();
        for (long laneId : List.of(OTHER.laneId(), ScheduleLane.of(DUE_MS).laneId())) {
            Lane lane = sim.store().lane(laneId);
            assertThat(lane).isNotNull();
            assertThat(lane.cursor().unsettled()).isEqualTo(laneId == OTHER.laneId() ? 6 : 3);
            for (long index = lane.cursor().floor(); index < lane.nextIndex(); index++) {
                unserved += served(sim, sim.entry(lane, index), 1) ? 0 : 1;
            }
            assertThat(lane.cursor().failedCount(0)).isEqualTo(laneId == OTHER.laneId() ? 1 : 0);
        }
        return unserved;
    }

    private static Map<String, String> meta(SimStore sim) {
        Map<String, String> meta = new TreeMap<>();
        sim.store().meta().forEach((key, value) -> meta.put(key, Arrays.toString(value)));
        return meta;
    }

    private static boolean served(SimStore sim, Entry entry, int message) {
        try {
            byte[] head = sim.store().read(entry).toCompletableFuture().join().head();
            assertThat(ByteBuffer.wrap(head).getInt()).as("what is served").isEqualTo(message);
            return true;
        } catch (CompletionException e) {
            assertThat(e).hasCauseInstanceOf(StoreException.class).hasMessageContaining("MS-0206");
            return false;
        }
    }

    private static void publish(SimStore sim, int from, int to) {
        for (int i = from; i < to; i += 20) {
            List<Frame> frames = new ArrayList<>();
            for (int k = i; k < i + 20; k++) {
                byte[] head = ByteBuffer.allocate(4).putInt(k).array();
                frames.add(Frames.message(List.of(ROUTE), 0, 0, head, List.of(new byte[900])));
            }
            apply(sim, frames);
        }
    }

    private static void settleAllBut(SimStore sim, int from, int to, int each) {
        List<Settlement> settled = new ArrayList<>();
        for (long index = from; index < to; index++) {
            if (index % each != 0) {
                Entry entry = sim.entry(sim.store().lane(ROUTE.laneId()), index);
                settled.add(new Settlement(ROUTE.laneId(), entry, Settlement.Kind.ACK));
            }
        }
        apply(sim, List.of(Frames.settle(settled)));
    }

    private static void apply(SimStore sim, List<Frame> frames) {
        SimGroup group = new SimGroup(1, frames, List.of(), Durability.SYNC);
        sim.store().submit(group);
        sim.settle();
        assertThat(group.applied).isTrue();
    }
}
