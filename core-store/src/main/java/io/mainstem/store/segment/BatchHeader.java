package io.mainstem.store.segment;

import java.nio.ByteBuffer;

/**
 * Body of the BATCH record that opens every batch, 48 bytes, little-endian.
 *
 * <pre>
 *   0               8               16       20       24              32              40              48
 *   +---------------+---------------+--------+--------+---------------+---------------+---------------+
 *   |     term      |     index     | records| bytes  | prevBatchLsn  |  syncedUpTo   |  0 (reserved) |
 *   +---------------+---------------+--------+--------+---------------+---------------+---------------+
 * </pre>
 *
 * @param term writer incarnation (equals the epoch of its records)
 * @param index number of the batch, ascending by one
 * @param records how many follow the BATCH record
 * @param bytes from the start of the BATCH record to the end of the last record, padding included
 * @param prevBatchLsn start of the batch before, 0 = unknown
 * @param syncedUpTo the log was durable below this LSN when the batch was written: it vouches for what stands there
 */
record BatchHeader(long term, long index, int records, int bytes, long prevBatchLsn, long syncedUpTo) {
    static final int BYTES = 48;
    /** Header and body of the BATCH record. */
    static final int RECORD_BYTES = RecordHeader.BYTES + BYTES;

    void encode(ByteBuffer into, int at) {
        into.putLong(at, term);
        into.putLong(at + 8, index);
        into.putInt(at + 16, records);
        into.putInt(at + 20, bytes);
        into.putLong(at + 24, prevBatchLsn);
        into.putLong(at + 32, syncedUpTo);
        into.putLong(at + 40, 0);
    }

    static BatchHeader decode(ByteBuffer from, int at) {
        return new BatchHeader(
                from.getLong(at),
                from.getLong(at + 8),
                from.getInt(at + 16),
                from.getInt(at + 20),
                from.getLong(at + 24),
                from.getLong(at + 32));
    }
}
