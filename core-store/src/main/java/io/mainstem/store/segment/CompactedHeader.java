package io.mainstem.store.segment;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * First and last 64 bytes of a compacted file, little-endian; one copy suffices.
 *
 * <pre>
 *   0       8    10   12              28       32          40          48      52         56     60    64
 *   +-------+----+----+---------------+--------+-----------+-----------+-------+----------+------+-----+
 *   | magic |ver | len|     uuid      | logId  |  baseLsn  |  endLsn   | epoch |generation|footer| crc |
 *   +-------+----+----+---------------+--------+-----------+-----------+-------+----------+------+-----+
 * </pre>
 *
 * @param endLsn the file stands for all of the log from baseLsn to here
 * @param epoch highest of the segments it was made of
 * @param generation file names end in it; of two files for the same LSNs the higher one counts
 * @param footerAt where the index of records begins; u32 on disk, in units of 8 bytes
 */
record CompactedHeader(UUID store, int logId, long baseLsn, long endLsn, int epoch, int generation, long footerAt) {
    static final int BYTES = 64;

    private static final int VERSION = 1;
    /** "MSTMCPT" and a zero byte. */
    private static final long MAGIC = 0x005450434d54534dL;

    private static final Pattern NAME = Pattern.compile("(\\d{20})\\.g(\\d{4,9})");

    ByteBuffer encode() {
        ByteBuffer into = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        into.putLong(MAGIC).putShort((short) VERSION).putShort((short) BYTES);
        into.putLong(store.getMostSignificantBits()).putLong(store.getLeastSignificantBits());
        into.putInt(logId).putLong(baseLsn).putLong(endLsn).putInt(epoch).putInt(generation);
        into.putInt((int) (footerAt / LogLayout.RECORD_ALIGN));
        into.putInt(HeaderChecksum.plain(into, 0, BYTES - 4));
        return into.flip();
    }

    /** The header, or null if the bytes are none or damaged. */
    static @Nullable CompactedHeader decode(ByteBuffer bytes) {
        ByteBuffer from = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN).rewind();
        if (from.remaining() < BYTES
                || from.getLong(0) != MAGIC
                || from.getShort(8) != VERSION
                || from.getInt(BYTES - 4) != HeaderChecksum.plain(from, 0, BYTES - 4)) {
            return null;
        }
        return new CompactedHeader(
                new UUID(from.getLong(12), from.getLong(20)),
                from.getInt(28),
                from.getLong(32),
                from.getLong(40),
                from.getInt(48),
                from.getInt(52),
                Integer.toUnsignedLong(from.getInt(56)) * LogLayout.RECORD_ALIGN);
    }

    static String fileName(long baseLsn, int generation) {
        return String.format("%020d.g%04d", baseLsn, generation);
    }

    /** The name of the file that this is the header of. */
    String fileName() {
        return fileName(baseLsn, generation);
    }

    static boolean isFileName(String name) {
        return NAME.matcher(name).matches();
    }

    /** The generation that a file name says. */
    static int generationOf(String fileName) {
        Matcher matcher = NAME.matcher(fileName);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("file: " + fileName + " (expected: a compacted file's name)");
        }
        return Integer.parseInt(matcher.group(2));
    }

    /** True if this file stands for all that a file for [base, end) of that generation holds. */
    boolean supersedes(long base, long end, int olderGeneration) {
        return olderGeneration < generation && baseLsn <= base && end <= endLsn;
    }
}
