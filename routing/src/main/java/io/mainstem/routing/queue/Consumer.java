package io.mainstem.routing.queue;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Route;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** One consumer: its credit, what it holds, and the deliveries on their way to it. Thread: shard only. */
final class Consumer implements ReadAheadOwner {
    private final MessageQueue queue;
    private final ConsumerSpec spec;
    private final ShardPeer peer;
    private final Outbox outbox;
    private final ConsumerLink link;
    private final UnsettledDeliveries unsettled = new UnsettledDeliveries();
    private @Nullable Set<Long> excluded;
    private long @Nullable [] browsed;
    private @Nullable List<Delivery> openBatch;
    private long nextDeliveryId;
    private long limit;
    private boolean draining;
    private boolean closed;
    private @Nullable Scan scan;
    private @Nullable ReadAhead readAhead;

    private boolean more;

    /** Kept by {@link ConsumerTurns}: true while it waits there. */
    boolean waiting;
    /** Kept by {@link ConsumerTurns}: messages it has had, as far as others have had as many. */
    long had;
    /** Kept by {@link ConsumerTurns}: since when it has waited, in the order of all that came. */
    long entered;

    Consumer(MessageQueue queue, ConsumerSpec spec, ShardPeer peer, ConsumerLink link) {
        this.queue = queue;
        this.spec = spec;
        this.peer = peer;
        this.outbox = peer.outbox();
        this.link = link;
    }

    @Override
    public MessageQueue queue() {
        return queue;
    }

    @Override
    public boolean gone() {
        return closed || queue.deleted();
    }

    /** What a browser reads ahead. */
    @Override
    public @Nullable ReadAhead readAhead() {
        return readAhead;
    }

    @Override
    public void readAhead(@Nullable ReadAhead newReadAhead) {
        this.readAhead = newReadAhead;
    }

    /** How it looks through the queue, or null if it takes what is at the head. */
    @Nullable
    Scan scan() {
        return scan;
    }

    void scan(@Nullable Scan newScan) {
        this.scan = newScan;
    }

    ConsumerSpec spec() {
        return spec;
    }

    UnsettledDeliveries unsettled() {
        return unsettled;
    }

    ShardPeer peer() {
        return peer;
    }

    /** Deliveries that may be made now; negative after the limit went down. */
    long credit() {
        return limit - nextDeliveryId;
    }

    /** @param soonMore the limit is raised as soon as what there is below it has been passed on */
    void limit(long newLimit, boolean drain, boolean soonMore) {
        limit = newLimit;
        draining = drain;
        more = soonMore;
    }

    /** It has no credit, but is about to get more. */
    boolean expectsMore() {
        return more && !closed && credit() <= 0;
    }

    boolean draining() {
        return draining;
    }

    boolean closed() {
        return closed;
    }

    /** Nothing more is delivered. */
    void close() {
        closed = true;
        limit = 0;
        draining = false;
        openBatch = null;
    }

    /**
     * Puts a message on its way that was taken from its queue; to a presettled consumer that is all.
     *
     * @param lateAtMs see {@link Delivery#lateAtMs}
     */
    void deliver(Held held, Message message, int failed, boolean acquired, boolean unseen, long lateAtMs) {
        if (!spec.settled()) {
            unsettled.add(nextDeliveryId, held);
        }
        int granted = Router.grantedQos(held.stamp());
        deliver(new Delivery(nextDeliveryId, message, failed, acquired, unseen, held.position(), granted, lateAtMs));
    }

    /** Shows a browser a message that stays where it is. */
    void show(Message message, int failed, boolean acquired, boolean unseen, long position) {
        deliver(new Delivery(nextDeliveryId, message, failed, acquired, unseen, position, -1, 0));
    }

    private void deliver(Delivery delivery) {
        nextDeliveryId++;
        List<Delivery> batch = openBatch;
        if (batch == null) {
            batch = new ArrayList<>(4);
            openBatch = batch;
            List<Delivery> sent = batch;
            outbox.add(() -> link.deliver(sent));
            outbox.onFlush(this);
        }
        batch.add(delivery);
    }

    /** The batch leaves; the next delivery opens another. */
    void seal() {
        openBatch = null;
    }

    /** All that was there has been delivered: the rest of the credit is given up. */
    void drained() {
        long drainedLimit = limit;
        limit = Math.min(limit, nextDeliveryId);
        draining = false;
        more = false;
        seal();
        outbox.add(() -> link.drained(drainedLimit));
    }

    /** Tells the other side that the broker has ended the consumer. */
    void cancelled(ErrorKind why, String text) {
        seal();
        outbox.add(() -> link.cancelled(why, text));
    }

    /** Not to this consumer again. */
    void exclude(Held held) {
        Set<Long> keys = excluded;
        if (keys == null) {
            keys = new HashSet<>();
            excluded = keys;
        }
        keys.add(held.key());
    }

    /** Forgets what has left the queue. */
    void pruneExcluded(LongPredicate gone) {
        if (excluded != null) {
            excluded.removeIf(gone::test);
        }
    }

    int excludedCount() {
        return excluded == null ? 0 : excluded.size();
    }

    boolean excludes(long key) {
        return excluded != null && excluded.contains(key);
    }

    boolean excludesAny() {
        return excluded != null && !excluded.isEmpty();
    }

    /**
     * Where a browser goes on.
     *
     * @param slot lane: 0 to 9 stored, 10 to 19 transient
     */
    long browsed(int slot) {
        return browsed == null ? 0 : browsed[slot];
    }

    void browsed(int slot, long next) {
        long[] positions = browsed;
        if (positions == null) {
            positions = new long[2 * Route.LANES_MAX];
            browsed = positions;
        }
        positions[slot] = next;
    }
}
