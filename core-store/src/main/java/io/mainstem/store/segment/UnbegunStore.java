package io.mainstem.store.segment;

import io.mainstem.store.StoreException;
import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.files.StoreFiles.OpenMode;
import io.mainstem.store.segment.SyncedSlots.Slot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * A store that does not say how far its log goes. Older versions made {@code store.meta}, then the first segment, then
 * {@code ckpt/synced}: where such a first start was broken off, the beginning of the log is there and no batch has ever been
 * written. That, and only that, is an empty store; any other has lost its note, and maybe more.
 *
 * <p>Thread: opening thread.
 */
final class UnbegunStore {
    private final StoreFiles files;
    private final Path directory;
    private final StoreMeta meta;

    UnbegunStore(StoreFiles files, Path directory, StoreMeta meta) {
        this.files = files;
        this.directory = directory;
        this.meta = meta;
    }

    /**
     * What its note would say.
     *
     * @throws StoreException MS-0264 if it may ever have held something
     */
    Slot requireUnwritten() throws IOException {
        if (!SyncedSlots.blank(files, directory) || !nothingBesideLog() || !logUnwritten()) {
            throw new StoreException(
                    "MS-0264",
                    "The store in " + directory + " is not whole: ckpt/" + SyncedSlots.FILE
                            + " is missing or damaged, which tells how far the log goes.",
                    "put the file back from a copy. If the store was being salvaged, that was broken off: remove the"
                            + " folder and begin again, as also where no broker has ever run. 'mainstem store salvage'"
                            + " makes a store of what is there.");
        }
        return new Slot(0, 0, 0, 0, 0, false);
    }

    private boolean nothingBesideLog() throws IOException {
        return files.list(directory.resolve("view")).isEmpty()
                && files.list(directory.resolve("log").resolve("attic")).isEmpty()
                && files.list(directory.resolve("ckpt")).stream().allMatch(SyncedSlots.FILE::equals);
    }

    /** Its first file is there: a log that has lost all files is not one that was never begun. */
    private boolean logUnwritten() throws IOException {
        List<String> names = files.list(directory.resolve("log"));
        if (names.isEmpty() || !names.get(0).equals(Segment.fileName(0))) {
            return false;
        }
        long base = 0;
        for (String name : names) {
            if (!name.equals(Segment.fileName(base))
                    || !unwritten(directory.resolve("log").resolve(name), base)) {
                return false;
            }
            base += meta.layout().segmentBytes();
        }
        return true;
    }

    private boolean unwritten(Path path, long base) throws IOException {
        try (StoreFile file = files.open(path, OpenMode.READ)) {
            ByteBuffer bytes = ByteBuffer.allocate(SegmentHeader.BYTES);
            file.read(bytes, 0);
            SegmentHeader header = SegmentHeader.decode(bytes.flip());
            return header != null
                    && header.store().equals(meta.store())
                    && header.baseLsn() == base
                    && new BatchScanner(meta.layout(), meta.store(), file, base)
                                    .findBatchRecord(meta.layout().firstBatch(base))
                            < 0;
        }
    }
}
