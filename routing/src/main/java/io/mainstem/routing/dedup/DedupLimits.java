package io.mainstem.routing.dedup;

/**
 * How long and how many published ids are remembered, for each user of a virtual host by itself, and of all together.
 *
 * @param producersMax the least recently used ones are forgotten first
 * @param namesMax likewise
 * @param ageMs what was published longer ago is forgotten
 * @param totalMax of all users and virtual hosts, in names (a producer counts as 8): beyond it the user who has most forgets the
 *     oldest
 */
public record DedupLimits(int producersMax, int namesMax, long ageMs, int totalMax) {
    /** A day; about 20 MB for a user that fills it, of the ten that may. */
    public static final DedupLimits USUAL = new DedupLimits(10_000, 100_000, 86_400_000, 1_800_000);

    /** What a name takes here and in the store's metadata, about. */
    private static final int NAME_BYTES = 320;

    private static final int TOTAL_MIN = 1_000;

    public DedupLimits {
        check("dedup.producers-max", producersMax);
        check("dedup.names-max", namesMax);
        check("dedup.age", ageMs);
        check("total of published ids", totalMax);
    }

    /** As many of all users as fit in an eighth of the heap. */
    public static int totalForHeap(long heapBytes) {
        return (int) Math.max(TOTAL_MIN, Math.min(Integer.MAX_VALUE, heapBytes / 8 / NAME_BYTES));
    }

    private static void check(String key, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(key + ": " + value + " (expected: >= 1)");
        }
    }
}
