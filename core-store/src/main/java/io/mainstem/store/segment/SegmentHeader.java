package io.mainstem.store.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * First 64 bytes of a segment file, little-endian. They take LSN space, so position = lsn - base.
 *
 * <pre>
 *   0       8    10   12              28       32              40       44              52      56   60    64
 *   +-------+----+----+---------------+--------+---------------+--------+---------------+-------+----+-----+
 *   | magic |ver | len|     uuid      | logId  |    baseLsn    |segBytes|    baseTs     | epoch | 0  | crc |
 *   +-------+----+----+---------------+--------+---------------+--------+---------------+-------+----+-----+
 * </pre>
 *
 * @param segmentBytes u32 on disk
 * @param baseTimeMs epoch ms to which the records' times are relative
 */
record SegmentHeader(UUID store, int logId, long baseLsn, long segmentBytes, long baseTimeMs, int epoch) {
    static final int BYTES = 64;
    static final int VERSION = 1;
    /** "MSTMLOG" and a zero byte. */
    static final long MAGIC = 0x00474f4c4d54534dL;

    ByteBuffer encode() {
        ByteBuffer into = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        into.putLong(MAGIC).putShort((short) VERSION).putShort((short) BYTES);
        into.putLong(store.getMostSignificantBits()).putLong(store.getLeastSignificantBits());
        into.putInt(logId).putLong(baseLsn).putInt((int) segmentBytes).putLong(baseTimeMs);
        into.putInt(epoch).putInt(0).putInt(crcOf(into));
        return into.flip();
    }

    /** The header, or null if the bytes are none or damaged. */
    static @Nullable SegmentHeader decode(ByteBuffer bytes) {
        ByteBuffer from = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).rewind();
        if (from.remaining() < BYTES
                || from.getLong(0) != MAGIC
                || from.getShort(8) != VERSION
                || from.getInt(BYTES - 4) != crcOf(from)) {
            return null;
        }
        UUID store = new UUID(from.getLong(12), from.getLong(20));
        return new SegmentHeader(
                store,
                from.getInt(28),
                from.getLong(32),
                Integer.toUnsignedLong(from.getInt(40)),
                from.getLong(44),
                from.getInt(52));
    }

    private static int crcOf(ByteBuffer header) {
        return HeaderChecksum.plain(header, 0, BYTES - 4);
    }
}
