package io.mainstem.routing.dedup;

/**
 * How long and how many published ids are remembered, for each user of a virtual host by itself.
 *
 * @param producersMax the least recently used ones are forgotten first
 * @param namesMax likewise
 * @param ageMs what was published longer ago is forgotten
 */
public record DedupLimits(int producersMax, int namesMax, long ageMs) {
    /** A day; about 20 MB for a user that fills it. */
    public static final DedupLimits USUAL = new DedupLimits(10_000, 100_000, 86_400_000);

    public DedupLimits {
        check("dedup.producers-max", producersMax);
        check("dedup.names-max", namesMax);
        check("dedup.age", ageMs);
    }

    private static void check(String key, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(key + ": " + value + " (expected: >= 1)");
        }
    }
}
