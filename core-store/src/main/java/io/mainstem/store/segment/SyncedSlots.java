package io.mainstem.store.segment;

import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The side file {@code ckpt/synced}: up to where the log is known durable, so that the last batch of a quiet broker is
 * vouched for, too. Two slots of 512 bytes written in turn: one is always whole. Little-endian.
 *
 * <pre>
 *   0       8          16          24             32           40       44      48 .. 508  508    512
 *   +-------+----------+-----------+--------------+------------+--------+-------+----------+------+
 *   | magic | sequence | syncedLsn | lastBatchLsn | batchIndex | epoch  | clean |    0     | crc  |
 *   +-------+----------+-----------+--------------+------------+--------+-------+----------+------+
 * </pre>
 *
 * Thread: opening thread, then keeper, then closing thread.
 */
final class SyncedSlots {
    static final String FILE = "synced";

    private static final int BYTES = 512;
    /** "MSTMSYNC". */
    private static final long MAGIC = 0x434e59534d54534dL;

    private static final byte[] UNFINISHED = "not whole yet: being salvaged".getBytes(StandardCharsets.US_ASCII);

    private final StoreFile file;
    private long sequence;

    private SyncedSlots(StoreFile file, long sequence) {
        this.file = file;
        this.sequence = sequence;
    }

    /**
     * What a slot says.
     *
     * @param lastBatchLsn start of the last batch below {@code syncedLsn}, 0 = unknown
     * @param batchIndex number of that batch
     * @param clean the log ends at {@code syncedLsn}: it was closed there and not opened since
     */
    record Slot(long sequence, long syncedLsn, long lastBatchLsn, long batchIndex, int epoch, boolean clean) {}

    static Path path(Path directory) {
        return directory.resolve("ckpt").resolve(FILE);
    }

    /** The newest valid slot, or null. */
    static @Nullable Slot read(StoreFiles files, Path directory) throws IOException {
        if (!files.exists(path(directory))) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(2 * BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (StoreFile file = files.open(path(directory), OpenMode.READ)) {
            file.read(bytes, 0);
        }
        Slot first = decode(bytes, 0);
        Slot second = decode(bytes, BYTES);
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        return first.sequence() > second.sequence() ? first : second;
    }

    /** True if the file is not there, or nothing was ever written to it. */
    static boolean blank(StoreFiles files, Path directory) throws IOException {
        for (byte each : contents(files, directory)) {
            if (each != 0) {
                return false;
            }
        }
        return true;
    }

    /** Says in place of a slot that the store is being made of another one and not whole yet. */
    static void markUnfinished(StoreFiles files, Path directory) throws IOException {
        files.createDirectories(directory.resolve("ckpt"));
        try (StoreFile file = files.open(path(directory), OpenMode.CREATE_NEW)) {
            file.write(ByteBuffer.wrap(Arrays.copyOf(UNFINISHED, 2 * BYTES)), 0);
            file.sync();
        }
        files.syncDirectory(directory.resolve("ckpt"));
    }

    /** True if there is no slot but what {@link #markUnfinished} has written. */
    static boolean unfinished(StoreFiles files, Path directory) throws IOException {
        byte[] contents = contents(files, directory);
        return Arrays.equals(Arrays.copyOf(contents, UNFINISHED.length), UNFINISHED) && read(files, directory) == null;
    }

    private static byte[] contents(StoreFiles files, Path directory) throws IOException {
        if (!files.exists(path(directory))) {
            return new byte[0];
        }
        ByteBuffer bytes = ByteBuffer.allocate(2 * BYTES);
        try (StoreFile file = files.open(path(directory), OpenMode.READ)) {
            file.read(bytes, 0);
        }
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** Opens the file for writing, making it if needed; {@code last} is what {@link #read} found. */
    static SyncedSlots open(StoreFiles files, Path directory, @Nullable Slot last) throws IOException {
        Path path = path(directory);
        if (!files.exists(path)) {
            files.createDirectories(directory.resolve("ckpt"));
            try (StoreFile file = files.open(path, OpenMode.CREATE_NEW)) {
                file.write(ByteBuffer.allocate(2 * BYTES), 0);
                file.sync();
            }
            files.syncDirectory(directory.resolve("ckpt"));
        }
        return new SyncedSlots(files.open(path, OpenMode.READ_WRITE), last == null ? 0 : last.sequence());
    }

    /** Writes the older slot and syncs. The sequence in {@code slot} is ignored. */
    void write(Slot slot) throws IOException {
        long number = ++sequence;
        ByteBuffer bytes = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC).putLong(8, number).putLong(16, slot.syncedLsn());
        bytes.putLong(24, slot.lastBatchLsn()).putLong(32, slot.batchIndex());
        bytes.putInt(40, slot.epoch()).putInt(44, slot.clean() ? 1 : 0);
        bytes.putInt(BYTES - 4, crcOf(bytes, 0));
        file.write(bytes, number % 2 * BYTES);
        file.sync();
    }

    private static @Nullable Slot decode(ByteBuffer bytes, int at) {
        if (bytes.position() < at + BYTES
                || bytes.getLong(at) != MAGIC
                || bytes.getInt(at + BYTES - 4) != crcOf(bytes, at)) {
            return null;
        }
        return new Slot(
                bytes.getLong(at + 8),
                bytes.getLong(at + 16),
                bytes.getLong(at + 24),
                bytes.getLong(at + 32),
                bytes.getInt(at + 40),
                bytes.getInt(at + 44) != 0);
    }

    private static int crcOf(ByteBuffer bytes, int at) {
        return HeaderChecksum.plain(bytes, at, BYTES - 4);
    }

    void close() throws IOException {
        file.close();
    }
}
