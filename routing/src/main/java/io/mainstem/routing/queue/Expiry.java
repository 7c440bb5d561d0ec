package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import org.jspecify.annotations.Nullable;

/**
 * Messages whose time is over: no delivery is started after it, one under way goes on [T-4]. They are dead-lettered
 * with reason {@code expired}. Thread: shard only.
 */
final class Expiry {
    static final String REASON = "expired";

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;

    Expiry(Shard shard, ShardStore store, LogReads reads) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
    }

    /** @param message null if not in memory: then what the entry says decides */
    boolean expired(MessageQueue queue, Entry entry, @Nullable Message message) {
        long at = expireAtMs(queue, entry, message);
        return at != 0 && at <= shard.nowMs();
    }

    boolean expired(TransientMessage message) {
        return message.expireAtMs != 0 && message.expireAtMs <= shard.nowMs();
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

    /** Expires what is due at the head of the lanes of one priority, and enters the next into the timer. */
    void expireHead(MessageQueue queue, int priority, ExpiryTimer timer) {
        Transients transients = queue.transients();
        if (transients != null) {
            TransientLane lane = transients.lane(priority);
            TransientMessage head = lane.nextFrom(0);
            while (head != null && expired(head)) {
                expire(queue, lane, head);
                head = lane.nextFrom(0);
            }
            if (head != null && head.expireAtMs != 0) {
                timer.enter(queue, head.expireAtMs);
            }
        }
        Lane lane = store.lane(queue.laneId(priority));
        if (lane != null) {
            expireStoredHead(queue, priority, lane, timer);
        }
    }

    private void expireStoredHead(MessageQueue queue, int priority, Lane lane, ExpiryTimer timer) {
        for (long index = lane.cursor().next();
                index >= 0;
                index = lane.cursor().next()) {
            Entry entry = lane.entry(index);
            if (entry == null) {
                // A block that is on disk only is fetched for the sake of a queue's ttl, not on the mere chance.
                if (unknown(queue)) {
                    lane.fetch(index, () -> shard.dispatcher().markDirty(queue));
                }
                return;
            }
            Message message = reads.inMemory(queue, priority, entry);
            if (!expired(queue, entry, message)) {
                enter(queue, priority, lane, entry, message, timer);
                return;
            }
            expire(queue, priority, lane, entry);
        }
    }

    private void enter(
            MessageQueue queue, int priority, Lane lane, Entry entry, @Nullable Message message, ExpiryTimer timer) {
        long at = expireAtMs(queue, entry, message);
        if (at != 0) {
            timer.enter(queue, at);
        } else if (message == null && unknown(queue)) {
            reads.request(queue, priority, lane, entry, 1);
        }
    }

    /** True if the queue has a ttl and does not wait for the end of one yet. */
    private static boolean unknown(MessageQueue queue) {
        return queue.options().messageTtlMs() >= 0 && queue.expiryDueMs == 0;
    }

    private static long expireAtMs(MessageQueue queue, Entry entry, @Nullable Message message) {
        if (message == null || queue.options().messageTtlMs() < 0) {
            return entry.expireAtMs();
        }
        long byQueue = queue.options().expireAtMs(message.envelope());
        return entry.expireAtMs() == 0 ? byQueue : Math.min(entry.expireAtMs(), byQueue);
    }
}
