package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.ShardStore;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Looks through queues for messages whose time is over, wherever they stand, when the first may be [T-4]. A queue whose
 * messages expire in the order they came, as with a time to live of the queue, is looked at no further than its heads;
 * another one is read as a whole, 32 bytes an entry, the less often the deeper it is. Thread: shard only.
 */
final class ExpirySweeps {
    private static final int ENTRIES_PER_STEP = 4096;
    /** A queue of so many messages is read once a second at most, one of ten times as many every ten seconds. */
    private static final long ENTRIES_PER_SECOND = 10_000;

    private static final long PAUSE_MS_MIN = 1000;
    private static final long PAUSE_MS_MAX = 60_000;
    /** Turns a queue may have first: a message of ttl 0 is for those who have credit now [M-4]. */
    private static final int TURNS_FIRST_MAX = 16;

    private final Shard shard;
    private final ShardStore store;
    private final ExpiryTimer timer = new ExpiryTimer();
    private final ArrayDeque<MessageQueue> waiting = new ArrayDeque<>();
    private @Nullable Sweep current;
    private int looked;

    ExpirySweeps(Shard shard, ShardStore store) {
        this.shard = shard;
        this.store = store;
    }

    /**
     * A message has become ready.
     *
     * @param expireAtMs epoch ms, 0 = never
     */
    void arrived(MessageQueue queue, long expireAtMs) {
        ExpiryOrder order = queue.expiryOrder;
        order.arrived(expireAtMs);
        if (expireAtMs != 0) {
            timer.enter(queue, Math.max(expireAtMs, order.pausedUntilMs));
        }
    }

    /** As above, for one that comes back to its old place: it may stand in front of others that expire before it. */
    void returned(MessageQueue queue, long expireAtMs) {
        queue.expiryOrder.returned();
        arrived(queue, expireAtMs);
    }

    /** What is in the queue is from an earlier run, or came when the queue had another ttl. */
    void recovered(MessageQueue queue) {
        queue.expiryOrder.unknown();
        enqueue(queue);
    }

    private void enqueue(MessageQueue queue) {
        if (!queue.expiryOrder.waiting) {
            queue.expiryOrder.waiting = true;
            waiting.add(queue);
        }
    }

    /** Epoch ms at which the next message may expire, or {@link Long#MAX_VALUE}. */
    long nextDueMs() {
        return timer.nextMs();
    }

    /** Goes on for a while; true if there is more to do at once. To be called behind the dispatcher. */
    boolean run() {
        int left = ENTRIES_PER_STEP - timer.fire(shard.nowMs(), ENTRIES_PER_STEP, this::enqueue);
        while (left > 0) {
            Sweep sweep = current;
            if (sweep == null) {
                looked = 0;
                sweep = begin(left);
                left -= looked;
            }
            if (sweep == null) {
                return !waiting.isEmpty();
            }
            current = sweep;
            left = sweep.go(Math.max(1, left));
            if (!sweep.done) {
                return left <= 0;
            }
            current = null;
        }
        return true;
    }

    /** The next queue whose turn it is, if one of the first so many is. */
    private @Nullable Sweep begin(int looksMax) {
        for (int looks = Math.min(looksMax, waiting.size()); looks > 0; looks--) {
            looked++;
            MessageQueue queue = waiting.remove();
            ExpiryOrder order = queue.expiryOrder;
            if (queue.deleted()) {
                order.waiting = false;
            } else if (queue.dirty && order.turnsFirst < TURNS_FIRST_MAX) {
                order.turnsFirst++;
                waiting.add(queue);
            } else {
                order.waiting = false;
                order.turnsFirst = 0;
                return new Sweep(queue);
            }
        }
        return null;
    }

    /** One look at one queue. */
    private final class Sweep {
        private final MessageQueue queue;
        /** All of it, not only the heads. */
        private final boolean all;

        /**
         * What is over by then. The look may take long, and a message that is over a little later must not be given up
         * before those in front of it, which were passed by.
         */
        private final long beganMs = shard.nowMs();

        private int priority = Route.LANES_MAX - 1;
        private boolean inMemory;
        private long from;
        private long lastMs;
        private long latestMs;
        private long firstMs = Long.MAX_VALUE;
        private long seen;
        private boolean mixed;
        private boolean fetching;
        private boolean done;
        /** Of this lane: when the first message expires that came before the queue had its ttl; the others come later. */
        private long shortenedMs;
        /** The stored one of these that was read last, and where it stands; -1 = none. */
        private long readIndex = -1;

        private @Nullable Message read;

        Sweep(MessageQueue queue) {
            this.queue = queue;
            this.all = queue.expiryOrder.mixed;
            queue.expiryOrder.lookedAt();
        }

