package io.mainstem.store.segment;

import io.mainstem.store.DamagedRecordException;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.Throttle;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of one sealed segment for background work, each verified: through a file handle of its own, so that the
 * tail's is not in the way, and under a throttle. Thread: one.
 */
final class RecordSource implements AutoCloseable {
    private static final int WINDOW_BYTES = 128 << 10;

    private final Path path;
    private final LongUnaryOperator positionOf;
    private final long fileBytes;
    private final StoreFile file;
    private final HeaderChecksum checksum;
    private final Throttle throttle;
    private ByteBuffer window = ByteBuffer.allocate(0);
    private long windowAt;

    private RecordSource(
            StoreFiles files, Path path, LongUnaryOperator positionOf, long fileBytes, UUID store, Throttle throttle)
            throws IOException {
        this.path = path;
        this.positionOf = positionOf;
        this.fileBytes = fileBytes;
        this.file = files.openDirect(path);
        this.checksum = new HeaderChecksum(store);
        this.throttle = throttle;
    }

    /** Those of a sealed segment in use. */
    static RecordSource of(StoreFiles files, Segment segment, UUID store, Throttle throttle) throws IOException {
        return new RecordSource(files, segment.path(), segment::positionOf, segment.fileBytes(), store, throttle);
    }

    /** Those of a compacted file of a store that nobody has open. */
    static RecordSource of(StoreFiles files, Path path, CompactedFile file, UUID store) throws IOException {
        LongUnaryOperator positionOf = file.survivors()::positionOf;
        return new RecordSource(files, path, positionOf, file.fileBytes(), store, Throttle.of(0));
    }

    /**
     * The record at {@code lsn} as it stands in the file, header and padding included; valid until the next call.
     *
     * @throws io.mainstem.store.StoreException MS-0206 if it is damaged, MS-0207 if compaction has left it out
     */
    ByteBuffer record(long lsn) throws IOException {
        long position = positionOf.applyAsLong(lsn);
        if (position < 0) {
            throw LogReader.gone(lsn, "compaction has left it out of " + path, null);
        }
        RecordHeader header = verified(position, lsn);
        if (header == null) {
            // What a bad cable or a bad page in memory gave may be right the second time.
            window = ByteBuffer.allocate(0);
            header = verified(position, lsn);
        }
        if (header == null) {
            throw new DamagedRecordException(lsn, path.toString(), "its checksum does not hold");
        }
        int from = (int) (position - windowAt);
        return window.duplicate().limit(from + (int) header.recordBytes()).position(from);
    }

    private @Nullable RecordHeader verified(long position, long lsn) throws IOException {
        if (!load(position, RecordHeader.BYTES)) {
            return null;
        }
        RecordHeader header = RecordHeader.decode(window, (int) (position - windowAt), lsn, checksum);
        if (header == null || !load(position, header.recordBytes())) {
            return null;
        }
        int body = (int) (position - windowAt) + RecordHeader.BYTES;
        return checksum.ofBody(window, body, header.bodyBytes()) == header.bodyCrc() ? header : null;
    }

    private boolean load(long position, long bytes) throws IOException {
        if (position < windowAt || position + bytes > windowAt + window.limit()) {
            if (bytes > fileBytes) {
                return false;
            }
            int wanted = (int) Math.max(bytes, WINDOW_BYTES);
            window = (window.capacity() >= wanted ? window : ByteBuffer.allocate(wanted))
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .clear();
            windowAt = position;
            file.read(window, position);
            window.flip();
            throttle.take(window.limit());
        }
        return bytes <= windowAt + window.limit() - position;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
