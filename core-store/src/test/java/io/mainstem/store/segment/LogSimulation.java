package io.mainstem.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.StoreException;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.files.SimFaults.PowerCut;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * One seed: several lives of a log on one disk, each ended by a clean close, a kill or a power cut, with faults between.
 * After every opening the log is compared with what was promised.
 */
final class LogSimulation {
    private static final int LIVES = 4;

    private final SplittableRandom random;
    private final SimDisk disk = new SimDisk();
    /** What the log must hold, in order, as of the last opening. */
    private final List<TestGroup> kept = new ArrayList<>();
    /** Submitted since, without those that were refused. */
    private final List<TestGroup> pending = new ArrayList<>();
    /** How many of {@link #pending} were acknowledged with SYNC, counted to the last of them. */
    private int promised;

    private int written;
    private long nextNumber = 1;
    private long checkpointLsn;
    private int checkpointKept;
    private Flip flipped;

    LogSimulation(long seed) {
        this.random = new SplittableRandom(seed);
    }

    void run() throws IOException {
        for (int life = 0; life < LIVES; life++) {
            flipped = random.nextInt(6) == 0 ? flipOne() : null;
            if (flipped == null && random.nextInt(6) == 0) {
                disk.faults().powerCutIn(random.nextInt(20));
            }
            SteppedLog log = open();
            if (log != null) {
                boolean closed = live(log);
                end(log, closed);
            }
        }
        disk.faults().clear();
        disk.faults().capacityBytes(Long.MAX_VALUE);
        flipped = null;
        SteppedLog log = open();
        assertThat(log).isNotNull();
        log.log().abandon();
    }

    // ---- opening ---------------------------------------------------------------------------------------------

    private SteppedLog open() throws IOException {
        List<List<LogRecord>> replayed = new ArrayList<>();
        SteppedLog log;
        try {
            log = SteppedLog.open(disk, SteppedLog.config(), checkpointLsn, checkpointLsn, replayed::add);
        } catch (PowerCut e) {
            disk.powerCut(random.nextLong());
            return null;
        } catch (StoreException e) {
            if (flipped != null && Set.of("MS-0204", "MS-0205").contains(e.code())) {
                return openMended();
            }
            // A full disk may keep the store from opening; damage may not be claimed, there is none.
            assertThat(e.code()).as(e.getMessage()).isEqualTo("MS-0202");
            disk.faults().capacityBytes(Long.MAX_VALUE);
            disk.processDeath();
            return null;
        }
        disk.faults().clear();
        compare(log.log(), replayed);
        return log;
    }

    /** Damage was noticed and nothing was changed: with the bit put right everything is there. */
    private SteppedLog openMended() throws IOException {
        disk.processDeath();
        disk.flipBit(flipped.path(), flipped.position(), flipped.bit());
        flipped = null;
        return open();
    }

    /** Flips a bit of the log above the checkpoint; null if there is no such file. */
    private Flip flipOne() throws IOException {
        Path folder = SteppedLog.FOLDER.resolve("log");
        List<String> names = new ArrayList<>();
        for (String name : disk.list(folder)) {
            if (Segment.isFileName(name) && Segment.baseOf(name) + (64 << 10) > checkpointLsn) {
                names.add(name);
            }
        }
        if (names.isEmpty()) {
            return null;
        }
        String name = names.get(random.nextInt(names.size()));
        long first = Math.max(0, checkpointLsn - Segment.baseOf(name));
        long position = first + random.nextInt((int) ((64 << 10) - first));
        long vouched = LogInspector.inspect(disk, SteppedLog.FOLDER, 0, new LogInspector.Findings() {})
                .vouchedLsn();
        Flip flip = new Flip(folder.resolve(name), position, random.nextInt(8), vouched);
        disk.flipBit(flip.path(), flip.position(), flip.bit());
        return flip;
    }

    /** A flipped bit, and up to where the log was vouched for before. */
    private record Flip(Path path, long position, int bit, long vouchedLsn) {}

