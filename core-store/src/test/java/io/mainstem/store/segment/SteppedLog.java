package io.mainstem.store.segment;

import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.CommitLog.ReplayedGroups;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;

/**
 * A {@link SegmentedLog} on a simulated disk without threads: its writer, syncer and keeper do a step when the test says
 * so, in an order that follows from a seed. Time is a number that steps move.
 */
public final class SteppedLog {
    /** The store's folder on the simulated disk. */
    public static final Path FOLDER = Path.of("/store");

    private final SegmentedLog log;
    private final List<LogWorker.Steps> steps;
    private final Time time;

    private SteppedLog(SegmentedLog log, Time time) {
        this.log = log;
        this.steps = log.steps();
        this.time = time;
    }

    /** Small files, so that a test sees many of them. */
    public static StoreConfig config() {
        return new StoreConfig(
                FOLDER, 64 << 10, 1 << 20, 512, 2, 1 << 20, 1 << 20, 1000, 0, 1, 1000, StoreUpkeep.defaults());
    }

    /** Opens or makes the log in {@link #FOLDER}; single records are read on threads. */
    public static SteppedLog open(SimDisk disk, StoreConfig config, long replayFrom, long vouched, ReplayedGroups to) {
        return open(disk, config, replayFrom, vouched, to, LogReader.threads(config.readThreads()));
    }

    /** As above, with single records read by {@code readers}. */
    public static SteppedLog open(
            SimDisk disk,
            StoreConfig config,
            long replayFrom,
            long vouched,
            ReplayedGroups to,
            ExecutorService readers) {
        Time time = new Time();
        LogOpening opening = new LogOpening(disk, config, time, time::nanos);
        SegmentedLog log = SegmentedLog.openStepped(opening, replayFrom, vouched, to, readers);
        return new SteppedLog(log, time);
    }

    /** The log; close or abandon it through this. */
    public SegmentedLog log() {
        return log;
    }

    /** One step of a worker chosen by {@code random}; false if it had nothing to do. */
    public boolean step(SplittableRandom random) {
        time.advance(random.nextInt(50));
        return steps.get(random.nextInt(steps.size())).step() == 0;
    }

    /** Steps until no worker has anything to do. */
    public void settle() {
        settle(Integer.MAX_VALUE);
    }

    /** As above, but gives up after so many rounds: a full disk is tried for ever. */
    public void settle(int roundsMax) {
        boolean busy = true;
        for (int round = 0; busy && round < roundsMax; round++) {
            busy = false;
            for (LogWorker.Steps worker : steps) {
                long left = worker.step();
                busy |= left == 0;
                if (left != 0 && left != LogWorker.UNTIL_WOKEN) {
                    time.advance(left / 1_000_000 + 1);
                    busy = true;
                }
            }
        }
    }

    /** Lets time pass; nobody does anything meanwhile. */
    public void advance(long ms) {
        time.advance(ms);
    }

    /** Settles but lets no time pass, so that timers stay pending. */
    public void settleNow() {
        boolean busy = true;
        while (busy) {
            busy = false;
            for (LogWorker.Steps worker : steps) {
                busy |= worker.step() == 0;
            }
        }
    }

    /** A clock that only moves when told. */
    private static final class Time implements InstantSource {
        private long millis = 1_700_000_000_000L;

        void advance(long by) {
            millis += by;
        }

        long nanos() {
            return millis * 1_000_000;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(millis);
        }
    }
}
