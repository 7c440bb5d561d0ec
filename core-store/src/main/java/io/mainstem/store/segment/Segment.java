package io.mainstem.store.segment;

import io.mainstem.store.files.StoreFile;
import java.nio.file.Path;

/**
 * One open segment file. Thread: the writer writes below {@link #filledTo}, the preallocator above it, readers read.
 */
final class Segment {
    private final SegmentHeader header;
    private final Path path;
    private final StoreFile file;
    private volatile long filledTo;
    private volatile boolean sealed;

    /** @param filledTo LSN up to which the file's space is there for sure, because it was written and synced */
    Segment(SegmentHeader header, Path path, StoreFile file, long filledTo) {
        this.header = header;
        this.path = path;
        this.file = file;
        this.filledTo = filledTo;
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
        return header.baseLsn();
    }

    long endLsn() {
        return header.baseLsn() + header.segmentBytes();
    }

    int epoch() {
        return header.epoch();
    }

    long baseTimeMs() {
        return header.baseTimeMs();
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
        return filledTo >= endLsn();
    }

    boolean sealed() {
        return sealed;
    }

    void seal() {
        sealed = true;
    }
}
