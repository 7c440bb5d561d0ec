package io.mainstem.store.segment;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.RecordType;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.segment.CommitLog.MessageScan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Reads a stretch of the log again in its order. Thread: any one. */
final class RecordScan {
    private static final byte[] NO_MARKS = {};

    private final StoreFiles files;
    private final SegmentTable table;
    private final StoreMeta meta;

    RecordScan(StoreFiles files, SegmentTable table, StoreMeta meta) {
        this.files = files;
        this.table = table;
        this.meta = meta;
    }

    /** See {@link CommitLog#messages}. */
    void messages(long fromLsn, long toLsn, MessageScan to) throws IOException {
        long at = fromLsn;
        Segment segment = table.coveringOrNext(at);
        while (segment != null && at < toLsn && segment.baseLsn() < toLsn) {
            if (segment.baseLsn() > at) {
                to.gap(false);
            }
            CompactedFile compacted = segment.compacted();
            if (compacted == null) {
                batches(segment, fromLsn, toLsn, to);
            } else {
                survivors(segment, compacted, fromLsn, toLsn, to);
            }
            if (table.at(segment.baseLsn()) != segment) {
                throw new IOException(segment.path() + " was recycled or compacted while it was read");
            }
            at = segment.endLsn();
            segment = table.coveringOrNext(at);
        }
        if (at < toLsn) {
            // What was at the end may have been removed, though something before it is needed.
            to.gap(false);
        }
    }

    /** All that is looked for has been written, so a place without a batch is damaged, in the active segment too. */
    private void batches(Segment segment, long fromLsn, long toLsn, MessageScan to) throws IOException {
        try (StoreFile file = files.openDirect(segment.path())) {
            BatchScanner scanner = new BatchScanner(meta.layout(), meta.store(), file, segment.baseLsn());
            long at = meta.layout().firstBatch(segment.baseLsn());
            while (at < toLsn && at + RecordHeader.BYTES <= segment.endLsn()) {
                ScannedBatch batch = scanner.batchAt(at);
                if (batch != null) {
                    tell(batch, fromLsn, toLsn, to);
                    at = batch.endLsn();
                } else if (scanner.padAt(at)) {
                    break;
                } else {
                    long next = scanner.findBatchRecord(at + meta.layout().batchAlign());
                    at = next < 0 ? segment.endLsn() : next;
                    if (at > fromLsn) {
                        to.gap(true);
                    }
                }
            }
        }
    }

    private static void tell(ScannedBatch batch, long fromLsn, long toLsn, MessageScan to) {
        for (RecordHeader record : batch.records()) {
            if (record.lsn() >= fromLsn && record.lsn() < toLsn && isMessage(record)) {
                to.record(
                        new LogRecord(record.lsn(), record.type(), record.flags(), record.epoch(), batch.body(record)));
            }
        }
    }

    private void survivors(Segment segment, CompactedFile compacted, long fromLsn, long toLsn, MessageScan to)
            throws IOException {
        boolean damaged = false;
        byte[] marks = compacted.marks(segment.file());
        to.compacted(
                marks != null,
                (laneId, visitor) -> LaneMarks.forEach(marks == null ? NO_MARKS : marks, laneId, visitor));
        SurvivorIndex survivors = compacted.survivors();
        HeaderChecksum checksum = new HeaderChecksum(meta.store());
        try (RecordSource source = RecordSource.of(files, segment, meta.store(), Throttle.of(0))) {
            for (int i = survivors.firstFrom(fromLsn); i < survivors.size() && survivors.lsn(i) < toLsn; i++) {
                try {
                    ByteBuffer bytes = source.record(survivors.lsn(i)).slice().order(ByteOrder.LITTLE_ENDIAN);
                    RecordHeader record = RecordHeader.decode(bytes, 0, survivors.lsn(i), checksum);
                    if (record != null && isMessage(record)) {
                        byte[] body = new byte[record.bodyBytes()];
                        bytes.get(RecordHeader.BYTES, body);
                        to.record(new LogRecord(record.lsn(), record.type(), record.flags(), record.epoch(), body));
                    }
                } catch (DamagedRecordException e) {
                    // Its message is lost, and one entry is not found.
                    damaged = true;
                }
            }
        }
        to.gap(damaged);
    }

    private static boolean isMessage(RecordHeader record) {
        return record.type() == RecordType.MSG.code() || record.type() == RecordType.MSG_REF.code();
    }
}
