package io.mainstem.amqp.v1;

import org.jspecify.annotations.Nullable;

/**
 * The deliveries a session has sent and that are not settled, by delivery-id. Ids are dense, so they are array
 * positions in chunks of {@value #CHUNK}; a chunk goes when all of it is settled. One delivery that stays unsettled for
 * ever thus costs its chunk and a reference per {@value #CHUNK} later ids, nothing more.
 *
 * <p>Thread: the connection's event loop.
 *
 * @param <L> the link that sent a delivery
 */
final class UnsettledDeliveries<L> {
    private static final int CHUNK = 256;

    private @Nullable Chunk<L>[] chunks = array(4);
    /** Id of the first position of chunks[head]; a multiple of CHUNK. */
    private int base;

    private int head;
    private int count;
    private int next;

    /** Takes a run of consecutive deliveries of one link. */
    @FunctionalInterface
    interface Run<L> {
        /** Broker delivery ids {@code first} to {@code last}, both included. */
        void settle(L link, long first, long last);
    }

    /** Takes one delivery. */
    @FunctionalInterface
    interface Taken {
        void delivery(int deliveryId, long brokerId);
    }

    /** @param deliveryId one more than at the last call, beginning with 0 */
    void add(int deliveryId, L link, long brokerId) {
        int index = (deliveryId - base) >>> 8;
        while (index >= count) {
            grow();
            index = (deliveryId - base) >>> 8;
        }
        Chunk<L> chunk = chunkAt(index);
        if (chunk == null) {
            chunk = new Chunk<>();
            chunks[head + index & chunks.length - 1] = chunk;
        }
        int at = deliveryId & CHUNK - 1;
        chunk.links[at] = link;
        chunk.brokerIds[at] = brokerId;
        chunk.live++;
        next = deliveryId + 1;
    }

    /** Forgets ids {@code first} to {@code last} (serial numbers, both included) and reports those that were known. */
    void settle(int first, int last, Run<L> run) {
        walk(first, last, run, true);
    }

    /** Reports those of the ids {@code first} to {@code last} that are known, and keeps them. */
    void visit(int first, int last, Run<L> run) {
        walk(first, last, run, false);
    }

    private void walk(int first, int last, Run<L> run, boolean forget) {
        int from = first - base < 0 ? base : first;
        int to = last - next >= 0 ? next - 1 : last;
        L link = null;
        long runFirst = 0;
        long runLast = 0;
        for (int id = from; id - to <= 0; id++) {
            int index = (id - base) >>> 8;
            Chunk<L> chunk = chunkAt(index);
            if (chunk == null) {
                id |= CHUNK - 1;
                continue;
            }
            int at = id & CHUNK - 1;
            L owner = chunk.link(at);
            if (owner == null) {
                continue;
            }
            long brokerId = chunk.brokerIds[at];
            if (forget) {
                chunk.links[at] = null;
                chunk.live--;
                dropIfSettled(index);
            }
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
    void forget(L link) {
        take(link, (deliveryId, brokerId) -> {});
    }

    /** As {@link #forget}, and reports them in the order they were sent in. */
    void take(L link, Taken taken) {
        for (int i = 0; i < count; i++) {
            Chunk<L> chunk = chunkAt(i);
            for (int at = 0; chunk != null && at < CHUNK; at++) {
                if (chunk.links[at] == link) {
                    taken.delivery(base + i * CHUNK + at, chunk.brokerIds[at]);
                    chunk.links[at] = null;
                    chunk.live--;
                }
            }
            dropIfSettled(i);
        }
        trim();
    }

    private @Nullable Chunk<L> chunkAt(int index) {
        return index < count ? chunks[head + index & chunks.length - 1] : null;
    }

    private void grow() {
        if (count == chunks.length) {
            @Nullable Chunk<L>[] larger = array(chunks.length * 2);
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
        Chunk<L> chunk = index < 0 ? null : chunkAt(index);
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
            Chunk<L> chunk = chunkAt(i);
            live += chunk == null ? 0 : chunk.live;
        }
        return live;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // arrays have no type arguments; nothing else is ever put in
    private static <L> @Nullable Chunk<L>[] array(int length) {
        return new Chunk[length];
    }

    private static final class Chunk<L> {
        private final @Nullable Object[] links = new Object[CHUNK];
        private final long[] brokerIds = new long[CHUNK];
        private int live;

        @SuppressWarnings("unchecked") // add() puts nothing else in
        private @Nullable L link(int at) {
            return (L) links[at];
        }
    }
}
