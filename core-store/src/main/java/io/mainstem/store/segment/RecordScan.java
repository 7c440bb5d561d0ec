package io.mainstem.store.segment;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.RecordType;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.CommitLog.Found;
import io.mainstem.store.segment.CommitLog.LogRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;

/** Reads a stretch of the log again in its order. Thread: any one. */
final class RecordScan {
    private final StoreFiles files;
    private final SegmentTable table;
    private final StoreMeta meta;

    RecordScan(StoreFiles files, SegmentTable table, StoreMeta meta) {
        this.files = files;
        this.table = table;
        this.meta = meta;
    }

    /** See {@link CommitLog#messages}. */
    Found messages(long fromLsn, long toLsn, Consumer<LogRecord> to) throws IOException {
        Found found = new Found(fromLsn, false);
        long at = fromLsn;
        Segment segment = table.coveringOrNext(at);
        while (segment != null && at < toLsn && segment.baseLsn() < toLsn) {
            if (segment.baseLsn() > at) {
                found = new Found(segment.baseLsn(), found.damaged());
            }
            CompactedFile compacted = segment.compacted();
            Found its = compacted == null
                    ? batches(segment, fromLsn, toLsn, to)
                    : survivors(segment, compacted, fromLsn, toLsn, to);
            found = new Found(Math.max(found.wholeFromLsn(), its.wholeFromLsn()), found.damaged() || its.damaged());
            if (table.at(segment.baseLsn()) != segment) {
                throw new IOException(segment.path() + " was recycled or compacted while it was read");
            }
            at = segment.endLsn();
            segment = table.coveringOrNext(at);
        }
        // What was at the end may have been removed, though something before it is needed.
        return at < toLsn ? new Found(toLsn, found.damaged()) : found;
    }

    /** All that is looked for has been written, so a place without a batch is damaged, in the active segment too. */
    private Found batches(Segment segment, long fromLsn, long toLsn, Consumer<LogRecord> to) throws IOException {
        long wholeFrom = segment.baseLsn();
        boolean damaged = false;
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
                    damaged |= at > fromLsn;
                    wholeFrom = at;
                }
            }
        }
        return new Found(wholeFrom, damaged);
    }

    private static void tell(ScannedBatch batch, long fromLsn, long toLsn, Consumer<LogRecord> to) {
        for (RecordHeader record : batch.records()) {
            if (record.lsn() >= fromLsn && record.lsn() < toLsn && isMessage(record)) {
                to.accept(
                        new LogRecord(record.lsn(), record.type(), record.flags(), record.epoch(), batch.body(record)));
            }
        }
    }

    private Found survivors(Segment segment, CompactedFile compacted, long fromLsn, long toLsn, Consumer<LogRecord> to)
            throws IOException {
        boolean damaged = false;
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
                        to.accept(new LogRecord(record.lsn(), record.type(), record.flags(), record.epoch(), body));
                    }
                } catch (DamagedRecordException e) {
                    // Its message is lost, and one entry is not found.
                    damaged = true;
                }
            }
        }
        return new Found(segment.endLsn(), damaged);
    }

    private static boolean isMessage(RecordHeader record) {
        return record.type() == RecordType.MSG.code() || record.type() == RecordType.MSG_REF.code();
    }
}
