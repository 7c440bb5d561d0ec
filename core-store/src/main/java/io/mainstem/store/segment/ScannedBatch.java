package io.mainstem.store.segment;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * A batch read back and found whole.
 *
 * @param lsn where it starts
 * @param endLsn where the next one may start
 * @param records what follows the BATCH record
 * @param bytes the scanner's buffer: valid until its next read
 * @param offset of the batch in {@code bytes}
 */
record ScannedBatch(
        long lsn,
        long endLsn,
        int epoch,
        BatchHeader header,
        List<RecordHeader> records,
        ByteBuffer bytes,
        int offset) {

    /** A copy of a record's body. */
    byte[] body(RecordHeader record) {
        byte[] body = new byte[record.bodyBytes()];
        bytes.get(offset + (int) (record.lsn() - lsn) + RecordHeader.BYTES, body);
        return body;
    }
}
