package io.mainstem.store.segment;

import io.mainstem.store.StoreException;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens what a log left behind [L-11]: follows the batches, tells a torn tail, which is cut, from damaged
 * durable data, which is refused, and makes the tail trustworthy again. Thread: opening thread.
 */
final class LogRecovery {
    /** No write can have gone further behind the durable part: the write-ahead window and one batch. */
    private static final long ZERO_BYTES = 20L << 20;

    private static final int COPY_BYTES = 1 << 20;

    private final StoreFiles files;
    private final Path logDirectory;
    private final StoreMeta meta;
    private final SegmentTable table = new SegmentTable();
    private @Nullable Segment next;

    LogRecovery(StoreFiles files, Path directory, StoreMeta meta) {
        this.files = files;
        this.logDirectory = directory.resolve("log");
        this.meta = meta;
    }

    /** Segments in use, the last is to be written; empty if there is none yet. */
    SegmentTable table() {
        return table;
    }

    /** An unused segment behind the last one, or null. */
    @Nullable
    Segment next() {
        return next;
    }

    /** Where reading starts and who vouches for what. */
    record Start(long replayFromLsn, long vouchedLsn, Slot slot) {}

    /** Where the log goes on. */
    record Result(LogTail tail, RecoveryReport report) {}

    Result run(Start start, CommitLog.ReplayedGroups visitor) throws IOException {
        CompactedFiles compacted = openSegments(start.replayFromLsn());
        checkBeginning(start);
        requireEveryFile(start.replayFromLsn());
        GroupReplay replay = new GroupReplay(visitor);
        TailScan scan = new TailScan(meta.layout(), meta.store(), table, replay);
        Slot slot = start.slot();
        long from = firstBatchFrom(start.replayFromLsn());
        boolean clean = slot.clean() && slot.syncedLsn() == from && !scan.goesOn(from);
        if (slot.syncedLsn() == from) {
            scan.startAt(from, slot.epoch(), slot.lastBatchLsn(), slot.batchIndex());
        } else {
            // Older batches than the slot's may follow, so its epoch says nothing about them.
            scan.startAt(from, 0, 0, slot.batchIndex());
        }
        if (!clean) {
            scan.run(from);
            mendTail(scan, start);
        }
        // Only now, when nothing can be refused any more: a refused store is left as it is.
        compacted.tidy();
        setAsideUnused(scan);
        int epoch = Math.max(scan.epoch(), Math.max(highestEpoch(), slot.epoch())) + 1;
        LogTail tail = scan.tail(epoch);
        return new Result(
                tail,
                new RecoveryReport(
                        table.isEmpty() ? 0 : table.startLsn(),
                        start.replayFromLsn(),
                        tail.lsn(),
                        scan.batches(),
                        replay.groups(),
                        tail.epoch(),
                        clean,
                        clean ? "" : scan.torn()));
    }

    private long firstBatchFrom(long lsn) {
        LogLayout layout = meta.layout();
        return Math.max(lsn, layout.firstBatch(layout.baseOf(lsn)));
    }

    private void checkBeginning(Start start) throws IOException {
        long from = start.replayFromLsn();
        if (table.isEmpty() && from == 0 && start.slot().epoch() == 0) {
            return;
        }
        Segment first = table.covering(from);
        // What is compacted is part of every checkpoint; where none is left it cannot be read again.
        boolean there = first != null
                ? first.compacted() == null
                : !table.isEmpty() && from >= table.startLsn() && table.covering(from - 1) != null;
        if (!there) {
            throw new StoreException(
                    "MS-0204",
                    "The log in " + logDirectory + " does not hold LSN " + from + ", from which it has to be read.",
                    "put back the missing file "
                            + logDirectory.resolve(
                                    Segment.fileName(meta.layout().baseOf(from)))
                            + ", or the checkpoints that belong to this log.");
        }
        if (first != null && first.baseLsn() + first.file().size() < from) {
            throw new StoreException(
                    "MS-0205",
                    "Durable data is damaged: " + first.path() + " ends at LSN "
                            + (first.baseLsn() + first.file().size())
                            + ", but the log was durable up to LSN " + from + ".",
                    "restore the file from a copy; nothing was changed. 'mainstem store verify' shows the extent,"
                            + " 'mainstem store salvage' makes a store of what is left.");
        }
    }

