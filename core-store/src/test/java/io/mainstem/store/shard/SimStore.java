package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.SteppedLog;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;

/** A {@link LocalShardStore} on a simulated disk where nothing moves unless the test says so. */
final class SimStore {
    private static final int FETCH_ROUNDS = 50;

    private final Deque<Runnable> background = new ArrayDeque<>();
    private final LocalShardStore store;
    private SteppedLog log;
    private long nowMs = 1_700_000_000_000L;

    SimStore(SimDisk disk) {
        this(disk, config());
    }

    SimStore(SimDisk disk, StoreConfig config) {
        StoreThreads threads = StoreThreads.given(background::add, background::add, this::runBackground);
        store = LocalShardStore.open(config, disk, () -> Instant.ofEpochMilli(nowMs), threads, (from, synced, to) -> {
            log = SteppedLog.open(disk, config, from, synced, to);
            return log.log();
        });
        store.attach(() -> {});
    }

    /** Small files, so that a test sees many of them. */
    static StoreConfig config() {
        return config(96 << 10, 500);
    }

    /** The same, where a restart has much of the log to read. */
    static StoreConfig rareCheckpoints() {
        return config(1 << 20, 60_000);
    }

    private static StoreConfig config(long checkpointBytes, long checkpointIntervalMs) {
        return new StoreConfig(
                SteppedLog.FOLDER,
                64 << 10,
                64 << 10,
                512,
                2,
                1 << 20,
                checkpointBytes,
                checkpointIntervalMs,
                0,
                1,
                1000,
                new StoreUpkeep(0, 0, 0));
    }

    LocalShardStore store() {
        return store;
    }

    /** One step of something, chosen by {@code random}. */
    void step(SplittableRandom random) {
        nowMs += random.nextInt(20);
        switch (random.nextInt(8)) {
            case 0 -> store.poll(1 + random.nextInt(10));
            case 1, 2 -> store.backgroundSlice(nowMs);
            case 3 -> runBackground();
            default -> log.step(random);
        }
    }

    /** Until everything submitted is durable and folded. */
    void settle() {
        log.settle();
        while (store.poll(100) > 0) {
            log.settle();
        }
    }

    /** Everything submitted is on disk, and nothing more of it folded. */
    void settleLog() {
        log.settle();
    }

    /** Takes a checkpoint now. */
    void checkpoint() {
        var done = store.checkpoint().toCompletableFuture();
        for (int i = 0; i < 1000 && !done.isDone(); i++) {
            store.backgroundSlice(nowMs);
            nowMs += 1;
            settle();
            runBackground();
            store.poll(100);
        }
        if (!done.isDone()) {
            throw new AssertionError(
                    "no checkpoint after 1000 slices, state " + store.state() + " " + store.stateReason());
        }
    }

    /** Lets compaction look for work, and do all there is. */
    void compact() {
        long before = -1;
        while (before != store.compactions() || store.compacting()) {
            before = store.compactions();
            nowMs += 61_000;
            while (store.compactSlice(nowMs) || store.compacting()) {
                settle();
                runBackground();
                store.poll(100);
            }
        }
        settle();
    }

    /** Lets time pass, then compaction work; true if it has tried something. */
    boolean compactAfter(long ms) {
        nowMs += ms;
        boolean tried = false;
        while (store.compactSlice(nowMs) || store.compacting()) {
            tried = true;
            settle();
            runBackground();
            store.poll(100);
        }
        return tried;
    }

    private void runBackground() {
        for (Runnable work = background.poll(); work != null; work = background.poll()) {
            work.run();
        }
    }

    /** True if there are compacted files. */
    boolean compacted() {
        return store.parts().log().segments().stream().anyMatch(segment -> segment.generation() > 0);
    }

    /** The entry, fetched if need be; null if that is not possible. */
    Entry entryIfSound(Lane lane, long index) {
        Entry entry = lane.entry(index);
        if (entry == null) {
            lane.fetch(index, () -> {});
            for (int i = 0; i < 20 && store.state() != StoreState.FAILED && lane.entry(index) == null; i++) {
                runBackground();
                store.poll(0);
                store.backgroundSlice(nowMs);
            }
            entry = lane.entry(index);
        }
        return entry;
    }

    /** The entry, fetched if need be, out of the log again if its block is damaged. */
    Entry entry(Lane lane, long index) {
        Entry entry = lane.entry(index);
        if (entry == null) {
            boolean[] here = new boolean[1];
            lane.fetch(index, () -> here[0] = true);
            for (int i = 0; i < FETCH_ROUNDS && !here[0] && store.state() != StoreState.FAILED; i++) {
                runBackground();
                store.poll(0);
            }
            entry = lane.entry(index);
            if (!here[0] || entry == null) {
                throw new AssertionError("entry " + index + " was fetched but is not here: " + store.stateReason());
            }
        }
        return entry;
    }
}
