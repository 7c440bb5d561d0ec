package io.mainstem.store.segment;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/** CRC32C seeded with the store's uuid, so that bytes of another store never validate. Thread: one. */
final class HeaderChecksum {
    private final CRC32C crc = new CRC32C();
    private final byte[] seed;

    HeaderChecksum(UUID store) {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putLong(store.getMostSignificantBits()).putLong(store.getLeastSignificantBits());
        this.seed = bytes.array();
    }

    /** Checksum of {@code length} bytes of {@code bytes} from {@code from}; position and limit are left as they were. */
    int of(ByteBuffer bytes, int from, int length) {
        crc.reset();
        crc.update(seed, 0, seed.length);
        return updated(crc, bytes, from, length);
    }

    /** As {@link #of} without the seed, as bodies have it. */
    int ofBody(ByteBuffer bytes, int from, int length) {
        crc.reset();
        return updated(crc, bytes, from, length);
    }

    /** Plain CRC32C of {@code length} bytes from {@code from}. */
    static int plain(ByteBuffer bytes, int from, int length) {
        return updated(new CRC32C(), bytes, from, length);
    }

    private static int updated(CRC32C crc, ByteBuffer bytes, int from, int length) {
        int position = bytes.position();
        int limit = bytes.limit();
        bytes.limit(from + length).position(from);
        crc.update(bytes);
        bytes.limit(limit).position(position);
        return (int) crc.getValue();
    }
}
