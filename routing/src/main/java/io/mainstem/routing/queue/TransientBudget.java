package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Route;
import io.mainstem.store.ShardStore;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the memory of non-durable messages bounded. From half of its budget on a queue's messages go to the spool; what
 * comes faster than that, or when the spool is full, fills the rest, and then the publishers of this queue wait. The same
 * holds for all queues together. Thread: shard only.
 *
 * <p>What is under way when a session is held back still comes in, so there is a second bound, at twice the budget, at
 * which messages are refused.
 */
final class TransientBudget {
    private static final Logger LOG = LoggerFactory.getLogger(TransientBudget.class);
    /** The same about the same queue is logged once in so long. */
    static final long TELL_MS = 60_000;

    private static final long CHUNK_BYTES_MAX = 128 << 10;

    private final Shard shard;
    private final long queueBytesMax;
    private final long bytesMax;
    private final TransientSpool spool;
    private final TransientEviction eviction;
    private final Set<ShardPeer> heldBack = new HashSet<>();
    private final LongAdder lost = new LongAdder();
    private long residentBytes;

    TransientBudget(Shard shard, ShardStore store, ShardSettings settings) {
        this.shard = shard;
        this.queueBytesMax = settings.transientQueueBytesMax();
        this.bytesMax = settings.transientBytesMax();
        this.spool = new TransientSpool(shard, store, this, settings.spoolBytesMax());
        this.eviction = new TransientEviction(spool, queueBytesMax / 2, bytesMax / 2);
    }

    /** True if the queue cannot take even what is under way. */
    boolean full(MessageQueue queue) {
        Transients transients = queue.transients();
        return residentBytes > 2 * bytesMax || (transients != null && transients.residentBytes() > 2 * queueBytesMax);
    }

    /** True if the queue takes what nobody can be held back for. */
    boolean roomy(MessageQueue queue) {
        Transients transients = queue.transients();
        return spool.roomy()
                ? !full(queue)
                : residentBytes <= bytesMax && (transients == null || transients.residentBytes() <= queueBytesMax);
    }

    TransientMessage add(MessageQueue queue, Message message, Route lane, long expireAtMs, ShardPeer publisher) {
        TransientMessage added = addUnattended(queue, message, lane, expireAtMs);
        Transients transients = added.chunk().lane().owner();
        if (transients.residentBytes() > queueBytesMax) {
            publisher.hold(transients.heldBack(), whyQueueHolds(transients));
            tellHeldBack(transients);
        }
        if (residentBytes > bytesMax) {
            publisher.hold(heldBack, whyAllHold());
            tellHeldBack(transients);
        }
        return added;
    }

    private String whyQueueHolds(Transients transients) {
        return "queue '" + transients.queue().name() + "' holds " + transients.residentBytes()
                + " bytes of non-durable messages in memory (limit: " + queueBytesMax + "): " + spool.whyNot();
    }

    private String whyAllHold() {
        return "non-durable messages take " + residentBytes + " bytes of memory (limit: " + bytesMax + "): "
                + spool.whyNot();
    }

    /** A write to the spool has ended, so what holds publishers back may be another thing than before. */
    void written(Transients transients) {
        for (ShardPeer publisher : transients.heldBack()) {
            publisher.heldFor(whyQueueHolds(transients));
        }
        for (ShardPeer publisher : heldBack) {
            publisher.heldFor(whyAllHold());
        }
    }

    /** As {@link #add}, for a message the broker moves itself: nobody is held back for it. */
    TransientMessage addUnattended(MessageQueue queue, Message message, Route lane, long expireAtMs) {
        Transients transients = queue.transients();
        if (transients == null) {
            transients = new Transients(queue, Math.min(CHUNK_BYTES_MAX, queueBytesMax / 8));
            queue.transients(transients);
        }
        TransientMessage added = transients.lane(lane.priority()).add(message, lane.stamp(), expireAtMs);
        long bytes = TransientChunk.bytes(message);
        transients.count(1, bytes);
        resident(transients, bytes);
        return added;
    }

    /** A message was dropped because there was no room; nobody was held back for it. */
    void lost(MessageQueue queue) {
        lost.increment();
        Transients transients = queue.transients();
        if (transients != null) {
            transients.lost++;
            if (tellNow(transients)) {
                LOG.warn(
                        "MS-0384 messages-dropped queue={} dropped={} memory-bytes={} reason=\"{}\" fix: let its"
                                + " consumer keep up, or raise shard.spool-bytes-max",
                        queue.name(),
                        transients.lost,
                        transients.residentBytes(),
                        spool.whyNot());
            }
        }
    }

    /** Of all queues, since the start. Thread: any. */
    long lost() {
        return lost.sum();
    }

