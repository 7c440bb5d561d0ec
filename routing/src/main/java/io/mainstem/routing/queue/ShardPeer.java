package io.mainstem.routing.queue;

import io.mainstem.routing.ClientInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;

/** A session as the shard sees it: its consumers, its way back, and what holds it up. Thread: shard only. */
final class ShardPeer {
    private final ShardSession session;
    private final ClientInfo client;
    private final Outbox outbox;
    private final PublishOrder order = new PublishOrder();
    private final List<Consumer> consumers = new ArrayList<>(2);
    private final List<TransactionWork> transactions = new ArrayList<>(0);
    private final List<MessageQueue> exclusiveQueues = new ArrayList<>(0);
    /** Those that have no room for its publishes: who waits there. */
    private final List<Collection<ShardPeer>> heldIn = new ArrayList<>(0);

    private boolean closed;

    ShardPeer(ShardSession session, ClientInfo client, Executor eventLoop) {
        Shard shard = session.shard();
        this.session = session;
        this.client = client;
        this.outbox = new Outbox(eventLoop, shard.touched(), () -> shard.post(() -> shard.disconnect(this)));
    }

    ClientInfo client() {
        return client;
    }

    Outbox outbox() {
        return outbox;
    }

    /** Of what it publishes by way of the shard. */
    PublishOrder order() {
        return order;
    }

    List<Consumer> consumers() {
        return consumers;
    }

    /** Open ones that hold deliveries; the end of the session rolls them back. */
    List<TransactionWork> transactions() {
        return transactions;
    }

    /** Queues that go with this session. */
    List<MessageQueue> exclusiveQueues() {
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
