package io.mainstem.routing.queue;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The end of a session, however many consumers, transactions and exclusive queues it has. Thread: shard only. */
final class Disconnecting implements LongWork {
    private final Shard shard;
    private final ShardPeer peer;
    private final Iterator<TransactionWork> transactions;
    private final Iterator<Consumer> consumers;
    private @Nullable Iterator<MessageQueue> queues;

    Disconnecting(Shard shard, ShardPeer peer) {
        this.shard = shard;
        this.peer = peer;
        this.transactions = List.copyOf(peer.transactions()).iterator();
        this.consumers = List.copyOf(peer.consumers()).iterator();
    }

    @Override
    public boolean goOn(TurnBudget budget) {
        boolean more = true;
        while (more && !budget.spent()) {
            budget.spend(1);
            more = next();
        }
        return !more;
    }

    private boolean next() {
        if (transactions.hasNext()) {
            transactions.next().rollback();
            return true;
        }
        if (consumers.hasNext()) {
            Consumer consumer = consumers.next();
            shard.detach(consumer, consumer.spec().onLoss());
            return true;
        }
        Iterator<MessageQueue> left = queues;
        if (left == null) {
            left = List.copyOf(peer.exclusiveQueues()).iterator();
            queues = left;
        }
        if (left.hasNext()) {
            shard.requests().delete(left.next());
        }
        return left.hasNext();
    }
}
