package io.mainstem.routing.queue;

import io.mainstem.routing.ClientInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;

/** A session as the shard sees it: its consumers, its way back, and what holds it up. Thread: shard only. */
final class ShardPeer {
    private final ShardSession session;
    private final ClientInfo client;
    private final Outbox outbox;
    private final WorkQueue work;
    private final PublishOrder order = new PublishOrder();
    private final Set<Consumer> consumers = new LinkedHashSet<>(2);
    private final Set<TransactionWork> transactions = new LinkedHashSet<>(0);
    private final Set<MessageQueue> exclusiveQueues = new LinkedHashSet<>(0);
    /** Those that have no room for its publishes: who waits there. */
    private final List<Collection<ShardPeer>> heldIn = new ArrayList<>(0);

    private boolean closed;

    ShardPeer(ShardSession session, ClientInfo client, Executor eventLoop) {
        Shard shard = session.shard();
        this.session = session;
        this.client = client;
        this.work = new WorkQueue(shard.work());
        this.outbox = new Outbox(eventLoop, shard.touched(), () -> shard.post(() -> shard.disconnect(this)));
    }

    ClientInfo client() {
        return client;
    }

    Outbox outbox() {
        return outbox;
    }

    /** What it has asked for. */
    WorkQueue work() {
        return work;
    }

    /** Of what it publishes by way of the shard. */
    PublishOrder order() {
        return order;
    }

    Set<Consumer> consumers() {
        return consumers;
    }

    /** Open ones that hold deliveries; the end of the session rolls them back. */
    Set<TransactionWork> transactions() {
        return transactions;
    }

    /** Queues that go with this session. */
    Set<MessageQueue> exclusiveQueues() {
        return exclusiveQueues;
    }

    boolean closed() {
        return closed;
    }

    void close() {
        closed = true;
        heldIn.forEach(waiting -> waiting.remove(this));
        heldIn.clear();
    }

    /**
     * Another place has no room for this session's publishes.
     *
     * @param waiting those that wait there; the session is added unless it is one of them, and leaves when it is closed
     */
    void hold(Collection<ShardPeer> waiting, String reason) {
        if (closed || waiting.contains(this)) {
            return;
        }
        waiting.add(this);
        heldIn.add(waiting);
        session.heldBack(reason);
    }

    /** It waits still, for this reason now. */
    void heldFor(String reason) {
        session.heldBack(reason);
    }

    /** There is room; all that waited are forgotten there. */
    static void releaseAll(Collection<ShardPeer> waiting) {
        if (waiting.isEmpty()) {
            return;
        }
        List<ShardPeer> released = List.copyOf(waiting);
        waiting.clear();
        released.forEach(peer -> peer.release(waiting));
    }

    private void release(Collection<ShardPeer> waiting) {
        heldIn.removeIf(place -> place == waiting);
        if (heldIn.isEmpty()) {
            session.heldBack("");
            outbox.add(session::checkWritable);
        }
    }
}
