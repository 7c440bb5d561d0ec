package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.RefusingQueue;
import io.mainstem.routing.message.Message;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frame;
import io.mainstem.store.Route;
import io.mainstem.store.ScheduleLane;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Messages that have arrived: into the tail cache, the transient lanes, and in front of consumers. Thread: shard. */
final class Publishing {
    private final Shard shard;
    private final TailCache tail;
    private final TransientBudget budget;

    Publishing(Shard shard, TailCache tail, TransientBudget budget) {
        this.shard = shard;
        this.tail = tail;
        this.budget = budget;
    }

    /** On disk, and the store has its lane entries. */
    void applied(DurablePublish publish) {
        PublishRequest request = publish.request();
        published(request.peer(), request.message(), request.destinations(), publish.lsn());
    }

    /** @param lsn of its record, if it has one */
    private void published(ShardPeer publisher, Message message, Destinations destinations, long lsn) {
        if (message.envelope().delayed() && !destinations.nowhere()) {
            shard.schedule().appended(message.envelope().deliverAtMs());
            return;
        }
        if (!destinations.stored().isEmpty()) {
            stored(lsn, message, destinations.stored(), publisher);
        }
        if (!destinations.inMemory().isEmpty()) {
            // The durable part is stored, so the rest is taken whatever the budget says; the session is held back.
            queueInMemory(publisher, message, destinations.inMemory());
        }
        queueWhereWanted(message, destinations.bestEffort());
    }

    /** A record at {@code lsn} has made entries in these lanes. */
    void stored(long lsn, Message message, List<Route> lanes) {
        stored(lsn, message, lanes, null);
    }

    private void stored(long lsn, Message message, List<Route> lanes, @Nullable ShardPeer publisher) {
        tail.add(lsn, message, lanes.size());
        for (Route lane : lanes) {
            MessageQueue queue = shard.queues().byId(lane.queueId());
            if (queue != null) {
                queue.storedReady(lane.priority());
                shard.lastValues().stored(queue);
                shard.sweeps().arrived(queue, queue.options().expireAtMs(message.envelope()));
                shard.limits().arrived(queue, publisher);
                shard.dispatcher().markDirty(queue);
            }
        }
    }

    /**
     * Entries were made in these lanes of a message that is in the log only.
     *
     * @param expiry of each lane; of one of the schedule: when it becomes due
     */
    void storedUnseen(List<Route> lanes, ExpiryTimes expiry) {
        for (int at = 0; at < lanes.size(); at++) {
            Route lane = lanes.get(at);
            if (ScheduleLane.is(lane.laneId())) {
                shard.schedule().appended(expiry.at(at));
            }
            MessageQueue queue = shard.queues().byId(lane.queueId());
            if (queue != null) {
                queue.storedReady(lane.priority());
                shard.lastValues().stored(queue);
                shard.sweeps().arrived(queue, expiry.at(at));
                shard.limits().arrived(queue, null);
                shard.dispatcher().markDirty(queue);
            }
        }
    }

    /** A message whose transaction is committed, and on disk as far as it is durable. */
    void committed(ShardPeer publisher, TransactionSend send) {
        Frame frame = send.frame();
        published(publisher, send.message(), send.destinations(), frame == null ? -1 : frame.lsn());
    }

    /** Why queues in memory cannot take what goes there, or null if they can. */
    @Nullable
    BrokerException full(Destinations destinations) {
        for (Route lane : destinations.inMemory()) {
            MessageQueue queue = shard.queues().byId(lane.queueId());
            if (queue != null && budget.full(queue)) {
                return new BrokerException(
                        ErrorKind.RESOURCE_LIMIT,
                        "MS-0342",
                        new RefusingQueue(queue.name(), RefusingQueue.UNAVAILABLE),
                        "queue '" + queue.name() + "': no memory for more non-durable messages.",
                        "consume from it, or publish durable messages.");
            }
        }
        return null;
    }

    /** Takes a message that lives in memory only. */
    PublishResult queue(ShardPeer publisher, Message message, Destinations destinations) {
        BrokerException full = full(destinations);
        if (full != null) {
            return PublishResult.Refused.of(full);
        }
        int queues = queueInMemory(publisher, message, destinations.inMemory());
        queueWhereWanted(message, destinations.bestEffort());
        return new PublishResult.Stored(queues + destinations.bestEffort().size());
    }

    /** To those who are there and keep up; nobody is held back for the others. */
    private void queueWhereWanted(Message message, List<Route> lanes) {
        for (Route lane : lanes) {
            MessageQueue queue = shard.queues().byId(lane.queueId());
            if (queue == null || !queue.hasConsumers()) {
                continue;
            }
            if (budget.roomy(queue)) {
                queueUnattended(queue, message, lane);
            } else {
                budget.lost(queue);
            }
        }
    }

    /**
     * A message the broker moves itself, such as a dead letter; nobody is held back for it, so a queue that cannot take
     * even what is under way goes without.
     */
    void queueUnattended(Message message, Destinations destinations) {
        queueWhereWanted(message, destinations.bestEffort());
        for (Route lane : destinations.inMemory()) {
            MessageQueue queue = shard.queues().byId(lane.queueId());
            if (queue != null && budget.full(queue)) {
                budget.lost(queue);
            } else if (queue != null) {
                queueUnattended(queue, message, lane);
            }
        }
    }

    private void queueUnattended(MessageQueue queue, Message message, Route lane) {
        long expireAtMs = queue.options().expireAtMs(message.envelope());
        budget.addUnattended(queue, message, lane, expireAtMs);
        ready(queue, lane, expireAtMs, null);
    }

    private int queueInMemory(ShardPeer publisher, Message message, List<Route> lanes) {
        int queues = 0;
        for (Route lane : lanes) {
            MessageQueue queue = shard.queues().byId(lane.queueId());
            if (queue != null) {
                long expireAtMs = queue.options().expireAtMs(message.envelope());
                budget.add(queue, message, lane, expireAtMs, publisher);
                ready(queue, lane, expireAtMs, publisher);
                queues++;
            }
        }
        return queues;
    }

    private void ready(MessageQueue queue, Route lane, long expireAtMs, @Nullable ShardPeer publisher) {
        queue.transientReady(lane.priority());
        shard.lastValues().inMemory(queue);
        shard.sweeps().arrived(queue, expireAtMs);
        shard.limits().arrived(queue, publisher);
        shard.dispatcher().markDirty(queue);
    }
}
