package io.mainstem.store.segment;

/**
 * Where things stand in the log's address space: an LSN is a byte offset, segment k covers
 * {@code [k * segmentBytes, (k + 1) * segmentBytes)}. Immutable.
 *
 * @param segmentBytes multiple of 4,096
 * @param batchAlign batches start at multiples of it; 8 if alignment is off
 */
record LogLayout(long segmentBytes, int batchAlign) {
    static final int RECORD_ALIGN = 8;
    /** Widest alignment; kept free in front of a border so that a PAD always finds room. */
    static final int PAD_ROOM = 4096;

    private static final int MIB = 1 << 20;

    static LogLayout of(long segmentBytes, int batchAlign) {
        return new LogLayout(segmentBytes / PAD_ROOM * PAD_ROOM, batchAlign == 0 ? RECORD_ALIGN : batchAlign);
    }

    /** What {@link #of} was given: 0 if alignment is off. */
    int batchAlignSetting() {
        return batchAlign == RECORD_ALIGN ? 0 : batchAlign;
    }

    /** First LSN of the segment that holds {@code lsn}. */
    long baseOf(long lsn) {
        return lsn - lsn % segmentBytes;
    }

    long endOf(long lsn) {
        return baseOf(lsn) + segmentBytes;
    }

    /** Where the first batch of a segment starts. */
    long firstBatch(long baseLsn) {
        return batchStart(baseLsn + SegmentHeader.BYTES);
    }

    /** The next place at or after {@code lsn} where a batch may start. */
    long batchStart(long lsn) {
        return (lsn + batchAlign - 1) / batchAlign * batchAlign;
    }

    /** Longest batch: 4 MiB, less in small segments. */
    int batchBytesMax() {
        return (int) Math.min(4L * MIB, segmentBytes - 2L * PAD_ROOM);
    }

    /** Longest body of one record; longer messages are cut into parts. */
    int recordBodyMax() {
        return (int) Math.min(MIB, segmentBytes / 4);
    }

    /** Bytes of a record in the log, header and padding included. */
    static long recordBytes(long bodyBytes) {
        return (RecordHeader.BYTES + bodyBytes + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
    }
}
