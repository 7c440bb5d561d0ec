package io.mainstem.amqp.v1;

import org.jspecify.annotations.Nullable;

/**
 * The deliveries a session has sent and that are not settled, by delivery-id. Ids are dense, so they are array
 * positions in chunks of {@value #CHUNK}; a chunk goes when all of it is settled. One delivery that stays unsettled for
 * ever thus costs its chunk and a reference per {@value #CHUNK} later ids, nothing more.
 *
 * <p>Thread: the connection's event loop.
 */
final class UnsettledDeliveries {
    private static final int CHUNK = 256;

    private @Nullable Chunk[] chunks = new Chunk[4];
    /** Id of the first position of chunks[head]; a multiple of CHUNK. */
    private int base;

    private int head;
    private int count;
    private int next;

    /** Takes a run of consecutive deliveries of one link. */
    @FunctionalInterface
    interface Run {
        /** Broker delivery ids {@code first} to {@code last}, both included. */
        void settle(OutboundLink link, long first, long last);
    }

    /** @param deliveryId one more than at the last call, beginning with 0 */
    void add(int deliveryId, OutboundLink link, long brokerId) {
        int index = (deliveryId - base) >>> 8;
        while (index >= count) {
            grow();
            index = (deliveryId - base) >>> 8;
        }
        Chunk chunk = chunkAt(index);
        if (chunk == null) {
            chunk = new Chunk();
            chunks[head + index & chunks.length - 1] = chunk;
        }
        int at = deliveryId & CHUNK - 1;
        chunk.links[at] = link;
        chunk.brokerIds[at] = brokerId;
        chunk.live++;
        next = deliveryId + 1;
    }

    /** Forgets ids {@code first} to {@code last} (serial numbers, both included) and reports those that were known. */
    void settle(int first, int last, Run run) {
        int from = first - base < 0 ? base : first;
        int to = last - next >= 0 ? next - 1 : last;
        OutboundLink link = null;
        long runFirst = 0;
        long runLast = 0;
        for (int id = from; id - to <= 0; id++) {
            int index = (id - base) >>> 8;
            Chunk chunk = chunkAt(index);
            if (chunk == null) {
                id |= CHUNK - 1;
                continue;
            }
            int at = id & CHUNK - 1;
            OutboundLink owner = chunk.links[at];
            if (owner == null) {
                continue;
            }
            long brokerId = chunk.brokerIds[at];
            chunk.links[at] = null;
            chunk.live--;
            dropIfSettled(index);
            if (owner == link && brokerId == runLast + 1) {
                runLast = brokerId;
                continue;
            }
            if (link != null) {
                run.settle(link, runFirst, runLast);
            }
            link = owner;
            runFirst = brokerId;
            runLast = brokerId;
        }
        if (link != null) {
            run.settle(link, runFirst, runLast);
        }
        trim();
    }

    /** Forgets all deliveries of a link that is gone. */
    void forget(OutboundLink link) {
        for (int i = 0; i < count; i++) {
            Chunk chunk = chunkAt(i);
            for (int at = 0; chunk != null && at < CHUNK; at++) {
                if (chunk.links[at] == link) {
                    chunk.links[at] = null;
                    chunk.live--;
                }
            }
            dropIfSettled(i);
        }
        trim();
    }

    private @Nullable Chunk chunkAt(int index) {
        return index < count ? chunks[head + index & chunks.length - 1] : null;
    }

    private void grow() {
        if (count == chunks.length) {
            @Nullable Chunk[] larger = new Chunk[chunks.length * 2];
            for (int i = 0; i < count; i++) {
                larger[i] = chunkAt(i);
            }
            chunks = larger;
            head = 0;
        }
        count++;
        dropIfSettled(count - 2);
    }

    /** The last chunk is still being filled and stays. */
    private void dropIfSettled(int index) {
        Chunk chunk = index < 0 ? null : chunkAt(index);
        if (chunk != null && chunk.live == 0 && index < count - 1) {
            chunks[head + index & chunks.length - 1] = null;
        }
    }

    private void trim() {
        while (count > 1 && chunkAt(0) == null) {
            head = head + 1 & chunks.length - 1;
            base += CHUNK;
            count--;
        }
    }

    /** Deliveries not settled yet. */
    int size() {
        int live = 0;
        for (int i = 0; i < count; i++) {
            Chunk chunk = chunkAt(i);
            live += chunk == null ? 0 : chunk.live;
        }
        return live;
    }

    private static final class Chunk {
        private final @Nullable OutboundLink[] links = new OutboundLink[CHUNK];
        private final long[] brokerIds = new long[CHUNK];
        private int live;
    }
}
