package io.mainstem.store.segment;

import io.mainstem.store.RecordType;
import io.mainstem.store.files.StoreFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the batches of one segment file and checks every byte that a checksum covers. Thread: one. */
final class BatchScanner {
    private static final int WINDOW_BYTES = 1 << 20;

    private final LogLayout layout;
    private final StoreFile file;
    private final long baseLsn;
    private final long limitLsn;
    private final HeaderChecksum checksum;
    private ByteBuffer window;
    private long windowLsn;
    private String reason = "";

    BatchScanner(LogLayout layout, UUID store, StoreFile file, long baseLsn) throws IOException {
        this.layout = layout;
        this.file = file;
        this.baseLsn = baseLsn;
        this.limitLsn = baseLsn + Math.min(layout.segmentBytes(), file.size());
        this.checksum = new HeaderChecksum(store);
        this.window =
                buffer((int) Math.min(WINDOW_BYTES, layout.segmentBytes())).limit(0);
    }

    private static ByteBuffer buffer(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Why the last {@link #batchAt} or {@link #padAt} found nothing valid. */
    String reason() {
        return reason;
    }

    /** Offset in the window of {@code bytes} bytes at {@code lsn}, read if needed; -1 if the file ends before. */
    private int load(long lsn, long bytes) throws IOException {
        if (lsn + bytes > limitLsn) {
            reason = "the file ends at LSN " + limitLsn;
            return -1;
        }
        if (lsn < windowLsn || lsn + bytes > windowLsn + window.limit()) {
            if (bytes > window.capacity()) {
                window = buffer((int) bytes);
            }
            window.clear().limit((int) Math.min(window.capacity(), limitLsn - lsn));
            int read = file.read(window, lsn - baseLsn);
            window.position(0).limit(read);
            windowLsn = lsn;
            if (read < bytes) {
                reason = "the file ended while it was read";
                return -1;
            }
        }
        return (int) (lsn - windowLsn);
    }

    /** True if a valid PAD record stands here: the rest of the segment is unused. */
    boolean padAt(long lsn) throws IOException {
        int at = load(lsn, RecordHeader.BYTES);
        RecordHeader header = at < 0 ? null : RecordHeader.decode(window, at, lsn, checksum);
        return header != null
                && header.type() == RecordType.PAD.code()
                && lsn + header.recordBytes() == baseLsn + layout.segmentBytes();
    }

    /** The batch at {@code lsn} if it is whole and valid, else null and {@link #reason} says what is wrong. */
    @Nullable
    ScannedBatch batchAt(long lsn) throws IOException {
        RecordHeader first = batchRecordAt(lsn);
        if (first == null) {
            return null;
        }
        BatchHeader header = BatchHeader.decode(window, (int) (lsn - windowLsn) + RecordHeader.BYTES);
        if (header.bytes() < BatchHeader.RECORD_BYTES || header.records() < 1) {
            return invalid("impossible length of the batch", lsn);
        }
        int at = load(lsn, header.bytes());
        if (at < 0) {
            return null;
        }
        List<RecordHeader> records = recordsOf(lsn, at, header, first.epoch());
        if (records == null) {
            return null;
        }
        long endLsn = layout.batchStart(lsn + header.bytes());
        return new ScannedBatch(lsn, endLsn, first.epoch(), header, records, window, at);
    }

    /** The BATCH record alone, head and body checked. */
    private @Nullable RecordHeader batchRecordAt(long lsn) throws IOException {
        int at = load(lsn, BatchHeader.RECORD_BYTES);
        if (at < 0) {
            return null;
        }
        RecordHeader first = RecordHeader.decode(window, at, lsn, checksum);
        if (first == null || first.type() != RecordType.BATCH.code() || first.bodyBytes() != BatchHeader.BYTES) {
            reason = "no batch header at LSN " + lsn;
            return null;
        }
        if (checksum.ofBody(window, at + RecordHeader.BYTES, BatchHeader.BYTES) != first.bodyCrc()) {
            reason = "bad checksum of the batch header at LSN " + lsn;
            return null;
        }
        return first;
    }

    private @Nullable List<RecordHeader> recordsOf(long lsn, int at, BatchHeader header, int epoch) {
        List<RecordHeader> records = new ArrayList<>(header.records());
        long end = lsn + header.bytes();
        long next = lsn + BatchHeader.RECORD_BYTES;
        boolean more = false;
        while (next + RecordHeader.BYTES <= end) {
            int from = at + (int) (next - lsn);
            RecordHeader record = RecordHeader.decode(window, from, next, checksum);
            if (record == null || record.epoch() != epoch || next + record.recordBytes() > end) {
                reason = "bad record header at LSN " + next;
                return null;
            }
            if (checksum.ofBody(window, from + RecordHeader.BYTES, record.bodyBytes()) != record.bodyCrc()) {
                reason = "bad checksum of the record body at LSN " + next;
                return null;
            }
            records.add(record);
            more = record.more();
            next += record.recordBytes();
        }
        if (next != end || records.size() != header.records() || more) {
            reason = "the records do not fill the batch at LSN " + lsn;
            return null;
        }
        return records;
    }

    private @Nullable ScannedBatch invalid(String what, long lsn) {
        reason = what + " at LSN " + lsn;
        return null;
    }

    /**
     * The next BATCH record at or after {@code lsn} whose own checksums hold, in steps of the batch alignment; -1 if none.
     */
    long findBatchRecord(long lsn) throws IOException {
        for (long at = layout.batchStart(lsn); at + BatchHeader.RECORD_BYTES <= limitLsn; at += layout.batchAlign()) {
            if (batchRecordAt(at) != null) {
                return at;
            }
        }
        return -1;
    }

    /** Any sound record here, its body included, or null. */
    @Nullable
    RecordHeader recordAt(long lsn) throws IOException {
        int at = load(lsn, RecordHeader.BYTES);
        RecordHeader header = at < 0 ? null : RecordHeader.decode(window, at, lsn, checksum);
        if (header == null || header.bodyBytes() < 0) {
            return null;
        }
        at = load(lsn, header.recordBytes());
        boolean sound =
                at >= 0 && checksum.ofBody(window, at + RecordHeader.BYTES, header.bodyBytes()) == header.bodyCrc();
        return sound ? header : null;
    }

    /** The body of what {@link #recordAt} has just found. */
    byte[] bodyOf(RecordHeader record) {
        byte[] body = new byte[record.bodyBytes()];
        window.get((int) (record.lsn() - windowLsn) + RecordHeader.BYTES, body);
        return body;
    }

    /** True if the BATCH record alone is valid here, whatever follows it. */
    boolean batchRecordStandsAt(long lsn) throws IOException {
        return batchRecordAt(lsn) != null;
    }

    /** What the BATCH record found by {@link #findBatchRecord} says. */
    BatchHeader headerAt(long lsn) throws IOException {
        int at = load(lsn, BatchHeader.RECORD_BYTES);
        return BatchHeader.decode(window, at + RecordHeader.BYTES);
    }

    /** Its epoch. */
    int epochAt(long lsn) throws IOException {
        return window.getInt(load(lsn, RecordHeader.BYTES) + 20);
    }
}