    private void compare(SegmentedLog log, List<List<LogRecord>> replayed) throws IOException {
        List<TestGroup> all = new ArrayList<>(kept);
        all.addAll(withoutRefused(replayed));
        int end = replayed.isEmpty() ? -1 : indexOf(all, replayed.get(replayed.size() - 1)) + 1;
        int size = end < 0 ? checkpointKept : end;
        int lowest = flipped == null ? lowest() : lowestVouched(all, flipped.vouchedLsn());
        assertThat(size).as("groups found").isGreaterThanOrEqualTo(lowest).isLessThanOrEqualTo(all.size());
        int first = size - replayed.size();
        assertThat(first).as("first group replayed").isLessThanOrEqualTo(checkpointKept);
        assertThat(first).isGreaterThanOrEqualTo(0);
        for (int i = 0; i < replayed.size(); i++) {
            compare(log, all.get(first + i), replayed.get(i), first + i >= checkpointKept);
        }
        kept.clear();
        kept.addAll(all.subList(0, size));
        pending.clear();
        promised = 0;
        written = 0;
    }

    /** Groups of the last life, without those that were refused for lack of space and that nobody had been told about. */
    private List<TestGroup> withoutRefused(List<List<LogRecord>> replayed) {
        Set<Long> found = new HashSet<>();
        replayed.forEach(group -> found.add(numberOf(group)));
        List<TestGroup> result = new ArrayList<>(pending.subList(0, written));
        pending.subList(written, pending.size()).stream()
                .filter(group -> found.contains(group.number))
                .forEach(result::add);
        return result;
    }

    /** The last batches, for which nobody has vouched yet, may be lost to bit rot; what was written before may not. */
    private int lowestVouched(List<TestGroup> all, long vouchedLsn) {
        int lowest = lowest();
        while (lowest > checkpointKept && all.get(lowest - 1).frames().get(0).lsn() >= vouchedLsn) {
            lowest--;
        }
        return lowest;
    }

    private int lowest() {
        return Math.max(checkpointKept, kept.size() + promised);
    }

    private static int indexOf(List<TestGroup> all, List<LogRecord> group) {
        long number = numberOf(group);
        for (int i = all.size() - 1; i >= 0; i--) {
            if (all.get(i).number == number) {
                return i;
            }
        }
        throw new AssertionError("invented group " + number);
    }

    private static long numberOf(List<LogRecord> group) {
        LogRecord first = group.get(0);
        ByteBuffer body = ByteBuffer.wrap(first.body()).order(ByteOrder.LITTLE_ENDIAN);
        return TestGroup.numberOf(first.body(), first.isLarge() ? 4 + 12 * body.getInt() : 0);
    }

    /** @param parts false if the group was done with at the checkpoint, so that its parts may be recycled */
    private static void compare(SegmentedLog log, TestGroup expected, List<LogRecord> found, boolean parts)
            throws IOException {
        assertThat(found).hasSameSizeAs(expected.frames());
        for (int i = 0; i < found.size(); i++) {
            Frame frame = expected.frames().get(i);
            assertThat(found.get(i).lsn())
                    .as("group %s frame %s", expected.number, i)
                    .isEqualTo(frame.lsn());
            assertThat(found.get(i).type()).isEqualTo(frame.type().code());
            if (parts || !found.get(i).isLarge()) {
                assertThat(wholeBody(log, found.get(i))).isEqualTo(TestGroup.bodyOf(frame));
            }
        }
    }

    /** The body with its parts read back. */
    private static byte[] wholeBody(SegmentedLog log, LogRecord record) throws IOException {
        if (!record.isLarge()) {
            return record.body();
        }
        ByteBuffer listing = ByteBuffer.wrap(record.body()).order(ByteOrder.LITTLE_ENDIAN);
        int count = listing.getInt();
        int pieceAt = 4 + 12 * count;
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        whole.write(record.body(), pieceAt, record.body().length - pieceAt);
        for (int i = 0; i < count; i++) {
            byte[] part = log.readNow(listing.getLong()).body();
            assertThat(part).hasSize(listing.getInt());
            whole.write(part);
        }
        return whole.toByteArray();
    }

    // ---- living ----------------------------------------------------------------------------------------------

    /** Returns true if the log was closed cleanly. */
    private boolean live(SteppedLog log) throws IOException {
        chooseFault();
        try {
            int steps = 20 + random.nextInt(150);
            for (int i = 0; i < steps; i++) {
                act(log);
            }
            if (random.nextInt(3) == 0) {
                log.log().close();
                drain(log, Integer.MAX_VALUE);
                if (log.log().state() == StoreState.CLOSED) {
                    assertThat(written).as("all done at a clean close").isEqualTo(pending.size());
                    promised = written;
                    return true;
                }
            }
        } catch (PowerCut e) {
            return false;
        }
        return false;
    }

