package io.mainstem.store.spool;

import io.mainstem.store.files.StoreFile;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.spool.SpoolBlock.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a spool. Pages are taken from the lowest file that has any, so that the others become empty, and an empty
 * file is deleted. Nothing is ever synced. Thread: the spool's.
 */
final class SpoolFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SpoolFiles.class);
    private static final String SUFFIX = ".spool";

    private final StoreFiles disk;
    private final Path directory;
    private final int pagesPerFile;
    private final List<@Nullable Open> open = new ArrayList<>();
    private long pagesTaken;

    SpoolFiles(StoreFiles disk, Path directory, int pagesPerFile) {
        this.disk = disk;
        this.directory = directory;
        this.pagesPerFile = pagesPerFile;
    }

    private record Open(StoreFile file, Path path, SpoolPages pages) {}

    /** Removes what an earlier run has left. */
    void wipe() throws IOException {
        for (String name : disk.list(directory)) {
            if (name.endsWith(SUFFIX)) {
                disk.delete(directory.resolve(name));
            }
        }
    }

    /** Takes neighbouring pages, one at least. */
    Extent take(int wanted) throws IOException {
        for (int number = 0; number < open.size(); number++) {
            Open candidate = open.get(number);
            if (candidate != null && !candidate.pages.full()) {
                return taken(number, candidate, wanted);
            }
        }
        int number = open.indexOf(null);
        if (number < 0) {
            number = open.size();
            open.add(null);
        }
        disk.createDirectories(directory);
        Path path = directory.resolve(String.format("%08d", number) + SUFFIX);
        disk.delete(path);
        Open made = new Open(disk.open(path, StoreFiles.OpenMode.CREATE_NEW), path, new SpoolPages(pagesPerFile));
        open.set(number, made);
        return taken(number, made, wanted);
    }

    private Extent taken(int number, Open from, int wanted) {
        int found = from.pages.take(wanted);
        pagesTaken += found;
        return new Extent(number, from.pages.lastFirst(), found);
    }

    void free(Extent extent) {
        Open its = open.get(extent.file());
        if (its == null) {
            return;
        }
        its.pages.free(extent.page(), extent.pages());
        pagesTaken -= extent.pages();
        if (its.pages.empty()) {
            open.set(extent.file(), null);
            delete(its);
        }
    }

    long pagesTaken() {
        return pagesTaken;
    }

    void write(Extent to, long offset, ByteBuffer from) throws IOException {
        file(to).write(from, to.position() + offset);
    }

    void read(Extent from, long offset, ByteBuffer into) throws IOException {
        int wanted = into.remaining();
        if (file(from).read(into, from.position() + offset) < wanted) {
            throw new DamagedSpoolException("a spool file is shorter than what was written to it");
        }
    }

    private StoreFile file(Extent extent) throws IOException {
        Open its = open.get(extent.file());
        if (its == null) {
            throw new IOException("the spool is closed");
        }
        return its.file;
    }

    /** @param delete or leave the files as a crash would */
    void close(boolean delete) {
        for (int number = 0; number < open.size(); number++) {
            Open each = open.set(number, null);
            if (each != null && delete) {
                delete(each);
            } else if (each != null) {
                close(each);
            }
        }
        pagesTaken = 0;
    }

    private void delete(Open each) {
        close(each);
        try {
            disk.delete(each.path);
        } catch (IOException e) {
            LOG.info("spool-file-not-deleted file={} cause=\"{}\"", each.path, e.toString());
        }
    }

    private static void close(Open each) {
        try {
            each.file.close();
        } catch (IOException e) {
            LOG.info("spool-file-not-deleted file={} cause=\"{}\"", each.path, e.toString());
        }
    }
}