        /** @return what is left of the entries it may look at */
        int go(int entries) {
            int left = entries;
            while (left > 0 && !done && !fetching && !shard.deadLetters().full()) {
                left--;
                if (queue.deleted()) {
                    done = true;
                } else if (!(inMemory ? nextInMemory() : nextStored())) {
                    nextLane();
                }
            }
            return fetching || (!done && left > 0) ? Math.max(1, left) : left;
        }

        private void nextLane() {
            from = 0;
            lastMs = 0;
            shortenedMs = 0;
            readIndex = -1;
            read = null;
            if (!inMemory) {
                inMemory = true;
            } else if (priority > 0) {
                inMemory = false;
                priority--;
            } else {
                end();
            }
        }

        /** False if there is nothing more to see in this lane; likewise below. */
        private boolean nextStored() {
            Lane lane = store.lane(queue.laneId(priority));
            long index = lane == null ? -1 : lane.cursor().nextFrom(Math.max(from, lane.firstIndex()));
            if (lane == null || index < 0) {
                return false;
            }
            Entry entry = lane.entry(index);
            if (entry == null) {
                fetching = true;
                lane.fetch(index, () -> fetching = false);
                return true;
            }
            long expireAtMs = entry.expireAtMs();
            if (ShortenedTtl.concerns(queue, expireAtMs, shard.nowMs())) {
                if (shortenedMs == 0 && readIndex != index) {
                    read(index, entry);
                    return true;
                }
                expireAtMs = shortened(expireAtMs);
            }
            from = index + 1;
            if (!over(expireAtMs)) {
                return stays(expireAtMs);
            }
            shard.expiry().expire(queue, priority, lane, entry);
            return true;
        }

        private void read(long index, Entry entry) {
            fetching = true;
            shard.reads().read(entry, (message, problem) -> {
                // One that cannot be read stays: whoever is to deliver it finds and reports it.
                fetching = false;
                readIndex = index;
                read = message;
            });
        }

        private long shortened(long writtenMs) {
            mixed = true;
            if (shortenedMs != 0) {
                return shortenedMs;
            }
            long atMs = ShortenedTtl.expireAtMs(queue, writtenMs, read, shard.nowMs());
            if (read != null && !over(atMs)) {
                shortenedMs = atMs;
            }
            return atMs;
        }

        private boolean nextInMemory() {
            Transients transients = queue.transients();
            TransientLane lane = transients == null ? null : transients.laneIfAny(priority);
            TransientMessage message = lane == null ? null : lane.nextFrom(from);
            if (lane == null || message == null) {
                return false;
            }
            if (!message.inMemory()) {
                return nextOnDisk(message);
            }
            from = message.sequence() + 1;
            long expireAtMs = ShortenedTtl.expireAtMs(queue, message.expireAtMs(), message.message(), shard.nowMs());
            mixed |= expireAtMs != message.expireAtMs();
            if (!over(expireAtMs)) {
                return stays(expireAtMs);
            }
            shard.expiry().expire(queue, lane, message);
            return true;
        }

        /** A chunk in which nothing is over yet stays on disk. */
        private boolean nextOnDisk(TransientMessage message) {
            TransientChunk chunk = message.chunk();
            if (over(chunk.earliestMs())) {
                fetching = true;
                shard.transients().fetch(message, () -> fetching = false);
                return true;
            }
            from = chunk.endSequence();
            mixed |= chunk.expiryMixed();
            if (chunk.latestMs() != 0) {
                stays(chunk.earliestMs());
            }
            return stays(chunk.latestMs());
        }

        private boolean over(long expireAtMs) {
            return expireAtMs != 0 && expireAtMs <= beganMs;
        }

        private boolean stays(long expireAtMs) {
            seen++;
            long ms = expireAtMs == 0 ? Long.MAX_VALUE : expireAtMs;
            firstMs = Math.min(firstMs, ms);
            mixed |= ms < lastMs;
            lastMs = Math.max(lastMs, ms);
            latestMs = Math.max(latestMs, ms);
            return all;
        }

        private void end() {
            done = true;
            ExpiryOrder order = queue.expiryOrder;
            if (all || seen == 0) {
                order.known(mixed, latestMs);
            }
            // From its beginning on: what has got over meanwhile was passed by, and is not to wait for a whole pause
            // more.
            order.pausedUntilMs = order.mixed ? beganMs + pauseMs() : 0;
            if (firstMs != Long.MAX_VALUE) {
                timer.enter(queue, Math.max(firstMs, order.pausedUntilMs));
            }
        }

        private long pauseMs() {
            return Math.min(PAUSE_MS_MAX, Math.max(PAUSE_MS_MIN, seen * 1000 / ENTRIES_PER_SECOND));
        }
    }
}
