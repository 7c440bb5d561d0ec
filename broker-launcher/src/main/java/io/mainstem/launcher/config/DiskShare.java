package io.mainstem.launcher.config;

import java.io.IOException;
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
     * @throws IllegalArgumentException naming the key if the size of the disk cannot be found out
     */
    static long atLeast(Path folder, long bytes, long percent) {
        return atLeast(
                folder, bytes, percent, there -> Files.getFileStore(there).getTotalSpace());
    }

    /** As above, asking {@code size} for the size of the disk of a folder that exists. */
    static long atLeast(Path folder, long bytes, long percent, DiskSize size) {
        if (percent == 0) {
            return bytes;
        }
        Path there = folder;
        while (!Files.exists(there) && there.getParent() != null) {
            there = there.getParent();
        }
        try {
            return Math.max(bytes, size.of(there) / 100 * percent);
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "store.disk-high-percent: " + percent + ", but the size of the disk of " + folder
                            + " cannot be found out (" + e + "); 0 does without",
                    e);
        }
    }

    /** Bytes of the disk that a folder is on. */
    @FunctionalInterface
    interface DiskSize {
        long of(Path folder) throws IOException;
    }
}
