package io.mainstem.store.spool;

import java.util.List;

/**
 * Where something was written. Immutable; belongs to who wrote it until it is freed.
 *
 * @param extents in the order of its bytes
 * @param bytes its length
 * @param checksum CRC-32C of its bytes
 */
public record SpoolBlock(List<Extent> extents, long bytes, int checksum) {
    public SpoolBlock {
        extents = List.copyOf(extents);
    }

    /** Disk space it takes. */
    public long diskBytes() {
        long pages = 0;
        for (Extent extent : extents) {
            pages += extent.pages();
        }
        return pages * Spool.PAGE_BYTES;
    }

    /** Neighbouring pages of one file. */
    record Extent(int file, int page, int pages) {
        long position() {
            return (long) page * Spool.PAGE_BYTES;
        }

        long bytes() {
            return (long) pages * Spool.PAGE_BYTES;
        }
    }
}