    /**
     * Files are made one behind the other, and those that have to be read again never go: one that is not there, while
     * later ones are, has been lost, whatever stands in those.
     */
    private void requireEveryFile(long replayFromLsn) {
        long wanted = meta.layout().baseOf(replayFromLsn);
        for (Segment segment : table.all()) {
            if (segment.baseLsn() > wanted) {
                throw new StoreException(
                        "MS-0205",
                        "Durable data is damaged: the file " + logDirectory.resolve(Segment.fileName(wanted))
                                + " is missing, though " + segment.path().getFileName() + " behind it is there.",
                        "put the file back; nothing was changed. 'mainstem store verify' shows the extent, 'mainstem"
                                + " store salvage' makes a store of what is left.");
            }
            wanted = Math.max(wanted, segment.endLsn());
        }
    }

    private CompactedFiles openSegments(long replayFromLsn) throws IOException {
        CompactedFiles compacted = CompactedFiles.find(files, logDirectory, meta);
        compacted.requireUsable();
        for (CompactedFiles.Found found : compacted.counting()) {
            Path path = logDirectory.resolve(found.name());
            table.add(new Segment(found.file(), path, files.open(path, OpenMode.READ)));
        }
        for (String name : compacted.segments()) {
            Path path = logDirectory.resolve(name);
            long base = Segment.baseOf(name);
            StoreFile file = files.open(path, OpenMode.READ_WRITE);
            SegmentHeader header =
                    headerOf(file, path, base, base + meta.layout().segmentBytes() <= replayFromLsn);
            long whole = file.size() / LogLayout.PAD_ROOM * LogLayout.PAD_ROOM;
            // Never the header again, though the file has been cut right behind it.
            table.add(new Segment(header, path, file, base + Math.max(whole, SegmentHeader.BYTES)));
        }
        return compacted;
    }

