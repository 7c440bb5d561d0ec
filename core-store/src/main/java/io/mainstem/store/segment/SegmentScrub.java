package io.mainstem.store.segment;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.RecordType;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.Throttle;
import io.mainstem.store.segment.CommitLog.LogRecord;
import io.mainstem.store.segment.CommitLog.LsnRange;
import io.mainstem.store.segment.CommitLog.ScrubStep;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads sealed segments again, from the disk and not from a cache, to find what has been damaged. Thread: any one. */
final class SegmentScrub {
    private final StoreFiles files;
    private final SegmentTable table;
    private final StoreMeta meta;

    SegmentScrub(StoreFiles files, SegmentTable table, StoreMeta meta) {
        this.files = files;
        this.table = table;
        this.meta = meta;
    }

    /** See {@link CommitLog#scrub}. */
    ScrubStep step(long fromLsn, int bytes) throws IOException {
        Segment segment = table.coveringOrNext(fromLsn);
        if (segment == null || !segment.sealed()) {
            return new ScrubStep(-1, 0, List.of());
        }
        try {
            long from = Math.max(fromLsn, segment.baseLsn());
            CompactedFile compacted = segment.compacted();
            return compacted == null ? batches(segment, from, bytes) : records(segment, compacted, from, bytes);
        } catch (IOException e) {
            if (table.at(segment.baseLsn()) == segment) {
                throw e;
            }
            return new ScrubStep(segment.endLsn(), 0, List.of()); // recycled or compacted meanwhile
        }
    }

    private ScrubStep batches(Segment segment, long fromLsn, int bytes) throws IOException {
        List<LsnRange> damaged = new ArrayList<>();
        long at = Math.max(fromLsn, meta.layout().firstBatch(segment.baseLsn()));
        long from = at;
        try (StoreFile file = files.openDirect(segment.path())) {
            BatchScanner scanner = new BatchScanner(meta.layout(), meta.store(), file, segment.baseLsn());
            while (at - from < bytes) {
                if (at + RecordHeader.BYTES > segment.endLsn()) {
                    return new ScrubStep(segment.endLsn(), at - from, damaged);
                }
                ScannedBatch batch = scanner.batchAt(at);
                if (batch != null) {
                    at = batch.endLsn();
                } else if (scanner.padAt(at)) {
                    return new ScrubStep(segment.endLsn(), at - from, damaged);
                } else {
                    long next = scanner.findBatchRecord(at + meta.layout().batchAlign());
                    long until = next < 0 ? segment.endLsn() : next;
                    damaged.add(new LsnRange(at, until));
                    at = until;
                }
            }
        }
        return new ScrubStep(at, at - from, damaged);
    }

    private ScrubStep records(Segment segment, CompactedFile compacted, long fromLsn, int bytes) throws IOException {
        List<LsnRange> damaged = new ArrayList<>();
        SurvivorIndex survivors = compacted.survivors();
        long read = 0;
        try (RecordSource source = RecordSource.of(files, segment, meta.store(), Throttle.of(0))) {
            for (int i = survivors.firstFrom(fromLsn); i < survivors.size(); i++) {
                if (read >= bytes) {
                    return new ScrubStep(survivors.lsn(i), read, damaged);
                }
                try {
                    read += source.record(survivors.lsn(i)).remaining();
                } catch (DamagedRecordException e) {
                    damaged.add(new LsnRange(e.lsn(), e.lsn() + 1));
                }
            }
        }
        return new ScrubStep(segment.endLsn(), read, damaged);
    }

    /** See {@link CommitLog#readAgain}. */
    @Nullable
    LogRecord readAgain(long lsn) throws IOException {
        Segment segment = table.covering(lsn);
        if (segment == null || !segment.sealed() || segment.positionOf(lsn) < 0) {
            return null;
        }
        try (RecordSource source = RecordSource.of(files, segment, meta.store(), Throttle.of(0))) {
            ByteBuffer bytes = source.record(lsn).slice().order(ByteOrder.LITTLE_ENDIAN);
            RecordHeader header = RecordHeader.decode(bytes, 0, lsn, new HeaderChecksum(meta.store()));
            if (header == null || RecordType.of(header.type()) == null) {
                throw new DamagedRecordException(lsn, segment.path().toString(), "no record that belongs there");
            }
            byte[] body = new byte[header.bodyBytes()];
            bytes.get(RecordHeader.BYTES, body);
            return new LogRecord(lsn, header.type(), header.flags(), header.epoch(), body);
        }
    }

    /** See {@link CommitLog#keepCopy}. */
    @Nullable
    String keepCopy(long lsn) throws IOException {
        Segment segment = table.covering(lsn);
        return segment == null || !segment.sealed() ? null : Attic.copy(files, segment.path());
    }
}
