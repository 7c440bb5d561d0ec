package io.mainstem.launcher.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A share of the disk that a folder is, or will be, on. */
final class DiskShare {
    private DiskShare() {}

    /**
     * So many percent of the whole disk, or {@code bytes} if that is more.
     *
     * @param folder absolute; it need not exist yet
     * @param percent 0 = only the bytes count, and the disk is not looked at
     * @throws UncheckedIOException if the size of the disk cannot be found out
     */
    static long atLeast(Path folder, long bytes, long percent) {
        if (percent == 0) {
            return bytes;
        }
        Path there = folder;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            return Math.max(bytes, Files.getFileStore(there).getTotalSpace() / 100 * percent);
        } catch (IOException e) {
            throw new UncheckedIOException("store.disk-high-percent: the size of the disk of " + folder, e);
        }
    }
}
