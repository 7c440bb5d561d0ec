package io.mainstem.store.view;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A full block of a lane's entries on disk, immutable once written. Little-endian, 4,096 bytes:
 *
 * <pre>
 *  0  u16 magic 0x4D56 | u16 count (127) | u32 crc32c of all other bytes
 *  8  u64 laneId
 * 16  u64 firstIndex
 * 24  u64 appliedLsn of the lane when it was written
 * 32  127 entries of 32 bytes ({@link EntryWords})
 * </pre>
 */
final class Block {
    static final int BYTES = 4096;
    static final int ENTRIES = 127;
    static final int WORDS = ENTRIES * EntryWords.PER_ENTRY;

    private static final int HEADER_BYTES = 32;
    private static final int CRC_AT = 4;
    private static final short MAGIC = 0x4D56;

    private Block() {}

    /** Fills {@code out} (4,096 bytes, cleared) with a block, ready to be written. */
    static void encode(ByteBuffer out, long laneId, long firstIndex, long appliedLsn, long[] words) {
        out.clear().order(ByteOrder.LITTLE_ENDIAN);
        out.putShort(0, MAGIC).putShort(2, (short) ENTRIES).putInt(CRC_AT, 0);
        out.putLong(8, laneId).putLong(16, firstIndex).putLong(24, appliedLsn);
        for (int i = 0; i < WORDS; i++) {
            out.putLong(HEADER_BYTES + i * Long.BYTES, words[i]);
        }
        out.putInt(CRC_AT, crc(out));
        out.position(0).limit(BYTES);
    }

    /**
     * Checks a block.
     *
     * @return null if it is sound and the one expected, else what is wrong
     */
    static @Nullable String problem(ByteBuffer in, long laneId, long firstIndex) {
        String problem = problem(in);
        if (problem != null) {
            return problem;
        }
        if (in.getLong(8) != laneId || in.getLong(16) != firstIndex) {
            return "holds lane " + in.getLong(8) + " index " + in.getLong(16) + " instead of lane " + laneId + " index "
                    + firstIndex;
        }
        return null;
    }

    /** As above, whatever lane it belongs to. */
    static @Nullable String problem(ByteBuffer in) {
        in.order(ByteOrder.LITTLE_ENDIAN);
        if (in.limit() < BYTES) {
            return "ends after " + in.limit() + " bytes";
        }
        if (in.getShort(0) != MAGIC || in.getShort(2) != ENTRIES) {
            return "has no block header";
        }
        return in.getInt(CRC_AT) == crc(in) ? null : "fails its checksum";
    }

    /** The entries of a sound block. */
    static long[] words(ByteBuffer in) {
        long[] words = new long[WORDS];
        for (int i = 0; i < WORDS; i++) {
            words[i] = in.getLong(HEADER_BYTES + i * Long.BYTES);
        }
        return words;
    }

    private static int crc(ByteBuffer block) {
        CRC32C crc = new CRC32C();
        ByteBuffer part = block.duplicate();
        part.limit(CRC_AT).position(0);
        crc.update(part);
        part.limit(BYTES).position(CRC_AT + Integer.BYTES);
        crc.update(part);
        return (int) crc.getValue();
    }
}
