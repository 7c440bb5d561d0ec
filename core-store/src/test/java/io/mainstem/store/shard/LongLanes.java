package io.mainstem.store.shard;

import io.mainstem.store.Route;
import io.mainstem.store.ScheduleLane;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.checkpoint.Checkpoints;
import io.mainstem.store.checkpoint.ImageChanges;
import io.mainstem.store.checkpoint.ImageHeader;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.view.LaneBytes;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** Lanes of a new store through which so much has passed already that they stand just before 2^31, 2^32 or 2^47. */
public final class LongLanes {
    private static final int QUEUES = 12;
    private static final int HOURS = 3;

    private final TreeMap<Long, Long> firstByLane = new TreeMap<>();

    /**
     * About half of the lanes of the first queues, and of some hours.
     *
     * @param fromMs in the first of these hours
     */
    public LongLanes(SplittableRandom random, long fromMs) {
        for (int queue = 1; queue <= QUEUES; queue++) {
            choose(new Route(queue, 0).laneId(), random);
            choose(new Route(queue, 1).laneId(), random);
        }
        for (int hour = 0; hour < HOURS; hour++) {
            choose(ScheduleLane.of(fromMs + hour * ScheduleLane.HOUR_MS).laneId(), random);
        }
    }

    private LongLanes() {}

    /** All lanes begin at 0. */
    static LongLanes none() {
        return new LongLanes();
    }

    boolean any() {
        return !firstByLane.isEmpty();
    }

    private void choose(long laneId, SplittableRandom random) {
        int bits = new int[] {31, 32, 47}[random.nextInt(3)];
        if (random.nextBoolean()) {
            firstByLane.put(laneId, (1L << bits) - random.nextInt(150));
        }
    }

    /** Index of the first entry that the lane gets. */
    long first(long laneId) {
        return firstByLane.getOrDefault(laneId, 0L);
    }

    /** True if a lane that has now so many entries has come over one of the three. */
    boolean passed(long laneId, long nextIndex) {
        long first = first(laneId);
        return first > 0 && Long.highestOneBit(first) < Long.highestOneBit(nextIndex);
    }

    /** Gives them to a store that has just been made and stopped: both kept checkpoints have them. */
    public void into(SimDisk disk, StoreConfig config) {
        try {
            write(disk, config);
            write(disk, config);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write(SimDisk disk, StoreConfig config) throws IOException {
        Checkpoints checkpoints = Checkpoints.open(config, disk);
        ImageHeader newest = Objects.requireNonNull(checkpoints.newest());
        ImageChanges changes = new ImageChanges(
                firstByLane.keySet().stream().mapToLong(Long::longValue).toArray());
        firstByLane.forEach((laneId, first) -> {
            changes.state().raw(LaneBytes.passed(laneId, first));
            changes.laneDone();
        });
        changes.dropped(
                new Lanes(config, ViewFiles.openReadOnly(config, disk), Runnable::run, () -> {}).droppedQueues());
        checkpoints.write(
                new ImageHeader(checkpoints.nextSequence(), newest.replayLsn(), newest.syncedLsn(), newest.clean()),
                changes,
                laneId -> false,
                false);
    }
}
