package io.mainstem.store.checkpoint;

/**
 * The image file. Numbers are little-endian, varints as in {@code Frames}.
 *
 * <pre>
 * header, 64 bytes
 *    0  u64 magic "MSIMAGE1"    8  u16 version = 1   10  u16 flags (1 clean)
 *   16  u64 sequence           24  u64 replayLsn     32  u64 syncedLsn
 *   60  u32 crc32c of bytes 0 to 59
 * items, dropped queues first, lanes ascending, keys ascending (unsigned bytes)
 *   u8 1 | varint bytes | queues dropped for ever (Roaring)
 *   u8 2 | varint laneId | varint bytes | lane state
 *   u8 3 | varint bytes | key | varint bytes | value
 *   u8 0                                             end
 * footer, 16 bytes
 *   u64 bytes of items | u32 crc32c of items | u32 magic
 * </pre>
 */
final class ImageFormat {
    static final long MAGIC = 0x3145_4741_4D49_534DL;
    static final int FOOTER_MAGIC = 0x444E_454D;
    static final int VERSION = 1;
    static final int FLAG_CLEAN = 1;
    static final int HEADER_BYTES = 64;
    static final int HEADER_CRC_AT = 60;
    static final int FOOTER_BYTES = 16;
    static final int ITEM_END = 0;
    static final int ITEM_DROPPED = 1;
    static final int ITEM_LANE = 2;
    static final int ITEM_META = 3;

    private ImageFormat() {}
}
