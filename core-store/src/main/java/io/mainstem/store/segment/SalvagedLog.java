package io.mainstem.store.segment;

import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.nio.file.Path;

/** Where a log with damage in it goes on, once all that can be read is part of a checkpoint. Thread: any. */
public final class SalvagedLog {
    private SalvagedLog() {}

    /** From here on the folder is no whole store, nor one that was never begun, until {@link #continueAt}. */
    public static void begin(StoreFiles files, Path directory) throws IOException {
        SyncedSlots.markUnfinished(files, directory);
    }

    /** The end of the last file there is: a border between segments, behind all damage; 0 if there is no file. */
    public static long endLsn(StoreFiles files, Path directory) throws IOException {
        StoreMeta meta = StoreMeta.read(files, directory);
        CompactedFiles found = CompactedFiles.find(files, directory.resolve("log"), meta);
        long end = 0;
        for (CompactedFiles.Found each : found.counting()) {
            end = Math.max(end, each.file().header().endLsn());
        }
        for (String name : found.segments()) {
            end = Math.max(end, Segment.baseOf(name) + meta.layout().segmentBytes());
        }
        return end;
    }

    /** Removes compacted files that tell nothing any more; returns how many. */
    public static int dropUnusable(StoreFiles files, Path directory) throws IOException {
        CompactedFiles found = CompactedFiles.find(files, directory.resolve("log"), StoreMeta.read(files, directory));
        for (String name : found.unusable()) {
            files.delete(directory.resolve("log").resolve(name));
        }
        return found.unusable().size();
    }

    /** Lets the next start go on at {@code endLsn} without looking at what stands before it. */
    public static void continueAt(StoreFiles files, Path directory, long endLsn, long batchIndex, int epoch)
            throws IOException {
        SyncedSlots slots = SyncedSlots.open(files, directory, SyncedSlots.read(files, directory));
        try {
            slots.write(new Slot(0, endLsn, 0, batchIndex, epoch, true));
        } finally {
            slots.close();
        }
    }
}
