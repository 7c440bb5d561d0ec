package io.mainstem.store.segment;

import io.mainstem.store.StoreException;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.UUID;

/**
 * What is fixed when a store is created: {@code store.meta}, 64 bytes, little-endian, written once.
 *
 * <pre>
 *   magic u64 | version u16 | 0 u16 | uuid 16 | logId u32 | segmentBytes u32 | batchAlign u32 | 0 x 20 | crc32c u32
 * </pre>
 */
record StoreMeta(UUID store, int logId, LogLayout layout) {
    static final String FILE = "store.meta";

    private static final int BYTES = 64;
    private static final int VERSION = 1;
    /** "MSTMMETA". */
    private static final long MAGIC = 0x4154454d4d54534dL;

    static StoreMeta read(StoreFiles files, Path directory) throws IOException {
        Path path = directory.resolve(FILE);
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (StoreFile file = files.open(path, OpenMode.READ)) {
            file.read(bytes, 0);
        }
        if (bytes.position() < BYTES || bytes.getLong(0) != MAGIC || bytes.getInt(BYTES - 4) != crcOf(bytes)) {
            throw new StoreException(
                    "MS-0203", path + " is damaged.", "restore this file of 64 bytes from a copy of the store.");
        }
        if (bytes.getShort(8) != VERSION) {
            throw new StoreException(
                    "MS-0208",
                    path + " has format version " + bytes.getShort(8) + ", this program reads " + VERSION + ".",
                    "start the version of Mainstem that wrote this store.");
        }
        return new StoreMeta(
                new UUID(bytes.getLong(12), bytes.getLong(20)),
                bytes.getInt(28),
                new LogLayout(Integer.toUnsignedLong(bytes.getInt(32)), bytes.getInt(36)));
    }

    void create(StoreFiles files, Path directory) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC).putShort(8, (short) VERSION);
        bytes.putLong(12, store.getMostSignificantBits()).putLong(20, store.getLeastSignificantBits());
        bytes.putInt(28, logId).putInt(32, (int) layout.segmentBytes()).putInt(36, layout.batchAlign());
        bytes.putInt(BYTES - 4, crcOf(bytes));
        Path draft = directory.resolve(FILE + ".tmp");
        files.delete(draft);
        try (StoreFile file = files.open(draft, OpenMode.CREATE_NEW)) {
            file.write(bytes, 0);
            file.sync();
        }
        files.renameDurably(draft, directory.resolve(FILE));
    }

    private static int crcOf(ByteBuffer bytes) {
        return HeaderChecksum.plain(bytes, 0, BYTES - 4);
    }
}
