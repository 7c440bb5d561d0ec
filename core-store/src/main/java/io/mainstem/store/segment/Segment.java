package io.mainstem.store.segment;

import io.mainstem.store.files.StoreFile;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One open segment file: as it was written, or compacted, then maybe of several former segments. Thread: the writer writes
 * below {@link #filledTo}, the preallocator above it, readers read.
 */
final class Segment {
    private final long baseLsn;
    private final long endLsn;
    private final int epoch;
    private final long baseTimeMs;
    private final Path path;
    private final StoreFile file;
    private final @Nullable CompactedFile compacted;
    private volatile long filledTo;
    private volatile boolean sealed;
    private volatile boolean cut;

    /** @param filledTo LSN up to which the file's space is there for sure, because it was written and synced */
    Segment(SegmentHeader header, Path path, StoreFile file, long filledTo) {
        this.baseLsn = header.baseLsn();
        this.endLsn = header.baseLsn() + header.segmentBytes();
        this.epoch = header.epoch();
        this.baseTimeMs = header.baseTimeMs();
        this.path = path;
        this.file = file;
        this.compacted = null;
        this.filledTo = filledTo;
    }

    /** Sealed. */
    Segment(CompactedFile compacted, Path path, StoreFile file) {
        this.baseLsn = compacted.header().baseLsn();
        this.endLsn = compacted.header().endLsn();
        this.epoch = compacted.header().epoch();
        this.baseTimeMs = 0;
        this.path = path;
        this.file = file;
        this.compacted = compacted;
        this.filledTo = baseLsn;
        this.sealed = true;
    }

    /** 20 digits, so that names sort like LSNs. */
    static String fileName(long baseLsn) {
        return String.format("%020d.log", baseLsn);
    }

    static boolean isFileName(String name) {
        return name.matches("\\d{20}\\.log");
    }

    /** The base LSN that a file name says. */
    static long baseOf(String fileName) {
        return Long.parseLong(fileName.substring(0, 20));
    }

    long baseLsn() {
        return baseLsn;
    }

    long endLsn() {
        return endLsn;
    }

    int epoch() {
        return epoch;
    }

    long baseTimeMs() {
        return baseTimeMs;
    }

    /** 0 as written, else how often its records have been copied. */
    int generation() {
        return compacted == null ? 0 : compacted.header().generation();
    }

    /** What it is made of if it is compacted. */
    @Nullable
    CompactedFile compacted() {
        return compacted;
    }

    /** Where the record at {@code lsn} begins in the file, or -1 if compaction has left it out. */
    long positionOf(long lsn) {
        return compacted == null ? lsn - baseLsn : compacted.survivors().positionOf(lsn);
    }

    /** Space it takes on disk once it is sealed. */
    long fileBytes() {
        return compacted == null ? endLsn - baseLsn : compacted.fileBytes();
    }

    SegmentInfo info() {
        long whole = compacted == null ? endLsn : compacted.wholeTo();
        long wholeTo = cut ? filledTo : whole;
        return new SegmentInfo(baseLsn, endLsn, sealed, generation(), fileBytes(), wholeTo);
    }

    Path path() {
        return path;
    }

    StoreFile file() {
        return file;
    }

    long filledTo() {
        return filledTo;
    }

    void filledTo(long lsn) {
        filledTo = lsn;
    }

    boolean filled() {
        return filledTo >= endLsn;
    }

    boolean sealed() {
        return sealed;
    }

    void seal() {
        sealed = true;
    }

    /** The file is shorter than what was written into it. */
    void foundCut() {
        cut = true;
    }
}