    private void chooseFault() {
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> disk.faults().powerCutIn(random.nextInt(120));
            case 3 -> disk.faults().syncFailsIn(random.nextInt(10));
            case 4 -> disk.faults().shortWriteIn(random.nextInt(40));
            case 5 -> disk.faults().capacityBytes((200 << 10) + random.nextInt(600 << 10));
            case 6 -> disk.faults().readFailsIn(random.nextInt(40));
            default -> disk.faults().capacityBytes(Long.MAX_VALUE);
        }
    }

    private void act(SteppedLog log) throws IOException {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> submit(log);
            case 3 -> drain(log, 1 + random.nextInt(20));
            case 4 -> readBack(log);
            case 5 -> checkpoint(log);
            default -> log.step(random);
        }
    }

    private void submit(SteppedLog log) {
        int count = 1 + random.nextInt(8);
        List<TestGroup> groups = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int bytesMax = random.nextInt(12) == 0 ? 40_000 : 3_000;
            Durability durability = switch (random.nextInt(8)) {
                case 0 -> Durability.WRITE;
                case 1 -> Durability.DEFERRED;
                default -> Durability.SYNC;
            };
            groups.add(TestGroup.mixed(nextNumber++, bytesMax, durability));
        }
        pending.addAll(groups);
        log.log().submitAll(groups);
        if (random.nextInt(3) == 0) {
            log.log().writeDeferred();
        }
    }

    private void drain(SteppedLog log, int max) {
        log.log()
                .drain(
                        new CommitLog.DrainedGroups() {
                            @Override
                            public void durable(RecordGroup group) {
                                assertThat(pending.get(written))
                                        .as("order of completion")
                                        .isSameAs(group);
                                written++;
                                if (group.durability() == Durability.SYNC) {
                                    promised = written;
                                }
                            }

                            @Override
                            public void failed(RecordGroup group, StoreState why) {
                                if (why == StoreState.DISK_CRITICAL) {
                                    assertThat(pending.remove(group)).isTrue();
                                }
                            }
                        },
                        max);
    }

    private void readBack(SteppedLog log) throws IOException {
        if (written > 0 && log.log().state() != StoreState.FAILED) {
            int index = random.nextInt(written);
            TestGroup group = pending.get(index);
            Frame frame = group.frames().get(0);
            if (frame.lsn() >= log.log().startLsn()) {
                try {
                    LogRecord record = log.log().readNow(frame.lsn());
                    assertThat(wholeBody(log.log(), record)).isEqualTo(TestGroup.bodyOf(frame));
                } catch (IOException e) {
                    assertThat(e).hasMessage("Input/output error");
                } catch (StoreException e) {
                    assertThat(e.code()).as(e.getMessage()).isEqualTo("MS-0207");
                    assertThat(kept.size() + index).as(e.getMessage()).isLessThan(checkpointKept);
                }
            }
        }
    }

    /** What a checkpoint does: only durable state counts, then segments below it may go. */
    private void checkpoint(SteppedLog log) {
        long drained = log.log().drainedLsn();
        if (log.log().syncedLsn() > lastDrainedLsn()
                && drained > checkpointLsn
                && log.log().state() != StoreState.FAILED) {
            checkpointLsn = drained;
            checkpointKept = kept.size() + written;
            promised = Math.max(promised, written);
            for (SegmentInfo segment : log.log().segments()) {
                if (segment.sealed() && segment.endLsn() <= checkpointLsn && random.nextInt(4) > 0) {
                    assertThat(log.log().recycle(segment.baseLsn())).isTrue();
                }
            }
        }
    }

    private long lastDrainedLsn() {
        if (written == 0) {
            return 0;
        }
        List<Frame> frames = pending.get(written - 1).frames();
        return frames.get(frames.size() - 1).lsn();
    }

    // ---- dying -----------------------------------------------------------------------------------------------

    private void end(SteppedLog log, boolean closed) {
        if (!closed) {
            // What the dying process still does to its files does not reach them: handles die first.
            disk.processDeath();
            log.log().abandon();
        }
        if (random.nextInt(3) > 0) {
            disk.powerCut(random.nextLong());
        } else {
            disk.processDeath();
        }
        if (random.nextBoolean()) {
            disk.faults().capacityBytes(Long.MAX_VALUE);
        }
    }
}
