package io.mainstem.store.segment;

import io.mainstem.store.files.StoreFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A file that keeps the records still needed of one or more adjacent sealed segments, each verbatim and under its LSN:
 *
 * <pre>
 * header | records, 8-byte aligned, LSNs ascending | index | marks | header again
 *
 * index: u32 sources | u32 records | sources x (u64 baseLsn, i64 baseTimeMs) | records x (u64 lsn, u32 position / 8)
 *        | u32 crc32c of the index before it | zeros to a multiple of 8
 *
 * marks: u32 bytes | u32 crc32c of them | {@link LaneMarks} | zeros to a multiple of 8; missing in files of earlier builds
 * </pre>
 *
 * @param sources segments as they were written, for the times of records
 * @param fileBytes whole size
 * @param rebuilt why the index had to be made anew from the records, or null
 */
record CompactedFile(
        CompactedHeader header,
        List<Source> sources,
        SurvivorIndex survivors,
        long fileBytes,
        @Nullable String rebuilt) {
    private static final int SOURCE_BYTES = 16;
    private static final int RECORD_BYTES = 12;
    private static final int MARKS_HEADER_BYTES = 8;
    private static final int SCAN_BYTES = 1 << 20;

    /** A segment that it stands for. */
    record Source(long baseLsn, long baseTimeMs) {}

    CompactedFile {
        sources = List.copyOf(sources);
    }

    /** To what the time in the record at {@code lsn} is relative, epoch ms; 0 if the index that told it is damaged. */
    long baseTimeMs(long lsn) {
        long time = 0;
        for (Source source : sources) {
            time = source.baseLsn <= lsn ? source.baseTimeMs : time;
        }
        return time;
    }

    /** Up to where it surely has all that was put into it: the end, unless the file has been cut. */
    long wholeTo() {
        if (rebuilt == null || fileBytes >= header.footerAt()) {
            return header.endLsn();
        }
        int records = survivors.size();
        return records == 0 ? header.baseLsn() : survivors.lsn(records - 1) + 1;
    }

    /** The index, ready to be written at {@link CompactedHeader#footerAt}. */
    static ByteBuffer encodeIndex(List<Source> sources, SurvivorIndex survivors) {
        int bytes = indexBytes(sources.size(), survivors.size());
        ByteBuffer into = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        into.putInt(sources.size()).putInt(survivors.size());
        for (Source source : sources) {
            into.putLong(source.baseLsn).putLong(source.baseTimeMs);
        }
        for (int i = 0; i < survivors.size(); i++) {
            into.putLong(survivors.lsn(i)).putInt((int) (survivors.position(i) / LogLayout.RECORD_ALIGN));
        }
        into.putInt(HeaderChecksum.plain(into, 0, into.position()));
        return into.rewind();
    }

    /** The marks, ready to be written behind the index. */
    static ByteBuffer encodeMarks(byte[] marks) {
        ByteBuffer into =
                ByteBuffer.allocate(aligned(MARKS_HEADER_BYTES + marks.length)).order(ByteOrder.LITTLE_ENDIAN);
        into.putInt(marks.length).putInt(HeaderChecksum.plain(ByteBuffer.wrap(marks), 0, marks.length));
        into.put(marks);
        return into.rewind();
    }

    /** What was kept with the records of the lanes they were in; null if there is nothing, or nothing sound. */
    byte @Nullable [] marks(StoreFile file) throws IOException {
        long at = header.footerAt() + indexBytes(sources.size(), survivors.size());
        long most = fileBytes - CompactedHeader.BYTES - at - MARKS_HEADER_BYTES;
        if (rebuilt != null || most <= 0) {
            return null;
        }
        ByteBuffer in = ByteBuffer.allocate(MARKS_HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.read(in, at);
        int bytes = in.getInt(0);
        if (in.hasRemaining() || bytes <= 0 || bytes > most) {
            return null;
        }
        ByteBuffer marks = ByteBuffer.allocate(bytes);
        file.read(marks, at + MARKS_HEADER_BYTES);
        return HeaderChecksum.plain(marks, 0, bytes) == in.getInt(Integer.BYTES) ? marks.array() : null;
    }

    private static int indexBytes(int sources, int records) {
        return aligned(2 * Integer.BYTES + sources * SOURCE_BYTES + records * RECORD_BYTES + Integer.BYTES);
    }

    private static int aligned(int bytes) {
        return (bytes + LogLayout.RECORD_ALIGN - 1) / LogLayout.RECORD_ALIGN * LogLayout.RECORD_ALIGN;
    }

    /**
     * Reads header and index; an index that is damaged is made anew from the records.
     *
     * @return null if neither header is sound, or the file belongs to another store
     */
    static @Nullable CompactedFile read(StoreFile file, UUID store) throws IOException {
        long size = file.size();
        CompactedHeader header = header(file, 0, store);
        CompactedHeader copy = header(file, size - CompactedHeader.BYTES, store);
        CompactedHeader sound = header == null ? copy : header;
        if (sound == null) {
            return null;
        }
        long indexBytes = size - CompactedHeader.BYTES - sound.footerAt();
        CompactedFile read = copy == null || indexBytes < 2L * Integer.BYTES ? null : readIndex(file, sound, size);
        return read != null
                ? read
                : rebuild(file, sound, size, copy == null ? "it ends early" : "its index is damaged");
    }

    private static @Nullable CompactedHeader header(StoreFile file, long at, UUID store) throws IOException {
        if (at < 0) {
            return null;
        }
        ByteBuffer bytes = ByteBuffer.allocate(CompactedHeader.BYTES);
        file.read(bytes, at);
        CompactedHeader header = CompactedHeader.decode(bytes.flip());
        return header != null && header.store().equals(store) ? header : null;
    }

    private static @Nullable CompactedFile readIndex(StoreFile file, CompactedHeader header, long size)
            throws IOException {
        long most = size - CompactedHeader.BYTES - header.footerAt();
        ByteBuffer counts = ByteBuffer.allocate(2 * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        file.read(counts, header.footerAt());
        int sources = counts.getInt(0);
        int records = counts.getInt(Integer.BYTES);
        boolean fits = sources >= 0
                && records >= 0
                && 3L * Integer.BYTES + (long) sources * SOURCE_BYTES + (long) records * RECORD_BYTES <= most;
        if (!fits) {
            return null;
        }
        int bytes = indexBytes(sources, records);
        ByteBuffer in = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
        file.read(in, header.footerAt());
        in.flip().position(2 * Integer.BYTES);
        int crcAt = 2 * Integer.BYTES + sources * SOURCE_BYTES + records * RECORD_BYTES;
        if (in.limit() < bytes || in.getInt(crcAt) != HeaderChecksum.plain(in, 0, crcAt)) {
            return null;
        }
        Source[] segments = new Source[sources];
        for (int i = 0; i < sources; i++) {
            segments[i] = new Source(in.getLong(), in.getLong());
        }
        SurvivorIndex survivors = new SurvivorIndex(records);
        for (int i = 0; i < records; i++) {
            survivors.add(in.getLong(), Integer.toUnsignedLong(in.getInt()) * LogLayout.RECORD_ALIGN);
        }
        return new CompactedFile(header, List.of(segments), survivors, size, null);
    }

    /** Every record names its LSN under its own checksum, so the records alone tell what is there. */
    private static CompactedFile rebuild(StoreFile file, CompactedHeader header, long size, String why)
            throws IOException {
        SurvivorIndex survivors = new SurvivorIndex(0);
        HeaderChecksum checksum = new HeaderChecksum(header.store());
        long end = Math.min(size, header.footerAt());
        long at = CompactedHeader.BYTES;
        long windowAt = 0;
        ByteBuffer window =
                ByteBuffer.allocate(SCAN_BYTES).order(ByteOrder.LITTLE_ENDIAN).limit(0);
        while (at + RecordHeader.BYTES <= end) {
            if (at < windowAt || at + RecordHeader.BYTES > windowAt + window.limit()) {
                windowAt = at;
                window.clear();
                file.read(window, at);
                window.flip();
            }
            int offset = (int) (at - windowAt);
            if (window.limit() - offset < RecordHeader.BYTES) {
                break;
            }
            long lsn = window.getLong(offset + Long.BYTES);
            boolean possible = lsn >= header.baseLsn()
                    && lsn < header.endLsn()
                    && (survivors.size() == 0 || lsn > survivors.lsn(survivors.size() - 1));
            RecordHeader record = possible ? RecordHeader.decode(window, offset, lsn, checksum) : null;
            if (record == null || at + record.recordBytes() > end) {
                at += LogLayout.RECORD_ALIGN;
            } else {
                survivors.add(lsn, at);
                at += record.recordBytes();
            }
        }
        return new CompactedFile(header, List.of(), survivors, size, why);
    }
}
