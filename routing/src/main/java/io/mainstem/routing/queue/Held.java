package io.mainstem.routing.queue;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.ShardStore;

/** A message taken from its queue and not settled: in flight to a consumer, or about to be dead-lettered. */
sealed interface Held {
    MessageQueue queue();

    /** Names the entry within its queue. */
    long key();

    /** Of a stored entry in its lane, the same after every restart; -1 in memory. */
    long position();

    /** When it expires in its queue by what was written with it, epoch ms; 0 = never. */
    long expireAtMs();

    /** What {@link Router} has noted with its lane; 0 = nothing. */
    int stamp();

    /**
     * From the log.
     *
     * @param priority its lane
     */
    record Stored(MessageQueue queue, int priority, Entry entry) implements Held {
        @Override
        public long key() {
            return key(priority, entry.index());
        }

        @Override
        public long position() {
            return entry.index();
        }

        @Override
        public long expireAtMs() {
            return entry.expireAtMs();
        }

        @Override
        public int stamp() {
            return entry.stamp();
        }

        long laneId() {
            return queue.laneId(priority);
        }

        /** True if the entry is gone already: a purge may settle it while it is held. */
        boolean settled(ShardStore store) {
            Lane lane = store.lane(laneId());
            return lane == null
                    || entry.index() < lane.firstIndex()
                    || lane.cursor().settled(entry.index());
        }

        static long key(int priority, long index) {
            return (long) priority << 56 | index;
        }
    }

    /** From a transient lane. */
    record InMemory(MessageQueue queue, TransientMessage message) implements Held {
        @Override
        public long key() {
            return key(message);
        }

        @Override
        public long position() {
            return -1;
        }

        @Override
        public long expireAtMs() {
            return message.expireAtMs();
        }

        @Override
        public int stamp() {
            return message.stamp();
        }

        static long key(TransientMessage message) {
            return Long.MIN_VALUE | (long) message.priority() << 56 | message.sequence();
        }
    }
}
