package io.mainstem.routing.queue;

import io.mainstem.routing.ClientInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** A session as the shard sees it: its consumers, its way back, and what holds it up. Thread: shard only. */
final class ShardPeer {
    private final ShardSession session;
    private final ClientInfo client;
    private final Outbox outbox;
    private final List<Consumer> consumers = new ArrayList<>(2);
    private final List<TransactionWork> transactions = new ArrayList<>(0);
    private final List<MessageQueue> exclusiveQueues = new ArrayList<>(0);
    private int holds;
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
    }

    /** One more place has no room for this session's publishes. */
    void hold(String reason) {
        holds++;
        session.heldBack(reason);
    }

    /** One place less. */
    void release() {
        if (--holds == 0) {
            session.heldBack("");
            outbox.add(session::checkWritable);
        }
    }
}
