package io.mainstem.routing.dedup;

/** What is known of a publish id. */
public sealed interface Verdict {
    /** On disk already, or was once. */
    record Stored() implements Verdict {}

    /** A publish with it has begun and is not decided. */
    record UnderWay(Claim claim) implements Verdict {}

    /** Not known, and now claimed by whoever asked. */
    record New(Claim claim) implements Verdict {}

    /**
     * So far behind its producer's others that nobody knows any more.
     *
     * @param oldest that would be known
     */
    record Forgotten(long oldest) implements Verdict {}
}
