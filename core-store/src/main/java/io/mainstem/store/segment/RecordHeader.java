package io.mainstem.store.segment;

import io.mainstem.store.StoreException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The 32 bytes in front of every record, little-endian; records start 8-byte aligned and are zero padded.
 *
 * <pre>
 *   0        4        8                16  17  18    20       24       28       32
 *   +--------+--------+-----------------+---+---+-----+--------+--------+--------+
 *   | headCrc| bodyLen|       lsn       |ver|typ|flags| epoch  | bodyCrc| timeMs |
 *   +--------+--------+-----------------+---+---+-----+--------+--------+--------+
 * </pre>
 *
 * {@code headCrc} is the CRC32C of bytes 4 to 31 seeded with the store's uuid; {@code lsn} names the place itself;
 * {@code epoch} never decreases along the log. Together they keep recycled or cut-off bytes from being taken for records.
 *
 * @param bodyBytes without header and padding
 * @param timeMs since the segment's base time, never decreasing within it
 */
record RecordHeader(int bodyBytes, long lsn, int type, int flags, int epoch, int bodyCrc, int timeMs) {
    static final int BYTES = 32;
    static final int VERSION = 1;

    private static final int CHECKED_FROM = 4;

    void encode(ByteBuffer into, int at, HeaderChecksum checksum) {
        into.putInt(at + 4, bodyBytes);
        into.putLong(at + 8, lsn);
        into.put(at + 16, (byte) VERSION);
        into.put(at + 17, (byte) type);
        into.putShort(at + 18, (short) flags);
        into.putInt(at + 20, epoch);
        into.putInt(at + 24, bodyCrc);
        into.putInt(at + 28, timeMs);
        into.putInt(at, checksum.of(into, at + CHECKED_FROM, BYTES - CHECKED_FROM));
    }

    /** The header at {@code at} if it is one, valid, of this store and of just this place; else null. */
    static @Nullable RecordHeader decode(ByteBuffer from, int at, long expectedLsn, HeaderChecksum checksum) {
        if (from.getLong(at + 8) != expectedLsn
                || from.getInt(at) != checksum.of(from, at + CHECKED_FROM, BYTES - CHECKED_FROM)) {
            return null;
        }
        int version = from.get(at + 16) & 0xff;
        if (version != VERSION) {
            throw new StoreException(
                    "MS-0208",
                    "The record at LSN " + expectedLsn + " has format version " + version + ", this program reads "
                            + VERSION + ".",
                    "start the version of Mainstem that wrote this store.");
        }
        int bodyBytes = from.getInt(at + 4);
        if (bodyBytes < 0) {
            return null;
        }
        return new RecordHeader(
                bodyBytes,
                expectedLsn,
                from.get(at + 17) & 0xff,
                from.getShort(at + 18) & 0xffff,
                from.getInt(at + 20),
                from.getInt(at + 24),
                from.getInt(at + 28));
    }

    boolean more() {
        return (flags & CommitLog.FLAG_MORE) != 0;
    }

    /** Bytes in the log, padding included. */
    long recordBytes() {
        return LogLayout.recordBytes(bodyBytes);
    }
}