    private SegmentHeader headerOf(StoreFile file, Path path, long base, boolean replayed) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
        file.read(bytes, 0);
        SegmentHeader header = SegmentHeader.decode(bytes.flip());
        LogLayout layout = meta.layout();
        if (header != null
                && header.store().equals(meta.store())
                && header.baseLsn() == base
                && header.segmentBytes() == layout.segmentBytes()) {
            return header;
        }
        if (header == null && replayed) {
            // What it holds is already part of a checkpoint; records validate on their own when they are read.
            return new SegmentHeader(meta.store(), meta.logId(), base, layout.segmentBytes(), 0, 0);
        }
        file.close();
        if (header == null) {
            throw new StoreException(
                    "MS-0204",
                    "The header of " + path + " is damaged.",
                    "restore the file from a copy; 'mainstem store verify' shows what else is damaged.");
        }
        boolean ours = header.store().equals(meta.store());
        throw new StoreException(
                "MS-0204",
                path + " is another file: "
                        + (ours ? "it was " + Segment.fileName(header.baseLsn()) : "it belongs to another store") + ".",
                "give each file of the log its own name again, or restore them from a copy; nothing was changed.");
    }

    private int highestEpoch() {
        int epoch = 0;
        for (Segment segment : table.all()) {
            epoch = Math.max(epoch, segment.epoch());
        }
        return epoch;
    }

    private void mendTail(TailScan scan, Start start) throws IOException {
        long tail = scan.tailLsn();
        Slot slot = start.slot();
        long synced = Math.max(start.vouchedLsn(), start.replayFromLsn());
        synced = Math.max(synced, slot.syncedLsn());
        synced = Math.max(synced, scan.vouchedLsn());
        if (synced > tail) {
            throw damaged(scan, synced);
        }
        boolean closedHere = slot.clean() && slot.syncedLsn() == tail;
        if (!closedHere) {
            rewrite(synced, tail);
            setAsideRemains(scan);
        }
    }

    private StoreException damaged(TailScan scan, long synced) {
        Segment segment = scan.segment();
        String file = segment == null
                ? logDirectory
                        .resolve(Segment.fileName(meta.layout().baseOf(scan.tailLsn())))
                        .toString()
                : segment.path().toString();
        return new StoreException(
                "MS-0205",
                "Durable data is damaged: LSN " + scan.tailLsn() + " in " + file + " cannot be read (" + scan.reason()
                        + "), but the log was durable up to LSN " + synced + ".",
                "restore " + file
                        + " from a copy; nothing was changed. 'mainstem store verify' shows the extent, 'mainstem store"
                        + " salvage' makes a store of what is left.");
    }

    /**
     * Writes the unsynced part again with the same bytes: after a failed or missing sync pages may be clean in the cache
     * and absent on the medium, and a sync alone would prove nothing.
     */
    private void rewrite(long from, long to) throws IOException {
        for (Segment segment : table.all()) {
            long start = Math.max(from, segment.baseLsn());
            long end = Math.min(to, segment.baseLsn() + segment.file().size());
            if (start < end) {
                copyOver(segment, start, end);
            }
            if (segment.endLsn() > from && segment.baseLsn() <= to) {
                zero(segment, Math.max(to, segment.baseLsn() + SegmentHeader.BYTES));
                segment.file().sync();
            }
        }
    }

    private static void copyOver(Segment segment, long from, long to) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate((int) Math.min(COPY_BYTES, to - from));
        for (long at = from; at < to; at += COPY_BYTES) {
            buffer.clear().limit((int) Math.min(COPY_BYTES, to - at));
            segment.file().read(buffer, at - segment.baseLsn());
            segment.file().write(buffer.flip(), at - segment.baseLsn());
        }
    }

    /** No byte of the old epoch survives behind the tail of its segment. */
    private void zero(Segment segment, long tail) throws IOException {
        if (tail >= segment.endLsn() || tail < segment.baseLsn()) {
            return;
        }
        long end =
                Math.min(tail + ZERO_BYTES, segment.baseLsn() + segment.file().size());
        ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(COPY_BYTES, Math.max(0, end - tail)));
        for (long at = tail; at < end; at += COPY_BYTES) {
            zeros.clear().limit((int) Math.min(COPY_BYTES, end - at));
            segment.file().write(zeros, at - segment.baseLsn());
        }
    }

    /**
     * Sets aside segments behind the tail that hold batches, newest first, so that no gap can remain. Nobody vouches for
     * them; they are kept nevertheless, since they are no remains of any crash.
     */
    private void setAsideRemains(TailScan scan) throws IOException {
        for (Segment segment : newestFirst()) {
            if (segment.baseLsn() > scan.tailLsn() && scan.holdsRemains(segment.baseLsn())) {
                table.remove(segment.baseLsn());
                segment.file().close();
                Attic.move(files, segment.path());
            }
        }
    }

    private List<Segment> newestFirst() {
        List<Segment> all = new ArrayList<>(table.all());
        Collections.reverse(all);
        return all;
    }

    private void drop(Segment segment) throws IOException {
        table.remove(segment.baseLsn());
        segment.file().close();
        files.delete(segment.path());
        files.syncDirectory(logDirectory);
    }

    /** Seals what is full; keeps an unused segment right behind the active one for the writer, drops others. */
    private void setAsideUnused(TailScan scan) throws IOException {
        long activeBase = meta.layout().baseOf(scan.tailLsn());
        for (Segment segment : newestFirst()) {
            if (segment.baseLsn() < activeBase) {
                segment.seal();
                if (segment.compacted() == null && !segment.filled() && !scan.isPadded(segment)) {
                    segment.foundCut();
                }
            } else if (segment.baseLsn() == activeBase) {
                // In a file that has been cut the last batch may reach beyond its last whole 4 KiB: no zeros there.
                segment.filledTo(Math.max(segment.filledTo(), scan.tailLsn()));
            } else if (segment.baseLsn() == activeBase + meta.layout().segmentBytes()) {
                table.remove(segment.baseLsn());
                next = segment;
            } else if (segment.baseLsn() > activeBase) {
                drop(segment);
            }
        }
    }
}
