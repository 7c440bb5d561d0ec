package io.mainstem.store.shard;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.Route;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.NioFiles;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Measures state at scale, by hand: {@code StateScale FOLDER queues|backlog COUNT}. Prints heap and times; the folder
 * must be empty.
 */
final class StateScale {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final StoreConfig config;
    private final Semaphore woken = new Semaphore(0);
    private LocalShardStore store;
    private long applied;

    private StateScale(Path folder) {
        config = StoreConfig.defaults(folder);
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        int count = Integer.parseInt(arguments[2]);
        StateScale scale = new StateScale(folder);
        if (arguments[1].equals("queues")) {
            scale.queues(count);
        } else {
            scale.backlog(count);
        }
    }

    private void queues(int queues) throws InterruptedException {
        open("empty");
        long empty = heap();
        long begin = System.nanoTime();
        for (int message = 0; message < 10; message++) {
            for (int queue = 1; queue <= queues; queue += 500) {
                List<Frame> frames = new ArrayList<>();
                for (int i = queue; i < Math.min(queue + 500, queues + 1); i++) {
                    frames.add(message(i));
                }
                submit(frames);
            }
        }
        awaitAll();
        System.out.printf("published %d x 10 in %d ms%n", queues, millis(begin));
        System.out.printf("heap of state: %d MiB%n", (heap() - empty) >> 20);
        store.abandon();
        open("unclean");
        System.out.printf("heap of state after restart: %d MiB%n", (heap() - empty) >> 20);
        begin = System.nanoTime();
        store.close();
        System.out.printf("clean stop in %d ms%n", millis(begin));
        open("clean");
        store.abandon();
    }

    private void backlog(int messages) throws InterruptedException {
        open("empty");
        int step = messages / 10;
        for (int part = 0; part < 10; part++) {
            long begin = System.nanoTime();
            for (int i = 0; i < step; i += 500) {
                List<Frame> frames = new ArrayList<>();
                for (int k = 0; k < 500; k++) {
                    frames.add(message(1));
                }
                submit(frames);
            }
            awaitAll();
            long ms = millis(begin);
            System.out.printf(
                    "backlog %d: %d msg/s, heap %d MiB%n", (part + 1) * step, step * 1000L / ms, heap() >> 20);
        }
        store.abandon();
        open("unclean");
        System.out.printf(
                "unsettled %d, heap %d MiB%n", store.lane(1 << 8).cursor().unsettled(), heap() >> 20);
        store.close();
    }

    private void open(String what) {
        long begin = System.nanoTime();
        long cpu = THREADS.getCurrentThreadCpuTime();
        store = LocalShardStore.open(config, new NioFiles(), InstantSource.system());
        store.attach(woken::release);
        System.out.printf(
                "%s start in %d ms, of them %d ms on the processor%n",
                what, millis(begin), (THREADS.getCurrentThreadCpuTime() - cpu) / 1_000_000);
    }

    private static Frame message(int queue) {
        return Frames.message(List.of(new Route(queue, 0)), 0, 0, new byte[20], List.of(new byte[80]));
    }

    private void submit(List<Frame> frames) throws InterruptedException {
        while (!store.writable()) {
            turn();
        }
        pending++;
        store.submit(new RecordGroup(frames, Durability.SYNC) {
            @Override
            public void onApplied() {
                applied++;
            }

            @Override
            public void onFailed(StoreState why) {
                throw new IllegalStateException("failed: " + why);
            }
        });
        turn();
    }

    private long pending;

    private void awaitAll() throws InterruptedException {
        while (applied < pending) {
            turn();
            if (woken.tryAcquire(1, TimeUnit.MILLISECONDS)) {
                woken.drainPermits();
            }
        }
    }

    private void turn() {
        store.poll(1000);
        store.backgroundSlice(InstantSource.system().millis());
    }

    private static long heap() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    private static long millis(long begin) {
        return (System.nanoTime() - begin) / 1_000_000;
    }
}
