package io.mainstem.routing.queue;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One message in one queue as the model sees it: what it was published as, where it is, and what is to become of it. */
final class SimCopy {
    final String text;
    final boolean durable;
    final int priority;
    /** When it is due, epoch ms; 0 = at once. No two messages have the same. */
    final long dueMs;

    private final long expireMs;

    /** Who has published it, and when among those of this publisher. */
    final int publisher;

    final long order;
    final Set<String> before = new HashSet<>(2);
    String queue;
    Fate fate = Fate.ASKED;
    /** A purge or a deletion under way may take it or not. */
    boolean murky;

    int failed;
    /** As far as that is sure to be on disk. */
    int failedSynced;

    /** How often consumers have added annotations to it, each time the number. */
    int annotated;
    /** As {@link #failedSynced}. */
    int annotatedSynced;

    boolean acquired;
    /** Its place in the lane once it was seen there, -1 before. */
    long position = -1;

    @Nullable
    SimConsumer heldBy;

    @Nullable
    SimTransaction settledIn;

    /** The quiet moment before what happened to it last. */
    long mark;

    /** @param expireMs epoch ms, 0 = never */
    SimCopy(String text, String queue, boolean durable, int priority, long dueMs, long expireMs, Turn turn) {
        this.text = text;
        this.queue = queue;
        this.durable = durable;
        this.priority = priority;
        this.dueMs = dueMs;
        this.expireMs = expireMs;
        this.publisher = turn.publisher();
        this.order = turn.order();
    }

    /** Whose message it is, and when it was published among that publisher's. */
    record Turn(int publisher, long order) {}

    /** What is known of it. */
    enum Fate {
        /** Published, and not answered yet. */
        ASKED,
        /** Confirmed. */
        THERE,
        /** Settled; a crash may bring it back. */
        LEAVING,
        /** Never to be seen again. */
        GONE
    }

    /** It is in a queue for dead letters, where it no longer expires. */
    void moveTo(String dead, long now) {
        before.add(queue);
        queue = dead;
        failed = 0;
        failedSynced = 0;
        acquired = false;
        position = -1;
        mark = now;
    }

    /** When it expires where it is now, epoch ms; 0 = never. */
    long expireMs() {
        return SimTopology.isDead(queue) ? 0 : expireMs;
    }

    /** True if it is over at that time in the queue it was published to. */
    boolean over(long nowMs) {
        return expireMs != 0 && expireMs <= nowMs;
    }

    boolean due(long nowMs) {
        return dueMs <= nowMs;
    }

    /** Nobody has it, no transaction is about to settle it. */
    boolean free() {
        return heldBy == null && settledIn == null;
    }

    @Override
    public String toString() {
        return text + "@" + queue + "/" + fate + (murky ? "?" : "") + (durable ? "" : " transient") + " priority="
                + priority + " due=" + dueMs + " expire=" + expireMs + " failed=" + failed + " position=" + position
                + (free() ? "" : " held") + " before=" + before;
    }
}
