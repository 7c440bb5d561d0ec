package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Messages whose time is over: no delivery is started after it, one under way goes on [T-4]. They are dead-lettered
 * with reason {@code expired}. A message of ttl 0 may be delivered to who has credit when it comes [M-4]; then
 * {@link ExpirySweeps} finds it. Thread: shard only.
 */
final class Expiry {
    static final String REASON = "expired";
    /** What took its publisher's word and the log that long has still come right now [M-4]. */
    private static final long RIGHT_NOW_MS = 1000;

    private final Shard shard;
    private final LogReads reads;

    Expiry(Shard shard, LogReads reads) {
        this.shard = shard;
        this.reads = reads;
    }

    /**
     * True if no delivery may be started: its time is over, or who owns the queue may not read it any more.
     *
     * @param message null if not in memory
     */
    boolean undeliverable(MessageQueue queue, Entry entry, @Nullable Message message) {
        return expired(queue, entry.expireAtMs(), message) || isWithheld(queue, message);
    }

    /** @param message in memory */
    boolean undeliverable(MessageQueue queue, TransientMessage message) {
        return expired(queue, message.expireAtMs(), message.message()) || isWithheld(queue, message.message());
    }

    private boolean isWithheld(MessageQueue queue, @Nullable Message message) {
        return message != null && shard.queues().isWithheld(queue, message);
    }

    private boolean expired(MessageQueue queue, long writtenMs, @Nullable Message message) {
        long nowMs = shard.nowMs();
        long atMs = lateAtMs(queue, writtenMs, message, nowMs);
        return atMs != 0 && atMs <= nowMs;
    }

    /** From when on no delivery of a message that is taken now may be started, epoch ms; 0 = never. */
    static long lateAtMs(Held held, Message message, long nowMs) {
        return lateAtMs(held.queue(), held.expireAtMs(), message, nowMs);
    }

    private static long lateAtMs(MessageQueue queue, long writtenMs, @Nullable Message message, long nowMs) {
        long atMs = ShortenedTtl.expireAtMs(queue, writtenMs, message, nowMs);
        boolean rightNow = message != null
                && (message.envelope().ttlMs() == 0 || queue.options().messageTtlMs() == 0);
        return atMs != 0 && rightNow ? atMs + RIGHT_NOW_MS + 1 : atMs;
    }

    /**
     * What was found {@link #undeliverable} leaves; only what has expired becomes a dead letter. Who may read it is not asked
     * again, since that may be different by now.
     */
    void remove(MessageQueue queue, int priority, Lane lane, Entry entry, @Nullable Message message) {
        if (expired(queue, entry.expireAtMs(), message)) {
            expire(queue, priority, lane, entry);
        } else {
            lane.cursor().take(entry.index());
            shard.outcomes().done(new Held.Stored(queue, priority, entry), Settlement.Kind.ACK);
            reads.dispatched(queue, priority, entry);
        }
    }

    /** As above. */
    void remove(MessageQueue queue, TransientLane lane, TransientMessage message) {
        if (expired(queue, message.expireAtMs(), message.message())) {
            expire(queue, lane, message);
        } else {
            lane.take(message);
            shard.outcomes().done(new Held.InMemory(queue, message), Settlement.Kind.ACK);
        }
    }

    void expire(MessageQueue queue, int priority, Lane lane, Entry entry) {
        lane.cursor().take(entry.index());
        shard.deadLetters().send(new Held.Stored(queue, priority, entry), REASON, Settlement.Kind.EXPIRED);
        reads.dispatched(queue, priority, entry);
    }

    void expire(MessageQueue queue, TransientLane lane, TransientMessage message) {
        lane.take(message);
        shard.deadLetters().send(new Held.InMemory(queue, message), REASON, Settlement.Kind.EXPIRED);
    }
}
