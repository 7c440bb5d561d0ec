package io.mainstem.store;

/**
 * How much a store does in the background to give space back and to find damage, checked here and nowhere else.
 *
 * @param compactionBytesPerSecond what compaction may read and write together; 0 = as fast as it can
 * @param compactionQuietMs a segment is compacted only after nothing in it has been settled for so long: what is about to
 *     die by itself is not copied
 * @param scrubBytesPerSecond how fast sealed segments, and then blocks of consume queues, are read again to find damage;
 *     0 = segments not at all
 */
public record StoreUpkeep(long compactionBytesPerSecond, long compactionQuietMs, long scrubBytesPerSecond) {
    private static final long MIB = 1 << 20;

    public StoreUpkeep {
        check("store.compaction-rate", compactionBytesPerSecond, 1L << 40);
        check("store.compaction-quiet", compactionQuietMs, 86_400_000);
        check("store.scrub-rate", scrubBytesPerSecond, 1L << 40);
    }

    /** 50 MB/s, a minute, 5 MB/s: far below what a disk gives to publishers. */
    public static StoreUpkeep defaults() {
        return new StoreUpkeep(48 * MIB, 60_000, 5 * MIB);
    }

    private static void check(String key, long value, long max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(key + ": " + value + " (expected: 0 to " + max + ")");
        }
    }
}
