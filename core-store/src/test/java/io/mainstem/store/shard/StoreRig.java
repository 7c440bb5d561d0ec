package io.mainstem.store.shard;

import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.StoredMessage;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.StoreFiles;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A store on the real disk whose shard thread is the test's. */
final class StoreRig implements AutoCloseable {
    static final Route QUEUE = new Route(1, 0);

    private final Path folder;
    private final StoreConfig config;
    private final StoreFiles files;
    private final Semaphore woken = new Semaphore(0);
    private LocalShardStore store;
    private long nowMs;

    StoreRig(Path folder) {
        this(folder, 512);
    }

    StoreRig(Path folder, int batchAlign) {
        this(folder, batchAlign, StoreUpkeep.defaults());
    }

    StoreRig(Path folder, int batchAlign, StoreUpkeep upkeep) {
        this(new StoreConfig(
                folder, 1 << 20, 64 << 10, batchAlign, 2, 64 << 20, 1 << 30, 3_600_000, 0, 2, 1000, upkeep));
    }

    StoreRig(StoreConfig config) {
        this(config, new NioFiles());
    }

    /** On a disk of the test's. */
    StoreRig(StoreConfig config, StoreFiles files) {
        this.folder = config.directory();
        this.config = config;
        this.files = files;
        open();
    }

    /** Lets background work look for something to do, and do it. */
    void background() {
        store.backgroundSlice(nowMs);
        await(() -> !store.compacting());
    }

    /** Lets time pass as far as background work sees it. */
    void advance(long ms) {
        nowMs += ms;
    }

    LocalShardStore store() {
        return store;
    }

    StoreConfig config() {
        return config;
    }

    void open() {
        store = LocalShardStore.open(config, files, InstantSource.system());
        store.attach(woken::release);
    }

    /** Stops as a crash would, and starts again. */
    void crash() {
        store.abandon();
        open();
    }

    /** Stops in order, and starts again. */
    void restart() {
        StoreStateCheck.closeAndCompare(store, config, new NioFiles());
        open();
    }

    /** Submits a group and waits until it is folded. */
    SimGroup apply(Frame... frames) {
        SimGroup group = new SimGroup(0, List.of(frames), List.of(), Durability.SYNC);
        store.submit(group);
        await(group::done);
        return group;
    }

    void await(BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            int done = store.poll(1000);
            store.backgroundSlice(nowMs);
            if (done == 0 && !condition.getAsBoolean()) {
                waitForWake();
            }
            if (System.nanoTime() > deadline) {
                throw new AssertionError("nothing after a minute, state " + store.state() + " " + store.stateReason());
            }
        }
    }

    private void waitForWake() {
        try {
            if (woken.tryAcquire(20, TimeUnit.MILLISECONDS)) {
                woken.drainPermits();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    void checkpoint() {
        var done = store.checkpoint().toCompletableFuture();
        await(done::isDone);
        done.join();
    }

    void publish(int count, int bytes) {
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            frames.add(message("m" + i, new byte[bytes]));
        }
        apply(frames.toArray(new Frame[0]));
    }

    static Frame message(String head, byte[]... payload) {
        return Frames.message(List.of(QUEUE), 0, 0, head.getBytes(StandardCharsets.UTF_8), List.of(payload));
    }

    Lane lane() {
        return store.lane(QUEUE.laneId());
    }

    Entry entry(long index) {
        Entry entry = lane().entry(index);
        if (entry == null) {
            boolean[] here = new boolean[1];
            lane().fetch(index, () -> here[0] = true);
            await(() -> here[0]);
            entry = lane().entry(index);
        }
        return entry;
    }

    void settle(long from, long to) {
        List<Settlement> settlements = new ArrayList<>();
        for (long index = from; index < to; index++) {
            settlements.add(new Settlement(QUEUE.laneId(), entry(index), Settlement.Kind.ACK));
        }
        apply(Frames.settle(settlements));
    }

    StoredMessage read(long index) {
        return store.read(entry(index)).toCompletableFuture().join();
    }

    Path folder() {
        return folder;
    }

    /** Stops in order and checks that either checkpoint gives the same state. */
    @Override
    public void close() {
        StoreStateCheck.closeAndCompare(store, config, new NioFiles());
    }
}
