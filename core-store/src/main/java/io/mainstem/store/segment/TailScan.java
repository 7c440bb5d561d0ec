package io.mainstem.store.segment;

import java.io.IOException;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Follows the chain of batches to its end, and looks behind that end for witnesses that it once went on. Thread: opening
 * thread.
 */
final class TailScan {
    private final LogLayout layout;
    private final UUID store;
    private final SegmentTable table;
    private final GroupReplay replay;
    private final TreeSet<Long> segmentsBehind = new TreeSet<>();
    private long position;
    private int epoch;
    private long lastBatchLsn;
    private long lastBatchIndex;
    private long batches;
    private String reason = "";
    private boolean tornBatch;
    private long vouched;

    TailScan(LogLayout layout, UUID store, SegmentTable table, GroupReplay replay) {
        this.layout = layout;
        this.store = store;
        this.table = table;
        this.replay = replay;
    }

    /** Starts with what is known of the batch before {@code from}. */
    void startAt(long from, int lastEpoch, long batchLsn, long batchIndex) {
        position = from;
        epoch = lastEpoch;
        lastBatchLsn = batchLsn;
        lastBatchIndex = batchIndex;
    }

    /** Reads on to the first place where no valid batch stands; groups from {@code replayFrom} on are replayed. */
    void run(long replayFrom) throws IOException {
        Segment segment = table.covering(position);
        while (segment != null) {
            BatchScanner scanner = scanner(segment);
            boolean left = follow(scanner, segment, replayFrom);
            if (!left) {
                lookBehind(scanner, segment);
                return;
            }
            position = layout.firstBatch(segment.endLsn());
            segment = table.at(segment.endLsn());
        }
        reason = "the segment with base " + layout.baseOf(position) + " does not exist";
    }

    /** True if a batch stands at {@code lsn} or in a file behind it: the log did not end there, whatever was noted. */
    boolean goesOn(long lsn) throws IOException {
        for (Segment segment : table.all()) {
            long at = Math.max(lsn, layout.firstBatch(segment.baseLsn()));
            if (segment.endLsn() > lsn && scanner(segment).batchRecordStandsAt(at)) {
                return true;
            }
        }
        return false;
    }

    /** True if all batches of a sealed segment are there, up to the record that says that no more follow. */
    boolean isPadded(Segment segment) throws IOException {
        BatchScanner scanner = scanner(segment);
        long at = layout.firstBatch(segment.baseLsn());
        for (ScannedBatch batch = scanner.batchAt(at); batch != null; batch = scanner.batchAt(at)) {
            at = batch.endLsn();
        }
        return scanner.padAt(at);
    }

    private BatchScanner scanner(Segment segment) throws IOException {
        return new BatchScanner(layout, store, segment.file(), segment.baseLsn());
    }

    /** True if the chain goes on in the next segment. */
    private boolean follow(BatchScanner scanner, Segment segment, long replayFrom) throws IOException {
        while (position + RecordHeader.BYTES <= segment.endLsn()) {
            ScannedBatch batch = scanner.batchAt(position);
            if (batch == null || !continues(batch)) {
                return scanner.padAt(position);
            }
            accept(batch, replayFrom);
        }
        return true;
    }

    private boolean continues(ScannedBatch batch) {
        long prev = batch.header().prevBatchLsn();
        return batch.epoch() >= epoch && (prev == 0 || lastBatchLsn == 0 || prev == lastBatchLsn);
    }

    private void accept(ScannedBatch batch, long replayFrom) {
        if (batch.lsn() >= replayFrom) {
            replay.replay(batch);
        }
        batches++;
        epoch = batch.epoch();
        lastBatchLsn = batch.lsn();
        lastBatchIndex = batch.header().index();
        position = batch.endLsn();
        vouched = Math.max(vouched, batch.header().syncedUpTo());
    }

    private void lookBehind(BatchScanner scanner, Segment segment) throws IOException {
        reason = scanner.reason();
        tornBatch = search(scanner, position, segment);
        for (Segment later : table.all()) {
            if (later.baseLsn() > segment.baseLsn()) {
                search(scanner(later), layout.firstBatch(later.baseLsn()), later);
            }
        }
    }

    private boolean search(BatchScanner scanner, long from, Segment segment) throws IOException {
        boolean found = false;
        for (long at = scanner.findBatchRecord(from); at >= 0; at = scanner.findBatchRecord(at + layout.batchAlign())) {
            if (scanner.epochAt(at) >= epoch) {
                // A file is synced before the next one is begun.
                long left = segment.baseLsn() > position ? segment.baseLsn() : 0;
                vouched = Math.max(vouched, Math.max(left, scanner.headerAt(at).syncedUpTo()));
            }
            // Even one of an older epoch makes the segment unfit for use under the same LSNs.
            segmentsBehind.add(segment.baseLsn());
            found = true;
        }
        return found;
    }

    /** Where the chain ends; the next batch would start here. */
    long tailLsn() {
        return position;
    }

    /** Highest LSN that a batch, before the tail or behind it, says was durable. */
    long vouchedLsn() {
        return vouched;
    }

    /** True if batches stand in this segment behind the tail. */
    boolean holdsRemains(long baseLsn) {
        return segmentsBehind.contains(baseLsn);
    }

    /** Why the chain ends, if something was there that is cut; else empty. */
    String torn() {
        return tornBatch || !segmentsBehind.isEmpty() ? reason : "";
    }

    String reason() {
        return reason;
    }

    /** The segment in which the chain ends, or null if it is not there yet. */
    @Nullable
    Segment segment() {
        return table.covering(position);
    }

    LogTail tail(int newEpoch) {
        return new LogTail(position, newEpoch, lastBatchLsn, lastBatchIndex);
    }

    int epoch() {
        return epoch;
    }

    long batches() {
        return batches;
    }
}