    private void tellHeldBack(Transients transients) {
        if (!spool.roomy() && tellNow(transients)) {
            LOG.warn(
                    "MS-0383 publishers-wait queue={} bytes={} memory-bytes={} reason=\"{}\" fix: let its consumer"
                            + " keep up, delete it, or raise shard.spool-bytes-max",
                    transients.queue().name(),
                    transients.bytes(),
                    transients.residentBytes(),
                    spool.whyNot());
        }
    }

    private boolean tellNow(Transients transients) {
        if (transients.toldMs != Long.MIN_VALUE && shard.nowMs() - transients.toldMs < TELL_MS) {
            return false;
        }
        transients.toldMs = shard.nowMs();
        return true;
    }

    /** The queue has so many bytes more in memory, or fewer. */
    void resident(Transients transients, long delta) {
        transients.resident(delta);
        residentBytes += delta;
        if (delta > 0) {
            eviction.grown(transients);
            return;
        }
        if (transients.residentBytes() <= queueBytesMax - queueBytesMax / 4) {
            ShardPeer.releaseAll(transients.heldBack());
        }
        if (residentBytes <= bytesMax - bytesMax / 4) {
            ShardPeer.releaseAll(heldBack);
        }
    }

    /** Brings a message's chunk into memory, then runs {@code then}. */
    void fetch(TransientMessage message, Runnable then) {
        spool.fetch(message.chunk(), then);
    }

    /** The queue's consumer goes through the lane: what follows is read before it is needed. */
    void readAhead(TransientChunk from) {
        Transients owner = from.lane().owner();
        owner.used = true;
        if (owner.residentBytes() == owner.bytes()) {
            return;
        }
        TransientChunk next = from.lane().after(from);
        if (next != null && !next.inMemory()) {
            spool.fetch(next, () -> {});
        }
    }

    /** The message, taken before, is gone for good. */
    void settled(TransientMessage message) {
        TransientChunk chunk = message.chunk();
        Transients owner = chunk.lane().owner();
        if (!owner.dropped() && chunk.live(message.slot())) {
            boolean inMemory = chunk.inMemory();
            long freed = chunk.gone(message.slot());
            owner.count(-1, -freed);
            endIfEmpty(chunk);
            resident(owner, inMemory ? -freed : 0);
        }
    }

    private void endIfEmpty(TransientChunk chunk) {
        // Only what takes new messages may stay though it is empty: nothing else comes by here again.
        if (chunk.left() == 0 && !(chunk.lane().isOpen(chunk) && chunk.worthKeeping())) {
            chunk.lane().remove(chunk);
            spool.free(chunk);
        }
    }

    /** Ready messages of a lane below a sequence go, the oldest first, at most so many; returns how many. */
    int dropReady(TransientLane lane, long belowSequence, int max) {
        int dropped = 0;
        while (dropped < max) {
            TransientMessage message = lane.nextFrom(0);
            if (message == null || message.sequence() >= belowSequence) {
                break;
            }
            lane.take(message);
            settled(message);
            dropped++;
        }
        return dropped;
    }

    /** What was in the chunk cannot be read: what of it is ready is gone, what is in flight is when it comes back. */
    void allGone(TransientChunk chunk) {
        Transients owner = chunk.lane().owner();
        chunk.lane().readyGone(chunk.readyCount());
        for (int slot = 0; slot < TransientChunk.SLOTS_MAX; slot++) {
            if (chunk.live(slot)) {
                owner.count(-1, -chunk.gone(slot));
            }
        }
        chunk.lane().remove(chunk);
        spool.free(chunk);
    }

    /** The queue goes with all it holds. */
    void dropped(MessageQueue queue) {
        Transients transients = queue.transients();
        if (transients != null) {
            resident(transients, -transients.residentBytes());
            ShardPeer.releaseAll(transients.heldBack());
            transients.drop();
            eviction.forget(transients);
            transients.lanes().forEach(lane -> lane.chunks().forEach(spool::free));
            queue.transients(null);
        }
    }

    /** The iteration's last step for what is not durable; true if there is more to do at once. */
    boolean endOfIteration() {
        boolean more = eviction.run(residentBytes, shard.nowMs());
        spool.flush();
        return more;
    }

    /** For tests: objects that stand for a queue's non-durable messages, wherever these are. */
    int chunks(MessageQueue queue) {
        Transients transients = queue.transients();
        return transients == null
                ? 0
                : transients.lanes().stream()
                        .mapToInt(lane -> lane.chunks().size())
                        .sum();
    }

    /** Heap of all non-durable messages. */
    long residentBytes() {
        return residentBytes;
    }
}
