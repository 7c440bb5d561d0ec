package io.mainstem.store.segment;

import io.mainstem.store.Frame;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.RecordType;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;

/**
 * Lays out one batch in a direct slab, each body copied once. Thread: writer.
 *
 * <p>The slab may be reused as soon as the write has returned: the page cache has its own copy by then.
 */
final class BatchBuilder {
    static final int RECORDS_MAX = 4096;

    private final LogLayout layout;
    private final HeaderChecksum checksum;
    private final ByteBuffer slab;
    private long startLsn;
    private int limit;
    private int position;
    private int records;
    private int epoch;
    private int timeMs;

    BatchBuilder(LogLayout layout, UUID store) {
        this.layout = layout;
        this.checksum = new HeaderChecksum(store);
        this.slab = ByteBuffer.allocateDirect(layout.batchBytesMax()).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Bytes a batch with one record of this body length takes. */
    static long batchBytes(long bodyBytes) {
        return BatchHeader.RECORD_BYTES + LogLayout.recordBytes(bodyBytes);
    }

    /** @param room bytes that may be written from {@code startLsn} on */
    void begin(long startLsn, long room, int epoch, int timeMs) {
        this.startLsn = startLsn;
        this.limit = (int) Math.min(slab.capacity(), room);
        this.position = BatchHeader.RECORD_BYTES;
        this.records = 0;
        this.epoch = epoch;
        this.timeMs = timeMs;
    }

    /** @param kept bytes at the end that are not for these records */
    boolean fits(long recordBytes, int count, long kept) {
        return position + recordBytes <= limit - kept && (records == 0 || records + count <= RECORDS_MAX);
    }

    long startLsn() {
        return startLsn;
    }

    /** All frames of a group as plain records; they get their LSNs. */
    void add(RecordGroup group) {
        List<Frame> frames = group.frames();
        int last = frames.size() - 1;
        for (int i = 0; i <= last; i++) {
            Frame frame = frames.get(i);
            add(frame, i < last);
        }
    }

    /** One frame as a plain record. */
    void add(Frame frame, boolean more) {
        int at = open();
        for (byte[] piece : frame.body()) {
            slab.put(piece);
        }
        int flags = frame.flags() | (more ? CommitLog.FLAG_MORE : 0);
        frame.assignLsn(close(at, frame.type().code(), flags, frame.bodyCrc()));
    }

    /** A record whose body {@code writer} puts into the slab; returns its LSN. */
    long add(RecordType type, int flags, BodyWriter writer) {
        int at = open();
        writer.putInto(slab);
        int body = at + RecordHeader.BYTES;
        return close(at, type.code(), flags, checksum.ofBody(slab, body, slab.position() - body));
    }

    private int open() {
        slab.limit(slab.capacity()).position(position + RecordHeader.BYTES);
        return position;
    }

    private long close(int at, int type, int flags, int bodyCrc) {
        int bodyBytes = slab.position() - at - RecordHeader.BYTES;
        int end = at + (int) LogLayout.recordBytes(bodyBytes);
        zero(slab.position(), end);
        long lsn = startLsn + at;
        new RecordHeader(bodyBytes, lsn, type, flags, epoch, bodyCrc, timeMs).encode(slab, at, checksum);
        position = end;
        records++;
        return lsn;
    }

    /** Fills in the BATCH record and returns the bytes to write, zero padded to the next batch's start. */
    ByteBuffer finish(long index, long prevBatchLsn, long syncedUpTo) {
        new BatchHeader(epoch, index, records, position, prevBatchLsn, syncedUpTo).encode(slab, RecordHeader.BYTES);
        int crc = checksum.ofBody(slab, RecordHeader.BYTES, BatchHeader.BYTES);
        new RecordHeader(BatchHeader.BYTES, startLsn, RecordType.BATCH.code(), 0, epoch, crc, timeMs)
                .encode(slab, 0, checksum);
        int end = (int) (endLsn() - startLsn);
        slab.limit(slab.capacity());
        zero(position, end);
        return slab.limit(end).position(0);
    }

    /** Where the next batch will start. */
    long endLsn() {
        return layout.batchStart(startLsn + position);
    }

    private void zero(int from, int to) {
        for (int i = from; i < to; i++) {
            slab.put(i, (byte) 0);
        }
    }

    /** A PAD record that fills everything from {@code lsn} to {@code endLsn}; only its head is written. */
    ByteBuffer pad(long lsn, long endLsn, int epoch, int timeMs) {
        int bytes = (int) Math.min(layout.batchAlign(), endLsn - lsn);
        bytes = Math.max(bytes, RecordHeader.BYTES);
        slab.limit(slab.capacity());
        zero(0, bytes);
        int bodyBytes = (int) (endLsn - lsn) - RecordHeader.BYTES;
        new RecordHeader(bodyBytes, lsn, RecordType.PAD.code(), 0, epoch, 0, timeMs).encode(slab, 0, checksum);
        return slab.limit(bytes).position(0);
    }

    /** Puts a body at the buffer's position. */
    @FunctionalInterface
    interface BodyWriter {
        void putInto(ByteBuffer slab);
    }
}
