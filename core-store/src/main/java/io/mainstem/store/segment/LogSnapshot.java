package io.mainstem.store.segment;

import io.mainstem.store.files.FileCopy;
import io.mainstem.store.files.StoreFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/** A second log folder that opens as this one would after a power cut now. Thread: any one. */
final class LogSnapshot {
    private final StoreFiles files;
    private final Path directory;
    private final SegmentTable table;
    private final LongSupplier syncedLsn;

    LogSnapshot(StoreFiles files, Path directory, SegmentTable table, LongSupplier syncedLsn) {
        this.files = files;
        this.directory = directory;
        this.table = table;
        this.syncedLsn = syncedLsn;
    }

    /** See {@link CommitLog#snapshotTo}. */
    long to(Path target) throws IOException {
        files.createDirectories(target.resolve("log"));
        files.createDirectories(target.resolve("ckpt"));
        FileCopy copy = new FileCopy(files);
        // In this order: the slot must not vouch for more of the log than is copied, nor the log hold a batch that
        // does.
        copy.whole(
                directory.resolve("ckpt").resolve(SyncedSlots.FILE),
                target.resolve("ckpt").resolve(SyncedSlots.FILE));
        long end = syncedLsn.getAsLong();
        long bytes = 0;
        for (Segment segment : table.all()) {
            Path to =
                    target.resolve("log").resolve(String.valueOf(segment.path().getFileName()));
            if (segment.endLsn() <= end) {
                copy.linkOrCopy(segment.path(), to);
                bytes += segment.fileBytes();
            } else if (segment.baseLsn() < end) {
                // Recovery takes the last whole 4 KiB of a file for the end of its space.
                bytes += copy.beginning(segment.path(), to, end - segment.baseLsn(), LogLayout.PAD_ROOM);
            }
        }
        files.syncDirectory(target.resolve("log"));
        return bytes;
    }
}
